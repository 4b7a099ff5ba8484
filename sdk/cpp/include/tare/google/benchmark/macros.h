// For sources that include a part of Google Benchmark: its parts are one header here.
#pragma once
#include "../../benchmark.h"
