// Replaced by the wrapper: what is here is never compiled.
compile_error!("the wrapper has not replaced this source");
