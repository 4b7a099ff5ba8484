// Operations under load, as they are defined:
//
//     static std::unique_ptr<Client> client;
//     TARE_SET_UP { client = std::make_unique<Client>(worker.number); }
//     TARE_OPERATION(get, 9) { client->get(worker.number); }
//     TARE_OPERATION(put, 1) { client->put(worker.number, worker.turn); }
//     TARE_CLEAN_UP { client.reset(); }
//
// Those of one source file are a suite, which is called as the file is. What an operation throws is a failure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tare {

/// Which of the workers this is.
struct LoadWorker {
    /// From 0.
    int number = 0;
    /// How many there are.
    int workers = 0;
    /// Operations that it has begun before the one under way, in processes before this one too.
    std::int64_t turn = 0;
};

namespace detail {

using OperationBody = void (*)(LoadWorker &);

struct Operation {
    std::string suite;
    std::string name;
    std::int64_t weight;
    OperationBody body;
    const char *file;
    int line;
};

/// What is done once before or after the operations of a suite.
struct Around {
    std::string suite;
    OperationBody body;
    bool is_before;
};

/// Filled before main; never destroyed.
struct Operations {
    std::vector<Operation> all;
    std::vector<Around> around;

    static Operations &instance()
    {
        static Operations *operations = new Operations();
        return *operations;
    }

    /// The file's name without its folder and its last extension.
    static std::string suite_of(const char *file)
    {
        const std::string path(file);
        const std::size_t slash = path.find_last_of('/');
        const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
        const std::size_t dot = name.find_last_of('.');
        return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
    }

    static int add(const char *name, std::int64_t weight, OperationBody body, const char *file, int line)
    {
        instance().all.push_back(Operation{suite_of(file), name, weight, body, file, line});
        return 0;
    }

    static int add_around(bool is_before, OperationBody body, const char *file)
    {
        instance().around.push_back(Around{suite_of(file), body, is_before});
        return 0;
    }
};

} // namespace detail
} // namespace tare

/// An operation with its part in the mix (0: only where a mix names it): `TARE_OPERATION(get, 9) { … worker.number … }`.
#define TARE_OPERATION(name, weight)                                                                                   \
    static void tare_operation_##name(::tare::LoadWorker &worker);                                                     \
    static_assert((weight) >= 0 && (weight) <= 1000000, "a weight is from 0 to 1,000,000");                            \
    [[maybe_unused]] static const int tare_operation_registered_##name =                                               \
        ::tare::detail::Operations::add(#name, weight, tare_operation_##name, __FILE__, __LINE__);                     \
    static void tare_operation_##name([[maybe_unused]] ::tare::LoadWorker &worker)

/// What is done once in each worker before its operations, those of this file.
#define TARE_SET_UP TARE_AROUND(true, tare_set_up)
/// Likewise after them.
#define TARE_CLEAN_UP TARE_AROUND(false, tare_clean_up)
#define TARE_AROUND(is_before, function)                                                                               \
    static void function(::tare::LoadWorker &worker);                                                                  \
    [[maybe_unused]] static const int function##_registered =                                                          \
        ::tare::detail::Operations::add_around(is_before, function, __FILE__);                                         \
    static void function([[maybe_unused]] ::tare::LoadWorker &worker)
