// Every benchmark of the binary, and the cases that they make.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <regex.h>

#include "definition.h"

namespace tare {
namespace detail {

/// A benchmark with one set of arguments and one number of threads.
struct Case {
    Benchmark *benchmark;
    Arguments arguments;
    int threads;
    std::string parameters;
    std::vector<std::string> names;
    std::vector<std::string> values;
    /// Both parts, as Google Benchmark prints them.
    std::string full_name;
};

/// Filled before main, in the order of the source; that of several translation units is the linker's, and so the same in every process.
class Registry {
public:
    /// Never destroyed: user code may still run when static objects are.
    static Registry &instance()
    {
        static Registry *registry = new Registry();
        return *registry;
    }

    /// Owns it from now on.
    Benchmark *add(Benchmark *benchmark, const char *file, int line)
    {
        benchmark->settings().file = file;
        benchmark->settings().line = line;
        benchmarks_.push_back(benchmark);
        return benchmark;
    }

    void clear()
    {
        for (Benchmark *benchmark : benchmarks_) {
            delete benchmark;
        }
        benchmarks_.clear();
    }

    std::vector<Case> cases() const
    {
        std::vector<Case> cases;
        std::map<std::string, int> seen;
        for (Benchmark *benchmark : benchmarks_) {
            const Settings &settings = benchmark->settings();
            const std::vector<Arguments> none(1);
            const std::vector<int> alone(1, 1);
            for (const Arguments &arguments : settings.arguments.empty() ? none : settings.arguments) {
                for (const int threads : settings.threads.empty() ? alone : settings.threads) {
                    Case made = make(benchmark, arguments, threads);
                    const int before = seen[settings.name + '\n' + made.parameters]++;
                    if (before > 0) {
                        // Two of one name, differing in what isn't part of it: the second needs one of its own.
                        append(made.parameters, '#' + std::to_string(before + 1));
                    }
                    made.full_name = settings.name + (made.parameters.empty() ? "" : "/") + made.parameters;
                    if (is_chosen(made.full_name)) {
                        cases.push_back(std::move(made));
                    }
                }
            }
        }
        return cases;
    }

    /// What all benchmarks together asked for in vain.
    unsigned ignored() const
    {
        unsigned all = also_ignored;
        for (Benchmark *benchmark : benchmarks_) {
            all |= benchmark->settings().ignored;
        }
        return all;
    }

    /// `name=value` of AddCustomContext.
    std::vector<std::string> context;
    /// What the program itself chooses, see SetBenchmarkFilter.
    std::string filter;
    /// The unit of benchmarks that name none; null for none.
    const char *unit = nullptr;
    /// What the program, and none of its benchmarks, asked for in vain.
    unsigned also_ignored = 0;

private:
    std::vector<Benchmark *> benchmarks_;

    bool is_chosen(const std::string &name) const
    {
        const bool is_negative = !filter.empty() && filter[0] == '-';
        const std::string pattern = filter.substr(is_negative ? 1 : 0);
        regex_t compiled;
        // All of them, as for Google Benchmark; a pattern that is none chooses nothing wrongly.
        if (pattern.empty() || pattern == "all" || regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
            return true;
        }
        const bool matches = regexec(&compiled, name.c_str(), 0, nullptr, 0) == 0;
        regfree(&compiled);
        return matches != is_negative;
    }

    static void append(std::string &text, const std::string &part) { text += (text.empty() ? "" : "/") + part; }

    static Case make(Benchmark *benchmark, const Arguments &arguments, int threads)
    {
        const Settings &settings = benchmark->settings();
        Case made{benchmark, arguments, threads, "", {}, {}, ""};
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const std::string value = std::to_string(arguments[i]);
            const bool is_named = i < settings.argument_names.size() && !settings.argument_names[i].empty();
            append(made.parameters, is_named ? settings.argument_names[i] + ':' + value : value);
            made.names.push_back(is_named ? settings.argument_names[i] : "range(" + std::to_string(i) + ')');
            made.values.push_back(value);
        }
        if (settings.iterations > 0) {
            append(made.parameters, "iterations:" + std::to_string(settings.iterations));
        }
        if (!settings.threads.empty()) {
            append(made.parameters, "threads:" + std::to_string(threads));
            made.names.push_back("threads");
            made.values.push_back(std::to_string(threads));
        }
        return made;
    }
};

inline Benchmark *add(Benchmark *benchmark, const char *file, int line)
{
    return Registry::instance().add(benchmark, file, line);
}

template <class Function> Benchmark *add_function(const char *name, Function function, const char *file, int line)
{
    return add(new FunctionBenchmark<Function>(name, std::move(function)), file, line);
}

/// So that the name of an overloaded function or of a template can be resolved.
inline Benchmark *add_plain(const char *name, void (*function)(State &), const char *file, int line)
{
    return add_function(name, function, file, line);
}

} // namespace detail

/// Registers a benchmark while the program runs: `function(state, arguments...)`.
template <class Function, class... Extra>
Benchmark *RegisterBenchmark(const std::string &name, Function &&function, Extra &&...arguments)
{
    if constexpr (sizeof...(Extra) == 0) {
        return detail::add_function<std::decay_t<Function>>(name.c_str(), std::forward<Function>(function), "", 0);
    } else {
        auto bound = [=](State &state) { function(state, arguments...); };
        return detail::add_function(name.c_str(), std::move(bound), "", 0);
    }
}

/// The same for an object of a class that derives from Benchmark; the registry owns it.
inline Benchmark *RegisterBenchmarkInternal(Benchmark *benchmark) { return detail::add(benchmark, "", 0); }

inline Benchmark *RegisterBenchmarkInternal(std::unique_ptr<Benchmark> benchmark) { return detail::add(benchmark.release(), "", 0); }

/// Forgets all of them.
inline void ClearRegisteredBenchmarks() { detail::Registry::instance().clear(); }

/// A fact about the surroundings, shown with the runtime's own.
inline void AddCustomContext(const std::string &name, const std::string &value)
{
    detail::Registry::instance().context.push_back(name + '=' + value);
}

} // namespace tare
