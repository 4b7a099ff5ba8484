package testing

import (
	"runtime"
	"strconv"
)

const (
	tareLongestPattern = 100_000
	tareMostWorkers    = 100_000
	tareShortestSlice  = 1_000_000
	tareLongestSlice   = 3_600_000_000_000
	tareLate           = 1_000_000
)

type tareOperation struct {
	suite, name string
	weight      int64
	body        func(worker, turn int) error
	file        string
	line        int
}

type tareAround struct {
	suite  string
	before func(worker, workers int) error
	after  func(worker int) error
}

// tareLoad answers the requests of the capability `operations`.
var tareLoad struct {
	operations []tareOperation
	around     []tareAround
	suite      string
	worker     int
	workers    int
	turn       int
	bodies     map[int64]func(worker, turn int) error
	epoch      int64
}

// TareOperation is called by the file that `tare load` adds to a package with functions Operation….
func TareOperation(suite, name string, weight int64, body func(worker, turn int) error, file string, line int) {
	tareLoad.operations = append(tareLoad.operations, tareOperation{suite, name, weight, body, file, line})
}

// TareAround likewise, with what stands around operations; nil where there is nothing.
func TareAround(suite string, before func(worker, workers int) error, after func(worker int) error) {
	tareLoad.around = append(tareLoad.around, tareAround{suite, before, after})
}

func (w *tareWorker) operations(request *tareRequest) (*tareReply, *tareFault) {
	if !w.loaded {
		return nil, tareBadRequest("Operations are known after `load`.")
	}
	for number, operation := range tareLoad.operations {
		w.wire.send(tareFrame("operation").integer("id", request.id).integer("operation", int64(number)).
			string("suite", operation.suite).string("name", operation.name).integer("weight", operation.weight).
			string("file", operation.file).integer("line", int64(operation.line)))
	}
	return tareFrame("listed").integer("id", request.id).integer("operations", int64(len(tareLoad.operations))), nil
}

func (w *tareWorker) connect(request *tareRequest) (*tareReply, *tareFault) {
	suite, fault := request.textOf("suite")
	if fault != nil {
		return nil, fault
	}
	workers, fault := request.between("workers", 1, tareMostWorkers)
	if fault != nil {
		return nil, fault
	}
	worker, fault := request.number("worker", workers-1)
	if fault != nil {
		return nil, fault
	}
	var turn int64
	if _, there := request.values["turn"]; there {
		if turn, fault = request.number("turn", tareMaxInteger); fault != nil {
			return nil, fault
		}
	}
	bodies := make(map[int64]func(worker, turn int) error)
	for number, operation := range tareLoad.operations {
		if operation.suite == suite {
			bodies[int64(number)] = operation.body
		}
	}
	switch {
	case !w.loaded:
		return nil, tareBadRequest("`connect` comes after `load`.")
	case len(bodies) == 0:
		return nil, tareBadRequest("There is no suite " + strconv.Quote(suite) + ".")
	case tareLoad.bodies != nil:
		return nil, tareBadRequest("`connect` may come once in a process.")
	}
	tareLoad.suite, tareLoad.bodies = suite, bodies
	tareLoad.worker, tareLoad.workers, tareLoad.turn = int(worker), int(workers), int(turn)
	for _, around := range tareLoad.around {
		if around.suite == suite && around.before != nil {
			err := tareCall(func() error { return around.before(tareLoad.worker, tareLoad.workers) })
			if err != nil {
				return nil, &tareFault{kind: "load", message: "SetUpOperations: " + err.message}
			}
		}
	}
	return tareFrame("connected").integer("id", request.id), nil
}

func (w *tareWorker) stamp(request *tareRequest) (*tareReply, *tareFault) {
	if tareLoad.epoch == 0 {
		tareLoad.epoch = tareNow()
	}
	return tareFrame("stamped").integer("id", request.id).integer("at", tareNow()-tareLoad.epoch), nil
}

// cleanUp is nil where there was nothing to clean, or it went well.
func (w *tareWorker) cleanUp() *tareFault {
	for _, around := range tareLoad.around {
		if tareLoad.bodies != nil && around.suite == tareLoad.suite && around.after != nil {
			if err := tareCall(func() error { return around.after(tareLoad.worker) }); err != nil {
				return &tareFault{kind: "exception", message: "CleanUpOperations: " + err.message}
			}
		}
	}
	return nil
}

func (w *tareWorker) work(request *tareRequest) (*tareReply, *tareFault) {
	order := tareWork{w: w, id: request.id, now: tareNow, wait: tareWaitUntil}
	var fault *tareFault
	integers := func(key string) (values []int64) {
		value := request.values[key]
		if fault == nil && (value.kind != tareIntegers || len(value.integers) > tareLongestPattern) {
			fault = request.wrong(key, "an array of 1 to 100000 integers")
		}
		for _, integer := range value.integers {
			if fault == nil && integer < 0 {
				fault = request.wrong(key, "an array of integers from 0")
			}
		}
		return value.integers
	}
	number := func(key string, least, most int64) (value int64) {
		if fault == nil {
			value, fault = request.between(key, least, most)
		}
		return value
	}
	order.start = number("start", 0, tareMaxInteger)
	order.pattern = integers("pattern")
	if _, open := request.values["gaps"]; open {
		order.gaps = integers("gaps")
	}
	if _, there := request.values["first"]; there {
		order.first = number("first", 0, tareMaxInteger)
	}
	order.count = number("count", 0, tareMaxInteger)
	order.duration = number("duration", 0, tareMaxInteger)
	order.slice = number("slice", tareShortestSlice, tareLongestSlice)
	if fault != nil {
		return nil, fault
	}
	moves := len(order.gaps) == 0
	for _, gap := range order.gaps {
		moves = moves || gap > 0
	}
	if !moves || order.count == 0 && order.duration == 0 {
		return nil, tareBadRequest("The work has no end: `count` and `duration`, or all of `gaps`, are 0.")
	}
	if tareLoad.bodies == nil {
		return nil, tareBadRequest("`work` comes after `connect`.")
	}
	for _, operation := range order.pattern {
		if tareLoad.bodies[operation] == nil {
			return nil, tareBadRequest("The suite has no operation " + strconv.FormatInt(operation, 10) + ".")
		}
	}
	if tareLoad.epoch == 0 {
		tareLoad.epoch = tareNow()
	}
	order.start += tareLoad.epoch
	order.run()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return tareFrame("worked").integer("id", request.id).integer("operations", order.begun).integer("ended", max(0, order.ended)).
		integer("dropped", order.dropped).integer("runtime_bytes", int64(memory.HeapAlloc)), nil
}

