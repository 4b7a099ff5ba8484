bench_of!(of_a_macro);
