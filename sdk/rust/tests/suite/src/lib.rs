//! Nothing: the benchmarks measure what stands beside them.
