//! `criterion_group!` and `criterion_main!`.

/// Defines a function that goes through the benchmarks of some functions.
#[macro_export]
macro_rules! criterion_group {
    (name = $name:ident; config = $config:expr; targets = $( $target:path ),+ $(,)*) => {
        #[doc = "The function which runs the benchmarks."]
        pub fn $name() {
            let mut criterion: $crate::Criterion<_> = $config.configure_from_args();
            $(
                $crate::__tare::in_target(&mut criterion, |criterion: &mut $crate::Criterion<_>| {
                    let _ = $target(criterion);
                });
            )+
        }
    };
    ($name:ident, $( $target:path ),+ $(,)*) => {
        $crate::criterion_group! {
            name = $name;
            config = $crate::Criterion::default();
            targets = $( $target ),+
        }
    }
}

/// Defines the main function.
#[macro_export]
macro_rules! criterion_main {
    ( $( $group:path ),+ $(,)* ) => {
        fn main() {
            $crate::__tare::begin_to_end();
            $(
                $crate::__tare::part($group);
            )+
            $crate::__tare::end();
        }
    }
}
