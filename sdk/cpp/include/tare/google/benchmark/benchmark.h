// For sources whose include can't be changed either: with this folder before Google Benchmark's own on the include path,
// `#include <benchmark/benchmark.h>` finds Tare.
#pragma once
#include "../../benchmark.h"
