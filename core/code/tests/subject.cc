// What the tests compile, in variants by macros.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#define CASE extern "C" __attribute__((noinline, used))
#define APART __attribute__((noinline, noclone))

volatile int sink;

// Grows, and pushes what is behind it.
CASE int grown(int x)
{
    x = x * 7 + 1;
#ifdef GROWN
    for (int i = 0; i < x; ++i)
        sink = sink + i * (x ^ 0x1234567);
    puts("grown");
#endif
    return x;
}

#ifndef CONSTANT
#define CONSTANT 1000003
#endif
CASE int constant(int x) { return (x ^ 12345) * CONSTANT; }

#ifndef DEEP
#define DEEP 77777
#endif
APART static int deepest(int x) { sink = x; return x ^ DEEP; }
APART static int deeper(int x) { sink = x + 1; return deepest(x) + 1; }
CASE int deep(int x) { sink = x + 2; return deeper(x) + 2; }

struct Base { virtual ~Base() {} virtual int run(int x) = 0; };
struct Derived : Base { int run(int x) override { return deepest(x) * 3; } };
Base *volatile object = new Derived;
CASE int virtually(int x) { return object->run(x) + 1; }
CASE int made(int x) { Derived *made = new Derived; Base *volatile kept = made; x = kept->run(x); delete kept; return x; }
std::function<int(int)> held = [](int x) { return deepest(x) + 5; };
CASE int function(int x) { return held(x) + 1; }
int (*volatile pointer)(int) = deepest;
CASE int pointed(int x) { return pointer(x) + 1; }

#ifdef SWAPPED
#define FIRST 1
#define SECOND 0
#else
#define FIRST 0
#define SECOND 1
#endif
CASE int switched(int x)
{
    switch (x) {
    case FIRST: sink = 3; return sink * 17;
    case SECOND: puts("one"); return 4;
    case 2: sink = sink * sink; return sink;
    case 3: puts("three"); return 8 ^ sink;
    case 4: sink = sink / 3; return 2;
    case 5: puts("five"); return sink + 1;
    case 6: sink = sink % 7; return 1;
    case 7: sink = sink << 5; return 9;
    }
    return 0;
}

#ifndef TEXT
#define TEXT "the text"
#endif
CASE int text(int x) { puts(TEXT); return x; }

#ifndef BEHIND
#define BEHIND "behind"
#endif
CASE int zero_within(int x) { fwrite("before\0" BEHIND, 1, 13, stdout); return x; }

#ifndef ENTRY
#define ENTRY 13
#endif
static const int table[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, ENTRY, 7, 9, 3};
CASE int looked_up(unsigned x) { return table[x % 16]; }
CASE int looked_up_from(int x) { return table[x - 'a']; }

// Where addresses are fixed, one stands in the code that lies in what is beside it, or in no data.
#ifndef FAR
#define FAR 2
#endif
extern const long before_far[1100], behind_far[1100];
const long before_far[1100] = {1, 2};
static const long far_table[1100] = {FAR, 3};
const long behind_far[1100] = {4, 5};
CASE int looked_up_far(long x) { return far_table[x - 1000]; }
CASE int looked_up_farther(long x) { return far_table[x - 5000]; }

// Something else refers to a place within it.
#ifndef LATE
#define LATE "\004"
#endif
#define TEN(x) x x x x x x x x x x
#define LITERAL TEN(TEN(TEN("\001\002\003"))) LATE
CASE int literal(unsigned x) { return (LITERAL)[x % 3001]; }
CASE const char *within_literal() { return LITERAL + 8; }
#define PRINTED "A\0" LITERAL
CASE int printed_literal(unsigned x) { return (PRINTED)[x % 3003]; }
CASE const char *within_printed() { return PRINTED + 10; }

#ifndef NUMBER
#define NUMBER 2.5
#endif
CASE double number(double x) { return x * NUMBER; }

#ifndef CAUGHT
#define CAUGHT std::runtime_error
#endif
CASE int thrown(int x)
{
    try {
        if (x > 3)
            throw std::runtime_error("thrown");
        deeper(x);
    } catch (const CAUGHT &) {
        return 1;
    }
    return 2;
}

CASE int containers(int x)
{
    std::vector<int> numbers;
    std::unordered_map<int, std::string> names;
    for (int i = 0; i < x; ++i) {
        numbers.push_back(i);
        names[i] = std::to_string(i) + " of them";
    }
    return static_cast<int>(numbers.size() + names.size());
}

#ifndef LOCAL
#define LOCAL 5
#endif
static thread_local volatile int local = LOCAL;
CASE int of_thread(int x) { return local * x; }

// A library calls what only data tell.
int by_deepest(const void *one, const void *other) { return deepest(*(const int *)one) - deepest(*(const int *)other); }
int (*volatile order)(const void *, const void *) = by_deepest;
CASE int sorted(int x) { int two[] = {x, x + 1}; qsort(two, 2, sizeof(int), order); return two[0]; }

// Goes on where data say, as a fiber does.
void *volatile other_stack;
CASE int on_another_stack(int x)
{
    asm volatile("movq %%rsp, %%r11\n movq %0, %%rsp\n movq %%r11, %%rsp" : : "m"(other_stack) : "r11", "memory");
    return x;
}

// Compilers put functions in the order of the text or in reverse.
CASE int grown_too(int x)
{
#ifdef GROWN
    sink = sink * x + 99;
    sink = sink / (x | 1);
    sink = sink * x + 98;
    sink = sink / (x | 3);
    sink = sink * x + 97;
#endif
    return x * 5;
}

int main(int count, char **)
{
    return grown(count) + grown_too(count) + constant(count) + deep(count) + virtually(count) + made(count) + function(count) + pointed(count) +
        switched(count) + text(count) + static_cast<int>(looked_up(count)) + looked_up_from('a' + count) + zero_within(count) +
        static_cast<int>(number(count)) + looked_up_far(1000 + count) + looked_up_farther(5000 + count) + literal(count) + *within_literal() + printed_literal(count) + *within_printed() + thrown(count) + containers(count) +
        of_thread(count) + sorted(count) + on_another_stack(count);
}
