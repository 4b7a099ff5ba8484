package testing

import (
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// tareLeaf is the benchmark that was prepared. Its parents are still running, each in its b.Run.
type tareLeaf struct {
	b        *B
	looped   bool
	parallel bool
	apart    bool // what the process uses is read around each sample's time
	looked   bool // it is known whether it litters
	litters  bool // it allocates outside its time, and not within
}

// tareOrder is one `run`.
type tareOrder struct {
	b           *B // nil for the clock
	iterations  []int64
	warm        int
	clock       bool
	allocations bool

	elapsed, pairs, allocs, bytes []int64
	stretch, running              tareStretch
	apart                         bool // what lies outside a sample's time isn't in stretch
	pausing                       bool // the timer was stopped in each call of a sample
	fault                         *tareFault
}

// reach runs the parents of a case down to it, and serves requests from within. The answer of `prepare` is nil when it was
// given there.
func (w *tareWorker) reach(target *tareCase, id int64) (*tareReply, *tareFault) {
	top, _, _ := strings.Cut(target.name, "/")
	var benchmarks []InternalBenchmark
	for _, benchmark := range w.benchmarks {
		if benchmark.Name == top || strings.HasPrefix(target.name, benchmark.Name+"/") {
			benchmarks = append(benchmarks, benchmark)
		}
	}
	w.target = target
	w.preparing = id
	w.goroutines = runtime.NumGoroutine()
	w.trouble = nil
	w.state = tarePreparing
	RunBenchmarks(tareAlways, benchmarks)
	w.state = tareIdle
	if w.leaf != nil {
		return nil, nil
	}
	if w.trouble != nil {
		return nil, w.trouble
	}
	return nil, &tareFault{
		kind:    "provider",
		message: target.name + " was there when the benchmarks were listed, and isn't now.",
		file:    target.file,
		line:    target.line,
		remedy:  "Let the benchmark call b.Run with the same names in every process: no random numbers, times or directory listings.",
	}
}

// reached serves requests until the benchmark is to finish; then its parents go on, and find nothing more to run.
func (w *tareWorker) reached(b *B) {
	w.leaf = &tareLeaf{b: b, looped: tareWatch.looped, parallel: tareWatch.parallel}
	w.leaf.apart = tareCheapTimer && w.leafHooks && tareMuchOutside(&w.leafWhole, &w.leafTimed)
	w.state = tareServing
	if !tareCounted {
		tareFreeShaken()
		runtime.GC()
	}
	w.profile()
	ready := tareFrame("ready").integer("id", w.preparing).boolean("pauses", w.leafPairs > 0)
	if tareCheapTimer {
		// testing's own timer doesn't tell.
		ready = ready.boolean("hooks", w.leafHooks)
	}
	w.wire.send(ready)
	w.wire.hold = true
	w.serve()
	w.wire.hold = false
	if w.orders != nil {
		close(w.orders)
		w.orders = nil
	}
}

// subject gives a subject of the scale as a benchmark, or nil where there is none of that name. It has the loop of the
// prepared case.
func (w *tareWorker) subject(name string) *B {
	looped := w.leaf != nil && w.leaf.looped
	var f func(b *B)
	switch {
	case name == "null" && looped:
		f = tareLoopNull
	case name == "null":
		f = tareNull
	case name == "pause" && looped:
		f = tareLoopPause
	case name == "pause":
		f = tarePause
	}
	for _, kernel := range tareKernels {
		if name == "kernel/"+kernel.name {
			f = kernel.f
		}
	}
	if f == nil {
		return nil
	}
	if w.scale == nil {
		// Made by testing itself, so that it has all that a benchmark has in this version of Go. One for all subjects: what the worker
		// keeps the collector has to scan, which decides when it begins (runtime/mgcpacer.go).
		before := w.state
		w.state = tareMaking
		Benchmark(f)
		w.state = before
		w.scale = w.made
		w.made = nil
	}
	w.scale.benchFunc = f
	return w.scale
}

// take has an order carried out by a goroutine that lasts until a benchmark ends it (b.FailNow, b.SkipNow).
func (w *tareWorker) take(order *tareOrder) *tareFault {
	count := len(order.iterations)
	order.elapsed = make([]int64, count)
	order.pairs = make([]int64, count)
	if order.allocations {
		order.allocs = make([]int64, count)
		order.bytes = make([]int64, count)
	}
	if w.orders == nil {
		w.orders = make(chan *tareOrder)
		w.done = make(chan bool)
		go tareSamples(w.orders, w.done)
	}
	before := w.state
	w.state = tareServing
	tareKeepAside()
	w.orders <- order
	lives := <-w.done
	w.state = before
	if !lives {
		w.orders = nil
		tareWatch.b = nil
		if order.fault == nil && order.b != nil {
			order.fault = w.endedEarly(order.b)
		}
	}
	return order.fault
}

func (w *tareWorker) endedEarly(b *B) *tareFault {
	if fault := w.failure(b); fault != nil {
		return fault
	}
	message, file, line := tareLastLog(b)
	if b.skipped {
		return &tareFault{kind: "exception", message: b.name + " skipped itself: " + message, file: file, line: line}
	}
	return &tareFault{kind: "exception", message: b.name + " ended its goroutine."}
}

func tareSamples(orders chan *tareOrder, done chan bool) {
	ended := false
	defer func() {
		if !ended {
			done <- false
		}
	}()
	for order := range orders {
		order.carryOut()
		done <- true
	}
	ended = true
}

func (o *tareOrder) carryOut() {
	if b := o.b; b != nil {
		b.failed, b.skipped, b.finished, b.timerOn = false, false, false, false
	}
	count := len(o.iterations)
	for i := 0; i < o.warm && o.fault == nil; i++ {
		o.sample(i % count)
	}
	o.apart = o.apart && !o.pausing
	if !o.apart {
		o.stretch.begin()
	}
	for i := 0; i < count && o.fault == nil; i++ {
		o.sample(i)
	}
	if !o.apart {
		o.stretch.end()
	}
}

// tareLeastOutside is more than the first call of any code takes beside its time, in nanoseconds.
const tareLeastOutside = 100_000

// tareMuchOutside says whether a benchmark does much outside its time, or waits there. Around the samples of a turn, a set-up that sleeps would pass for a
// subject that waits, and of one that works the core would take a part for other processes' time.
func tareMuchOutside(whole, running *tareStretch) bool {
	return whole.known && running.known && whole.wall > running.wall+tareLeastOutside &&
		(whole.cpu > running.cpu+tareLeastOutside || whole.yields > running.yields)
}

func (o *tareOrder) sample(i int) {
	if o.clock {
		start := tareNow()
		end := tareNow()
		o.elapsed[i] = end - start
		return
	}
	b, n := o.b, int(o.iterations[i])
	b.output = b.output[:0]
	if leaf := tare.leaf; leaf != nil && leaf.b == b && leaf.parallel && tareCheapTimer && b.previousN < n/(4*tareSharedOut) {
		tareShareOut(b, n/tareSharedOut)
	}
	b.benchTime.n = n
	switch {
	case o.allocations:
		// testing's own timer: it reads the memory statistics whenever it starts and stops.
		b.runN(n)
		o.elapsed[i], o.allocs[i], o.bytes[i] = int64(b.duration), int64(b.netAllocs), int64(b.netBytes)
	case !tareCheapTimer:
		b.runN(n)
		o.elapsed[i] = int64(b.duration)
	default:
		var running *tareStretch
		if o.apart {
			o.running = tareStretch{}
			running = &o.running
		}
		tareBegin(b, running)
		b.runN(n)
		o.elapsed[i], o.pairs[i] = tareEnd()
		b.previousDuration = time.Duration(o.elapsed[i])
		o.pausing = o.pausing || n > 1 && o.pairs[i] >= int64(n)
		if o.apart {
			o.stretch.with(running)
		}
	}
	switch {
	case b.failed:
		o.fault = tare.failure(b)
	case tareCheapTimer && n >= tareManyCalls && tareWatch.resets > int64(n):
		o.fault = tareResetInLoop(b)
	}
}

// tareSharedOut is the part of a sample's calls that shows how long one takes.
const tareSharedOut = 64

// tareShareOut makes calls of a benchmark that works in parallel, for what they take. RunParallel hands out calls in portions that take 100 µs by the run
// before, of which testing's own timer tells; after a run of one call each is handed out by itself, and goroutines contend for the counter.
func tareShareOut(b *B, calls int) {
	b.benchTime.n = calls
	tareBegin(b, nil)
	b.runN(calls)
	elapsed, _ := tareEnd()
	b.previousDuration = time.Duration(elapsed)
}

// tareManyCalls is more than a benchmark resets its timer before the loop.
const tareManyCalls = 10

// tareResetInLoop is told of a benchmark that resets its timer in each call: what is left is the last call's time, for all of them.
func tareResetInLoop(b *B) *tareFault {
	file, line := tareSource(b.benchFunc)
	return &tareFault{
		kind:    "load",
		message: b.name + " calls b.ResetTimer in its loop, which drops the time of every call but the last.",
		file:    file,
		line:    line,
		remedy:  "Call b.ResetTimer once, before the loop. What is to be left out of each call stands between b.StopTimer and b.StartTimer.",
	}
}

// profile samples stacks from now on, where the core asks for it: never in a launch that is timed. Package testing can't import
// runtime/pprof, and has it through its dependencies.
func (w *tareWorker) profile() {
	path := os.Getenv("TARE_PROFILE")
	if path == "" || w.m == nil {
		return
	}
	if file, err := os.Create(path); err == nil {
		if w.m.deps.StartCPUProfile(file) == nil {
			w.profiling = file
		}
	}
}

// profiled writes what was sampled.
func (w *tareWorker) profiled() {
	if w.profiling != nil {
		w.m.deps.StopCPUProfile()
		w.profiling.Close()
		w.profiling = nil
	}
}

// farewell is the answer to `finish`: what the benchmark reported of itself. What the core would refuse is left out.
func (w *tareWorker) farewell(id int64) *tareReply {
	w.profiled()
	// Of its heap Go knows the largest size since the process began alone: that of a case isn't among what it counts.
	reply := tareFrame("finished").integer("id", id)
	if w.leaf == nil {
		return reply
	}
	b := w.leaf.b
	if b.bytes > 0 && b.bytes <= tareMaxInteger {
		reply.integer("bytes", b.bytes)
	}
	var metrics, labels []string
	for unit, value := range b.extra {
		if unit == "ns/op" && value == 0 {
			// What leaves it out of go's own line; it is no figure.
			labels = append(labels, "its author leaves ns/op out")
			continue
		}
		if !math.IsNaN(value) && !math.IsInf(value, 0) {
			metrics = append(metrics, unit+"="+strconv.FormatFloat(value, 'g', -1, 64))
			for i := len(metrics) - 1; i > 0 && metrics[i-1] > metrics[i]; i-- {
				metrics[i-1], metrics[i] = metrics[i], metrics[i-1]
			}
		}
	}
	if len(metrics) > 0 {
		reply.strings("metrics", metrics)
	}
	if w.leaf.parallel {
		processors := "GOMAXPROCS=" + strconv.Itoa(runtime.GOMAXPROCS(0))
		if runtime.GOMAXPROCS(0) == 1 {
			processors += " (more with --cpus)"
		}
		labels = append(labels, "parallel", processors)
	}
	if left := w.goroutinesLeft(); left > 0 {
		labels = append(labels, "left "+strconv.Itoa(left)+" goroutines running")
	}
	if len(labels) > 0 {
		reply.strings("labels", labels)
	}
	if b.showAllocResult {
		reply.boolean("allocations_asked", true)
	}
	return reply
}

// goroutinesLeft counts what the benchmark started and didn't end. One that is just ending gets a moment.
func (w *tareWorker) goroutinesLeft() int {
	left := 0
	for tries := 0; tries < 20; tries++ {
		if left = runtime.NumGoroutine() - w.goroutines; left <= 0 {
			return 0
		}
		time.Sleep(time.Millisecond)
	}
	return left
}
