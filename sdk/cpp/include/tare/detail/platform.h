// What the compiler offers, under one name each.
#pragma once

#if defined(_WIN32)
#error "tare/benchmark.h needs a POSIX system: Linux, a BSD or macOS"
#endif
#if !defined(__GNUC__) && !defined(__clang__)
#error "tare/benchmark.h needs GCC or Clang: it holds results in place with their extended asm"
#endif
#if __cplusplus < 201703L
#error "tare/benchmark.h needs C++17: compile with -std=c++17 or later"
#endif

#include <cstddef>
#include <cstdint>

#define TARE_INLINE inline __attribute__((always_inline))
#define TARE_NOINLINE __attribute__((noinline))
#define TARE_LIKELY(condition) __builtin_expect(!!(condition), 1)

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define TARE_EXCEPTIONS 1
#else
#define TARE_EXCEPTIONS 0
#endif
#if defined(__cpp_rtti) || defined(__GXX_RTTI)
#define TARE_RTTI 1
#else
#define TARE_RTTI 0
#endif

namespace tare {

/// A number of calls.
using IterationCount = std::int64_t;

namespace detail {

/// Version of this header.
inline constexpr char version[] = "0.1.0";

/// Says in the binary, without running it, that it speaks the wire, and which version. Volatile, and read for the hello, so that no
/// compiler or linker drops it.
inline const volatile char marker[] = "tare-worker-wire:1";

/// The version that the marker names.
inline int wire_version() { return marker[sizeof(marker) - 2] - '0'; }

} // namespace detail
} // namespace tare
