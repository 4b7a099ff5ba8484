// Where the machine code of a benchmark begins in the executable's file (PROTOCOL 4, `case`).
#pragma once

#include <cstdint>
#include <vector>

#include "definition.h"

#if defined(__linux__) && defined(__x86_64__)
#include <link.h>
#endif

namespace tare {
namespace detail {

#if defined(__linux__) && defined(__x86_64__)

/// The executable as it is mapped: the first that the C library tells of.
struct Mapped {
    std::uintptr_t wanted;
    std::int64_t found;

    /// Takes the first object only: by returning 1 it ends the iteration.
    static int look(struct dl_phdr_info *object, std::size_t, void *data)
    {
        Mapped *mapped = static_cast<Mapped *>(data);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
            const auto &segment = object->dlpi_phdr[i];
            const std::uintptr_t first = object->dlpi_addr + segment.p_vaddr;
            if (segment.p_type == PT_LOAD && mapped->wanted >= first && mapped->wanted - first < segment.p_memsz) {
                mapped->found = static_cast<std::int64_t>(mapped->wanted - object->dlpi_addr);
            }
        }
        return 1;
    }
};

/// The address that the linker gave to what lies at this one; -1 where that isn't the executable's own.
inline std::int64_t linked_address(std::uintptr_t address)
{
    Mapped mapped{address, -1};
    dl_iterate_phdr(Mapped::look, &mapped);
    return mapped.found;
}

/// What a benchmark's calls begin with: the table of its class's virtual functions, and the function that it was given. None where it holds code that
/// neither tells of, where hooks or a fixture make its data, or where it isn't the executable's own.
inline std::vector<std::int64_t> code_of(const Benchmark &benchmark)
{
    const Code code = benchmark.code();
    const Settings &settings = benchmark.settings();
    if (code.is_hidden || settings.set_up != nullptr || settings.tear_down != nullptr) {
        return {};
    }
    // Where its virtual functions stand, an object of the Itanium C++ ABI says at its beginning.
    std::vector<std::int64_t> linked{linked_address(*reinterpret_cast<const std::uintptr_t *>(&benchmark))};
    if (code.function != 0) {
        linked.push_back(linked_address(code.function));
    }
    for (const std::int64_t address : linked) {
        if (address < 0) {
            return {};
        }
    }
    return linked;
}

#else

inline std::vector<std::int64_t> code_of(const Benchmark &) { return {}; }

#endif

} // namespace detail
} // namespace tare
