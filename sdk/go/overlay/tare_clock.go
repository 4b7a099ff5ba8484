package testing

import (
	"runtime"
	"sync/atomic"
	"time"
	_ "unsafe" // for go:linkname
)

// tareNow reads the monotonic clock, in nanoseconds: one read, where time.Now makes two.
//
//go:linkname tareNow runtime.nanotime
func tareNow() int64

// tareWatch is the timer of the one benchmark that is being sampled. StartTimer, StopTimer, ResetTimer and Elapsed of
// that benchmark come here first; those of all others are testing's own, which stop the world to read the memory statistics.
var tareWatch struct {
	started   int64 // when the running stretch began; first, because atomic operations want it aligned
	b         *B    // whose timer it is; nil between samples
	elapsed   int64 // nanoseconds of the stretches that ended
	stretches int64 // how many began since the last reset
	stops     int64 // calls of StopTimer in this sample: testing makes one of them
	reset     bool  // the benchmark has reset its running timer in this sample
	resets    int64 // calls of ResetTimer in this sample; testing makes one of them
	looped    bool  // the benchmark counts by b.Loop
	parallel  bool  // the benchmark uses RunParallel
	// What the process uses while the timer runs; nil where it is read around all samples.
	running *tareStretch
}

// tareBegin makes b the benchmark that the watch times. What the process uses meanwhile is added to running, where that isn't nil.
func tareBegin(b *B, running *tareStretch) {
	tareWatch.elapsed = 0
	tareWatch.stretches = 0
	tareWatch.stops = 0
	tareWatch.reset = false
	tareWatch.resets = 0
	tareWatch.running = running
	tareWatch.b = b
}

// tareEnd returns what the watch shows, in nanoseconds, and how often the timer was stopped and started again.
func tareEnd() (elapsed, pairs int64) {
	tareWatch.b = nil
	tareWatch.running = nil
	return tareWatch.elapsed, max(0, tareWatch.stretches-1)
}

// tareOutside says whether the benchmark of the last sample did something outside its time: before it reset the timer, or after it stopped it.
func tareOutside() bool {
	return tareWatch.reset || tareWatch.stops > 1
}

// tareStart begins a stretch. The store is atomic for its barrier: what is measured would otherwise begin while the
// processor is still busy with the clock, and a part of it would hide there.
func tareStart() {
	tareWatch.stretches++
	if tareWatch.running != nil {
		tareWatch.running.begin()
	}
	atomic.StoreInt64(&tareWatch.started, tareNow())
}

// tareStopped is called when a stretch has ended.
func tareStopped() {
	if tareWatch.running != nil {
		tareWatch.running.end()
	}
}

// tareReset is ResetTimer without the memory statistics.
func tareReset(b *B) {
	if b.extra == nil {
		b.extra = make(map[string]float64, 16)
	} else {
		clear(b.extra)
	}
	b.duration = 0
	b.netAllocs = 0
	b.netBytes = 0
	tareWatch.resets++
	// testing itself resets a timer that stands still.
	tareWatch.reset = tareWatch.reset || b.timerOn
	tareWatch.elapsed = 0
	tareWatch.stretches = 0
	if tareWatch.running != nil {
		*tareWatch.running = tareStretch{}
	}
	if b.timerOn {
		tareStart()
	}
}

// tareElapsed is Elapsed by the watch.
func tareElapsed(b *B) time.Duration {
	elapsed := tareWatch.elapsed
	if b.timerOn {
		elapsed += tareNow() - tareWatch.started
	}
	return time.Duration(elapsed)
}

// tareCollect stands where testing collects garbage before each run of a benchmark function. Samples are made one after the
// other, and a collection between them would leave each with cold caches.
func tareCollect() {
	if tare == nil {
		runtime.GC()
	}
}
