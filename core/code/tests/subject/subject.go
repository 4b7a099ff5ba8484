// Package subject has a function for each way in which a benchmark reaches code.
package subject

import (
	_ "embed"
	"reflect"
	"runtime"
	_ "unsafe"

	"example.com/subject/inner"
	"example.com/vendored"
)

//go:embed data.txt
var embedded string

var variable = 40

var registry []func(int) int

func init() {
	registry = append(registry, func(x int) int { return x + 51 })
}

type worker interface{ work(int) int }

type called struct{ n int }

func (c called) work(x int) int { return c.n + x + 61 }

func (c called) unused(x int) int { return c.n + x + 71 }

type found struct{ n int }

func (f found) Found(x int) int { return f.n + x + 81 }

func (f found) Other(x int) int { return f.n + x + 82 }

var workers = []worker{called{1}}

//go:linkname hidden example.com/subject/inner.hidden
func hidden(x int) int

func assembled(x int) int

//go:noinline
func untouched(x int) int { return x + 91 }

//go:noinline
func executed(x int) int { return x + 101 }

//go:noinline
func constant(x int) int { return x % inner.Limit }

//go:noinline
func inlined(x int) int { return inner.Inlined(x) * 2 }

//go:noinline
func interfaced(x int) int { return workers[x&0].work(x) }

//go:noinline
func reflected(x int) int {
	method := reflect.ValueOf(found{1}).MethodByName("Found")
	return int(method.Call([]reflect.Value{reflect.ValueOf(x)})[0].Int())
}

//go:noinline
func generic(x int) int { return inner.Largest([]int{x, 1, 2}) }

//go:noinline
func closed(x int) func(int) int { return func(y int) int { return x + y + 111 } }

//go:noinline
func closure(x int) int { return closed(x)(x) }

//go:noinline
func initial(x int) int { return x + variable }

//go:noinline
func embeds(x int) int { return x + len(embedded) + int(embedded[0]) }

//go:noinline
func fromVendor(x int) int { return vendored.Scaled(x) }

//go:noinline
func registered(x int) int { return registry[0](x) }

//go:noinline
func caller(x int) int {
	_, _, line, _ := runtime.Caller(0)
	return line + x
}

type asker interface{ asked(int) int }

var values = []any{called{1}, found{1}}

//go:noinline
func asks(x int) int {
	if value, is := values[x&1].(asker); is {
		return value.asked(x)
	}
	return 0
}

//go:noinline
func counts(x int) int { return x + reflect.TypeOf(values[x&1]).NumMethod() }

// Unused is called by no benchmark.
//
//go:noinline
func Unused(x int) int { return inner.Unused(x) + called{x}.unused(121) }
