// Values of every shape can be kept: they must compile, and survive.
#include <tare/benchmark.h>

#include <complex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

template <std::size_t Size> struct Bytes {
    char bytes[Size];
};
struct Empty {};
enum class Colour { red };
struct Virtual {
    virtual ~Virtual() = default;
    int held = 7;
};
using Member = int Virtual::*;

template <class T> void keep_all(T &value)
{
    const T &constant = value;
    benchmark::DoNotOptimize(value);
    benchmark::DoNotOptimize(constant);
    tare::keep(value);
    tare::keep(constant);
}

int function() { return 3; }

void kept(benchmark::State &state)
{
    bool is_true = true;
    char letter = 'x';
    short small = -2;
    long long large = 1LL << 60;
    float narrow = 1.5f;
    double wide = 2.5;
    long double wider = 3.5L;
    Colour colour = Colour::red;
    int *pointer = nullptr;
    decltype(nullptr) null = nullptr;
    Member member = &Virtual::held;
    int (*called)() = function;
    Empty empty;
    Bytes<1> one{};
    Bytes<2> two{};
    Bytes<3> three{};
    Bytes<5> five{};
    Bytes<8> eight{};
    Bytes<100> hundred{};
    int array[3] = {1, 2, 3};
    std::complex<float> complex(1, 2);
    std::pair<int, int> pair(1, 2);
    std::string text = "text";
    std::string_view view = text;
    std::vector<int> vector(3, 1);
    auto iterator = vector.begin();
    Virtual object;
    for (auto _ : state) {
        keep_all(is_true), keep_all(letter), keep_all(small), keep_all(large), keep_all(narrow), keep_all(wide), keep_all(wider);
        keep_all(colour), keep_all(pointer), keep_all(null), keep_all(member), keep_all(called), keep_all(empty), keep_all(one);
        keep_all(two), keep_all(three), keep_all(five), keep_all(eight), keep_all(hundred), keep_all(array), keep_all(complex);
        keep_all(pair), keep_all(text), keep_all(view), keep_all(vector), keep_all(iterator), keep_all(object);
        benchmark::DoNotOptimize("literal");
        benchmark::DoNotOptimize(std::string("temporary"));
        benchmark::DoNotOptimize(function());
        tare::keep(1.0 / 3);
        tare::keep(std::vector<int>(2));
    }
    const bool is_intact = is_true && letter == 'x' && small == -2 && large == 1LL << 60 && narrow == 1.5f && wide == 2.5 && wider == 3.5L
        && pointer == nullptr && object.*member == 7 && called() == 3 && array[2] == 3 && complex.imag() == 2 && pair.second == 2
        && view == "text" && *iterator == 1 && tare::opaque(5) == 5 && tare::opaque(text) == "text";
    if (!is_intact) {
        state.SkipWithError("a value has changed");
    }
}
BENCHMARK(kept);

} // namespace

BENCHMARK_MAIN();
