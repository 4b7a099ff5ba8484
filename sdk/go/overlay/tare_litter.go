package testing

import "runtime"

// tareLeastLitter is what a set-up allocates for each sample at the least, in bytes, before a collection of it is worth one before each turn.
const tareLeastLitter = 2048

// tareSmallHeap is as much as may live, in bytes, where garbage is collected before each turn: of a large heap that would be most of the measurement.
const tareSmallHeap = 8 << 20

// tareFewCalls are enough to see whether calls allocate; a sample of fewer is long, or a look.
const tareFewCalls = 8

// collectLitter collects what set-ups have left before a turn of a benchmark whose calls allocate nothing. A set-up is made again for each sample, so that collections
// come within samples that they have nothing to do with, and at the same places in all launches: of equal code one side had four times as many of them as the
// other, and a mean that was 4 % larger. `go test` collects before each run, which has one set-up.
func (w *tareWorker) collectLitter(order *tareOrder) {
	leaf := w.leaf
	calls := order.iterations[0]
	if tareCounted || !w.leafHooks || leaf.parallel || calls < tareFewCalls {
		return
	}
	if !leaf.looked {
		leaf.looked = true
		look := &tareOrder{b: leaf.b, iterations: []int64{tareFewCalls}, allocations: true}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if w.take(look) != nil {
			// The samples themselves will tell.
			return
		}
		runtime.ReadMemStats(&after)
		outside := int64(after.TotalAlloc-before.TotalAlloc) - look.bytes[0]
		if look.allocs[0] < tareFewCalls && outside >= tareLeastLitter {
			runtime.GC()
			runtime.ReadMemStats(&after)
			leaf.litters = after.HeapAlloc <= tareSmallHeap
		}
		return
	}
	if leaf.litters {
		runtime.GC()
	}
}
