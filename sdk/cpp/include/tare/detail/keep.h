// Keeps the compiler from dropping or moving what is measured.
#pragma once

#include <type_traits>

#include "platform.h"

namespace tare {
namespace detail {

/// Compilers take these for an operand in a register: arrays, empty classes and odd sizes they don't.
template <class T>
inline constexpr bool in_register = sizeof(T) <= sizeof(void *) && (sizeof(T) & (sizeof(T) - 1)) == 0
    && (std::is_scalar<T>::value || (std::is_class<T>::value && std::is_trivially_copyable<T>::value && !std::is_empty<T>::value))
    && !std::is_floating_point<T>::value;

// Floating-point values stay in their own registers: a move to an integer register would be measured with the subject.
#if defined(__SSE2__)
#define TARE_FLOAT_REGISTER "x"
#elif defined(__aarch64__)
#define TARE_FLOAT_REGISTER "w"
#endif

template <class T>
inline constexpr bool in_float_register =
#if defined(TARE_FLOAT_REGISTER)
    std::is_same<T, float>::value || std::is_same<T, double>::value;
#else
    false;
#endif

} // namespace detail

/// The value counts as read, and all memory as read and written, at this point of the program. Makes no instruction.
template <class T> TARE_INLINE void DoNotOptimize(T const &value)
{
    if constexpr (detail::in_register<T>) {
        asm volatile("" : : "r"(value) : "memory");
#if defined(TARE_FLOAT_REGISTER)
    } else if constexpr (detail::in_float_register<T>) {
        asm volatile("" : : TARE_FLOAT_REGISTER(value) : "memory");
#endif
    } else {
        asm volatile("" : : "m"(value) : "memory");
    }
}

/// The same, and the value counts as written: the compiler doesn't know it afterwards.
template <class T> TARE_INLINE void DoNotOptimize(T &value)
{
    if constexpr (detail::in_register<T>) {
        asm volatile("" : "+r"(value) : : "memory");
#if defined(TARE_FLOAT_REGISTER)
    } else if constexpr (detail::in_float_register<T>) {
        asm volatile("" : "+" TARE_FLOAT_REGISTER(value) : : "memory");
#endif
    } else {
        asm volatile("" : "+m"(value) : : "memory");
    }
}

template <class T, std::enable_if_t<!std::is_lvalue_reference<T>::value && !std::is_const<T>::value, int> = 0>
TARE_INLINE void DoNotOptimize(T &&value)
{
    DoNotOptimize(static_cast<T &>(value));
}

/// All memory counts as read and written at this point: pending stores are made, loads are made anew.
TARE_INLINE void ClobberMemory() { asm volatile("" : : : "memory"); }

/// Takes the result of what is measured, so that the compiler can't leave the work out. Unlike DoNotOptimize it leaves other memory alone.
template <class T> TARE_INLINE void keep(T const &value)
{
    if constexpr (detail::in_register<T>) {
        asm volatile("" : : "r"(value));
#if defined(TARE_FLOAT_REGISTER)
    } else if constexpr (detail::in_float_register<T>) {
        asm volatile("" : : TARE_FLOAT_REGISTER(value));
#endif
    } else {
        asm volatile("" : : "m"(value) : "memory");
    }
}

/// Gives the value back as one that the compiler doesn't know: inputs of what is measured, which it could compute with otherwise.
template <class T> TARE_INLINE T opaque(T value)
{
    DoNotOptimize(value);
    return value;
}

} // namespace tare
