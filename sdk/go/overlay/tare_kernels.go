package testing

import "strings"

// The reference subjects: fixed work of 1 to 5 µs whose time shows how fast machine and runtime are at the moment. Stored
// runs are compared by them, so their bodies must never change; a new kernel gets a new name.
var tareKernels = []struct {
	name string
	f    func(b *B)
}{
	{"arithmetic", func(b *B) {
		for i := 0; i < b.N; i++ {
			tareKernelArithmetic()
		}
	}},
	{"allocation", func(b *B) {
		for i := 0; i < b.N; i++ {
			tareKernelAllocation()
		}
	}},
	{"text", func(b *B) {
		for i := 0; i < b.N; i++ {
			tareKernelText()
		}
	}},
	{"arrays", func(b *B) {
		for i := 0; i < b.N; i++ {
			tareKernelArrays()
		}
	}},
}

// tareResult keeps the optimiser from dropping the work.
var tareResult struct {
	float float64
	text  string
	cell  *tareCell
	sum   int
}

// Integer and floating-point operations on local variables.
//
//go:noinline
func tareKernelArithmetic() {
	integer, float := uint64(12345), 1.0
	for i := 1; i < 512; i++ {
		integer = (integer*1103515245 + 12345) & 0x7fffffff
		float = float*1.0000001 + 1.0/float64(i)
	}
	tareResult.float = float + float64(integer)
}

type tareCell struct {
	before *tareCell
	values []int
}

// Cells and slices made and dropped.
//
//go:noinline
func tareKernelAllocation() {
	var kept *tareCell
	for i := 0; i < 16; i++ {
		kept = &tareCell{kept, make([]int, 4+i%4)}
	}
	tareResult.cell = kept
}

// Strings joined, cut, searched and changed.
//
//go:noinline
func tareKernelText() {
	const words = "the quick brown fox jumps over the lazy dog"
	joined, found := "", 0
	for i := 0; i < 8; i++ {
		joined += words[i:i+5] + " "
		found += strings.Index(joined, "zz")
	}
	tareResult.text = strings.ToUpper(strings.ReplaceAll(joined, "o", "00"))
	tareResult.sum = found
}

// An array filled, sorted and summed. The sorting is written out: that of the library changes with its version.
//
//go:noinline
func tareKernelArrays() {
	var values [64]int
	value := 17
	for i := range values {
		value = (value*31 + 7) % 101
		values[i] = value
	}
	for i := 1; i < len(values); i++ {
		for j := i; j > 0 && values[j-1] > values[j]; j-- {
			values[j-1], values[j] = values[j], values[j-1]
		}
	}
	sum := 0
	for _, value := range values {
		sum += value
	}
	tareResult.sum = sum
}
