// What this binary is and how it was built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif
#include <sys/utsname.h>
#include <unistd.h>

#include "platform.h"

#if defined(__has_feature)
#define TARE_HAS_FEATURE(name) __has_feature(name)
#else
#define TARE_HAS_FEATURE(name) 0
#endif

namespace tare {
namespace detail {

/// Compiler and version: `GCC 12.2.0`.
inline std::string compiler()
{
#if defined(__apple_build_version__)
    return "Apple Clang " + std::to_string(__clang_major__) + '.' + std::to_string(__clang_minor__) + '.'
        + std::to_string(__clang_patchlevel__);
#elif defined(__clang__)
    return "Clang " + std::to_string(__clang_major__) + '.' + std::to_string(__clang_minor__) + '.' + std::to_string(__clang_patchlevel__);
#else
    return "GCC " + std::to_string(__GNUC__) + '.' + std::to_string(__GNUC_MINOR__) + '.' + std::to_string(__GNUC_PATCHLEVEL__);
#endif
}

inline constexpr bool is_optimised =
#if defined(__OPTIMIZE__)
    true;
#else
    false;
#endif

/// The sanitizers compiled in; `none`.
inline std::string sanitizers()
{
    std::string names;
#if defined(__SANITIZE_ADDRESS__) || TARE_HAS_FEATURE(address_sanitizer)
    names += "address,";
#endif
#if defined(__SANITIZE_THREAD__) || TARE_HAS_FEATURE(thread_sanitizer)
    names += "thread,";
#endif
#if TARE_HAS_FEATURE(memory_sanitizer)
    names += "memory,";
#endif
    return names.empty() ? "none" : names.substr(0, names.size() - 1);
}

#if defined(__x86_64__)
#define TARE_READ_FRAME_REGISTER(value) __asm__ volatile("movq %%rbp, %0" : "=r"(value))
#elif defined(__aarch64__)
// A function that calls none may go without a frame where all others have one; one that loses its return address may not.
#define TARE_READ_FRAME_REGISTER(value) __asm__ volatile("mov %0, x29" : "=r"(value) : : "x30")
#endif

#if defined(TARE_READ_FRAME_REGISTER)
/// Called on both sides of a read, lest the compiler makes the frame only after it, or takes it down before.
[[gnu::noinline]] inline void keep_the_frame() { __asm__ volatile("" : : : "memory"); }

/// The frame register in a function that is called: its own frame where functions keep it, else what the caller has in it.
[[gnu::noinline]] inline std::uintptr_t frame_register_of_a_callee()
{
    std::uintptr_t value = 0;
    keep_the_frame();
    TARE_READ_FRAME_REGISTER(value);
    keep_the_frame();
    return value;
}

[[gnu::noinline]] inline const char *frame_pointers()
{
    std::uintptr_t value = 0;
    keep_the_frame();
    TARE_READ_FRAME_REGISTER(value);
    return frame_register_of_a_callee() == value ? "omitted" : "kept";
}
#else
inline const char *frame_pointers() { return "unknown"; }
#endif

/// The CPUs that the calling thread may run on; 0 where that can't be known.
inline int allowed_cpus()
{
#if defined(__linux__) && defined(CPU_COUNT)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0) {
        return CPU_COUNT(&set);
    }
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? static_cast<int>(online) : 0;
}

/// `name=value`, of the translation unit that has main.
inline std::vector<std::string> facts()
{
    std::vector<std::string> facts;
    const auto add = [&](const char *name, const std::string &value) { facts.push_back(std::string(name) + '=' + value); };
    add("compiler", compiler());
    add("standard", "C++" + std::to_string(__cplusplus / 100 % 100));
#if defined(__OPTIMIZE_SIZE__)
    add("optimisation", "size");
#else
    add("optimisation", is_optimised ? "on" : "off");
#endif
#if defined(NDEBUG)
    add("assertions", "off");
#else
    add("assertions", "on");
#endif
    add("sanitizers", sanitizers());
    add("frame_pointers", frame_pointers());
#if defined(_LIBCPP_VERSION)
    add("library", "libc++ " + std::to_string(_LIBCPP_VERSION));
#elif defined(__GLIBCXX__)
    add("library", "libstdc++ " + std::to_string(_GLIBCXX_RELEASE) + " (" + std::to_string(__GLIBCXX__) + ')');
#else
    add("library", "unknown");
#endif
    add("exceptions", TARE_EXCEPTIONS ? "on" : "off");
    add("pointer", std::to_string(8 * sizeof(void *)) + " bit");
    utsname system;
    if (uname(&system) == 0) {
        add("os", std::string(system.sysname) + ' ' + system.release + ' ' + system.machine);
    }
    return facts;
}

} // namespace detail
} // namespace tare
