// Package means has subjects whose mean cost is another than that of a typical call.
package means

import "testing"

const turns = 60

var (
	number int
	bytes  []byte
	list   *node
)

type node struct {
	next *node
	rest [56]byte
}

// Live pointers, as a program has some. Without any, what Make192 costs under GOGC=400 hangs on a few hundred of them (decision 34), and the
// worker of Tare has more than go test.
var Pointers = make([]*node, 3000)

//go:noinline
func work(turns int) int {
	x := 1
	for i := 0; i < turns; i++ {
		x = (x*31 + i) & 0xffff
	}
	return x
}

// Calls of a process, not of one b.N: how many fall to a slow one doesn't depend on how they are split up.
var calls = map[int]*int{1 << 50: new(int), 5: new(int), 100: new(int), 10_000: new(int)}

// Each call that is a multiple of every does as much as all calls since the last one, once more.
func periodic(b *testing.B, every int) {
	made := calls[every]
	for i := 0; i < b.N; i++ {
		number = work(turns)
		if *made++; *made == every {
			*made = 0
			number = work(turns * every)
		}
	}
}

func BenchmarkEach(b *testing.B) {
	b.Run("none", func(b *testing.B) { periodic(b, 1<<50) })
	b.Run("5", func(b *testing.B) { periodic(b, 5) })
	b.Run("100", func(b *testing.B) { periodic(b, 100) })
	b.Run("10000", func(b *testing.B) { periodic(b, 10_000) })
}

func BenchmarkMake256(b *testing.B) {
	for i := 0; i < b.N; i++ {
		bytes = make([]byte, 256<<10)
	}
}

func BenchmarkMake192(b *testing.B) {
	for i := 0; i < b.N; i++ {
		bytes = make([]byte, 192<<10)
	}
}

func BenchmarkList(b *testing.B) {
	for i := 0; i < b.N; i++ {
		list = nil
		for k := 0; k < 20; k++ {
			list = &node{next: list}
		}
	}
}

// What loop and call cost.
func BenchmarkEmpty(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}
