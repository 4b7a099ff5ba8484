// As much of Tare's header as a walk through a program meets: a registry that constructors fill, and a `main` that leads into it. The whole header takes
// the compiler seconds for each variant.
#pragma once
#include <cstdio>
#include <cstdlib>

namespace tare {

struct State {
    long left;
    struct Iterator {
        State *state;
        bool operator!=(const Iterator &) const { return state->left-- > 0; }
        void operator++() {}
        int operator*() const { return 0; }
    };
    Iterator begin() { return {this}; }
    Iterator end() { return {this}; }
};

template <typename T> void DoNotOptimize(T &value) { asm volatile("" : "+r"(value) : : "memory"); }

namespace detail {

struct Entry {
    const char *name;
    void (*function)(State &);
    int line;
    Entry *next;
};

inline Entry *&first()
{
    static Entry *entry = nullptr;
    return entry;
}

__attribute__((noinline)) inline int add(const char *name, void (*function)(State &), const char *, int line)
{
    first() = new Entry{name, function, line, first()};
    return line;
}

__attribute__((noinline)) inline int run(int count)
{
    for (Entry *entry = first(); entry != nullptr; entry = entry->next) {
        State state{count};
        entry->function(state);
        std::puts(entry->name);
    }
    return 0;
}

} // namespace detail
} // namespace tare

#define BENCHMARK(function) static int registered_##function = ::tare::detail::add(#function, function, __FILE__, __LINE__)
#define BENCHMARK_MAIN() int main(int count, char **) { return ::tare::detail::run(count); }
