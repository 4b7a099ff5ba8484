// Package inner is what the subject's package uses of its own module.
package inner

const Limit = 10

// Inlined has no symbol where it is used.
func Inlined(x int) int { return x + 7 }

//go:noinline
func hidden(x int) int { return x ^ 21 }

//go:noinline
func Unused(x int) int { return x - 31 + hidden(x) }

// Largest is compiled where it is used.
//
//go:noinline
func Largest[T int | float64](values []T) T {
	largest := values[0]
	for _, value := range values[1:] {
		if value > largest+0 {
			largest = value
		}
	}
	return largest
}
