// Every benchmark of the binary, and the cases that they make.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <regex.h>

#include "definition.h"
#include "utf8.h"

namespace tare {
namespace detail {

/// Longest name of a benchmark and of its parameters, in bytes: what the wire takes of a text has room for both.
inline constexpr std::size_t longest_name = 20000;

/// A benchmark with one set of arguments and one number of threads.
struct Case {
    Benchmark *benchmark;
    Arguments arguments;
    int threads;
    /// The names by which the core knows it.
    std::string name;
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

    /// What is chosen of all cases. What has the names of another one goes to `refused`; what was registered several times is one case.
    std::vector<Case> cases(std::vector<Case> &refused) const
    {
        std::vector<Case> all;
        for (Benchmark *benchmark : benchmarks_) {
            const Settings &settings = benchmark->settings();
            const std::vector<Arguments> none(1);
            const std::vector<int> alone(1, 1);
            std::set<std::pair<Arguments, int>> made;
            for (const Arguments &arguments : settings.arguments.empty() ? none : settings.arguments) {
                for (const int threads : settings.threads.empty() ? alone : settings.threads) {
                    if (made.insert({arguments, threads}).second) {
                        all.push_back(make(benchmark, arguments, threads));
                    }
                }
            }
        }
        // By what is beside the arguments, and then by their files; never by the order.
        tell_apart(all, settings_of);
        tell_apart(all, file_of);
        const std::map<std::string, int> counts = namesakes(all);
        std::vector<Case> cases;
        for (Case &made : all) {
            made.full_name = made.name + (made.parameters.empty() ? "" : "/") + made.parameters;
            if (is_chosen(made.full_name)) {
                (counts.at(key_of(made)) > 1 ? refused : cases).push_back(std::move(made));
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

    static void append(std::string &text, const std::string &part) { text += (text.empty() || part.empty() ? "" : "/") + part; }

    static std::string key_of(const Case &of) { return of.name + '\n' + of.parameters; }

    static std::map<std::string, int> namesakes(const std::vector<Case> &cases)
    {
        std::map<std::string, int> counts;
        for (const Case &of : cases) {
            ++counts[key_of(of)];
        }
        return counts;
    }

    /// Adds to a name that several have what `part` says of each, where it says different things.
    static void tell_apart(std::vector<Case> &cases, std::string (*part)(const Settings &))
    {
        std::map<std::string, std::set<std::string>> parts;
        for (const Case &of : cases) {
            parts[key_of(of)].insert(part(of.benchmark->settings()));
        }
        for (Case &of : cases) {
            if (parts.at(key_of(of)).size() > 1) {
                append(of.parameters, identifier(part(of.benchmark->settings()), longest_name));
            }
        }
    }

    /// In Google Benchmark's words.
    static std::string settings_of(const Settings &settings)
    {
        std::string text = (settings.ignored & cpu_time) != 0 ? "process_time" : "";
        append(text, settings.is_manual ? "manual_time" : settings.is_real_time ? "real_time" : "");
        return text;
    }

    static std::string file_of(const Settings &settings) { return settings.file.substr(settings.file.rfind('/') + 1); }

    static Case make(Benchmark *benchmark, const Arguments &arguments, int threads)
    {
        const Settings &settings = benchmark->settings();
        Case made{benchmark, arguments, threads, identifier(settings.name, longest_name), "", {}, {}, ""};
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
        made.parameters = identifier(made.parameters, longest_name);
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
