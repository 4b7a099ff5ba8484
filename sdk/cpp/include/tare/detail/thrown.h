// What user code threw, in words.
#pragma once

#include <exception>
#include <string>

#include "fault.h"
#include "platform.h"

#if TARE_RTTI
#include <cstdlib>
#include <cxxabi.h>
#include <typeinfo>
#endif

namespace tare {
namespace detail {

/// The name of the type of the exception that is being handled; empty where it can't be known.
inline std::string thrown_type()
{
    std::string name;
#if TARE_RTTI && TARE_EXCEPTIONS
    if (const std::type_info *type = abi::__cxa_current_exception_type()) {
        int status = 0;
        char *readable = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
        name = readable != nullptr ? readable : type->name();
        std::free(readable);
    }
#endif
    return name;
}

/// Calls `code`, and makes a fault of this kind of what it throws.
template <class Code> Fault guarded(const char *kind, Code &&code)
{
#if TARE_EXCEPTIONS
    try {
        code();
    } catch (const std::exception &thrown) {
        const std::string type = thrown_type();
        return Fault(kind, (type.empty() ? "" : type + ": ") + thrown.what());
    } catch (...) {
        const std::string type = thrown_type();
        return Fault(kind, "It threw " + (type.empty() ? "something that is no std::exception" : "an object of type " + type) + '.');
    }
#else
    static_cast<void>(kind);
    code();
#endif
    return Fault();
}

} // namespace detail
} // namespace tare
