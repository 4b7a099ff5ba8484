/// Its function has the place where the name was given.
macro_rules! bench_of {
    ($name:ident) => {
        #[bench]
        fn $name(b: &mut test::Bencher) {
            b.iter(|| test::black_box(1));
        }
    };
}