// tareError is what an operation returned or panicked with.
type tareError struct{ kind, message string }

func tareCall(body func() error) (failed *tareError) {
	defer func() {
		if panicked := recover(); panicked != nil {
			failed = &tareError{"panic", tarePrinted(panicked)}
		}
	}()
	if err := body(); err != nil {
		return &tareError{tareTypeOf(err), err.Error()}
	}
	return nil
}

// After so many failures in succession a closed loop that has an end in time waits before each other one, twice as long each time, in
// nanoseconds: what is gone isn't hammered.
const (
	tarePatience     = 10
	tareFirstPause   = int64(10_000_000)
	tareLongestPause = int64(1_000_000_000)
)

// tareWork is one `work` request; nanoseconds.
type tareWork struct {
	w                             *tareWorker
	id                            int64
	now                           func() int64
	wait                          func(int64)
	start, first, count, duration int64
	slice                         int64
	pattern, gaps                 []int64
	begun, ended, dropped         int64
	numbers                       []int64
	tallies                       map[int64]*tareTally
}

func (o *tareWork) run() {
	const forever = int64(1<<63 - 1)
	o.tallies = make(map[int64]*tareTally)
	steps := make([]func() error, 0, len(o.pattern))
	tallies := make([]*tareTally, 0, len(o.pattern))
	made := make(map[int64]func() error)
	for _, number := range o.pattern {
		if o.tallies[number] == nil {
			body := tareLoad.bodies[number]
			o.numbers = append(o.numbers, number)
			o.tallies[number] = &tareTally{counts: make([]uint32, tareLatencyCount)}
			made[number] = func() error { return body(tareLoad.worker, tareLoad.turn) }
		}
		steps, tallies = append(steps, made[number]), append(tallies, o.tallies[number])
	}
	open := len(o.gaps) > 0
	end, left, due := forever, forever, o.start+o.first
	if o.duration > 0 {
		end = o.start + o.duration
	}
	if o.count > 0 {
		left = o.count
	}
	at, gap, slice, sliceEnds := 0, 0, int64(0), o.start+o.slice
	failing, pause := 0, tareFirstPause
	advance := func() {
		due += o.gaps[gap]
		if gap++; gap == len(o.gaps) {
			gap = 0
		}
	}
	runtime.GC()
	o.wait(o.start)
	now := o.now()
	for left > 0 && now < end && !(open && due >= end) {
		intended := int64(0)
		if open {
			if due > now {
				o.wait(due)
			}
			intended = due
			advance()
		}
		step, tally := steps[at], tallies[at]
		if at++; at == len(steps) {
			at = 0
		}
		left--
		began := o.now()
		failed := tareCall(step)
		now = o.now()
		tareLoad.turn++
		o.begun++
		if now >= sliceEnds {
			if !o.tell(slice) {
				break
			}
			slice = (now - o.start) / o.slice
			sliceEnds = o.start + (slice+1)*o.slice
		}
		if failed != nil {
			tally.fail(failed)
		} else {
			from := began
			if open {
				from = intended
			}
			tally.counts[tareBucket(min(max(0, now-from), tareLongestLatency))]++
			tally.count++
		}
		if open && began-intended > tareLate {
			tally.late++
		}
		o.ended = now - o.start
		if failed == nil {
			failing, pause = 0, tareFirstPause
		} else if failing++; failing >= tarePatience && !open && o.duration > 0 {
			o.wait(min(now+pause, end))
			pause = min(2*pause, tareLongestPause)
			now = o.now()
		}
	}
	o.tell(slice)
	for ; open && left > 0 && due < end && due <= now; left-- {
		o.dropped++
		advance()
	}
}

// tell sends what there is, and says whether anybody reads it.
func (o *tareWork) tell(slice int64) bool {
	for _, number := range o.numbers {
		tally := o.tallies[number]
		if tally.count == 0 && len(tally.kinds) == 0 {
			continue
		}
		reply := tareFrame("slice").integer("id", o.id).integer("operation", number).integer("slice", slice).integer("late", tally.late)
		if tally.count > 0 {
			var values, times []int64
			for bucket, count := range tally.counts {
				if count > 0 {
					values, times = append(values, tareLowest(bucket)), append(times, int64(count))
					tally.counts[bucket] = 0
				}
			}
			reply.integers("latencies", values).integers("times", times)
		}
		if len(tally.kinds) > 0 {
			reply.strings("failures", tally.kinds).integers("failed", tally.failed).strings("messages", tally.messages)
		}
		o.w.wire.send(reply)
		tally.count, tally.late = 0, 0
		tally.kinds, tally.failed, tally.messages = nil, nil, nil
	}
	return !o.w.wire.closed
}
