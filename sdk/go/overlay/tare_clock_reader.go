package testing

import (
	"runtime"
	"strconv"
	"time"
)

// Reads the clocks as a program does, and waits as it does (PROTOCOL 3, `read` and `wait`). Nothing is written or kept beyond
// buffers that are made before.

const (
	tareMostPairs  = 50000
	tareMostReads  = 1000000
	tareMostBlocks = 10000
	tareMostWaits  = 10000
	tareLongest    = 10000000000 // nanoseconds of a wait
)

var (
	tareReads = []string{"time.Now", "time.Since"}
	tareWaits = []string{"yield", "sleep"}
)

// tareOrigin is when the first reading of any clock was taken.
var tareOrigin time.Time

func (w *tareWorker) read(request *tareRequest) (*tareReply, *tareFault) {
	clock, fault := request.textOf("clock")
	if fault != nil {
		return nil, fault
	}
	var numbers [4]int64
	for i, wanted := range []struct {
		key         string
		least, most int64
	}{
		{"pairs", 1, tareMostPairs}, {"skip", 0, tareMostReads}, {"blocks", 0, tareMostBlocks}, {"reads", 1, tareMostReads},
	} {
		if numbers[i], fault = request.between(wanted.key, wanted.least, wanted.most); fault != nil {
			return nil, fault
		}
	}
	pairs, skip, blocks, reads := numbers[0], numbers[1], numbers[2], numbers[3]
	values, times, empty := make([]int64, 2*pairs), make([]int64, blocks), make([]int64, blocks)
	if tareOrigin.IsZero() {
		tareOrigin = time.Now()
	}
	// A collection in the midst would be taken for the clock's.
	runtime.GC()
	switch clock {
	case "time.Now":
		tareReadNow(values, skip, tareOrigin)
	case "time.Since":
		tareReadSince(values, skip, tareOrigin)
	default:
		return nil, tareBadRequest("There is no clock " + strconv.Quote(clock) + " to read.")
	}
	for i := range times {
		if clock == "time.Now" {
			times[i] = tareNowBlock(reads)
		} else {
			times[i] = tareSinceBlock(reads, tareOrigin)
		}
		empty[i] = tareEmptyBlock(reads)
	}
	reply := tareFrame("readings").integer("id", request.id).integers("values", values)
	return reply.integers("blocks", times).integers("empty", empty), nil
}

func tareReadNow(values []int64, skip int64, origin time.Time) {
	for i := 0; i < len(values); i += 2 {
		first := time.Now()
		second := time.Now()
		values[i] = int64(first.Sub(origin))
		values[i+1] = int64(second.Sub(origin))
		for k := int64(0); k < skip; k++ {
			time.Now()
		}
	}
}

func tareReadSince(values []int64, skip int64, origin time.Time) {
	for i := 0; i < len(values); i += 2 {
		first := time.Since(origin)
		second := time.Since(origin)
		values[i] = int64(first)
		values[i+1] = int64(second)
		for k := int64(0); k < skip; k++ {
			time.Since(origin)
		}
	}
}

func tareNowBlock(reads int64) int64 {
	start := tareNow()
	for i := int64(0); i < reads; i++ {
		time.Now()
	}
	return tareNow() - start
}

func tareSinceBlock(reads int64, origin time.Time) int64 {
	start := tareNow()
	for i := int64(0); i < reads; i++ {
		time.Since(origin)
	}
	return tareNow() - start
}

func tareEmptyBlock(reads int64) int64 {
	start := tareNow()
	for i := int64(0); i < reads; i++ {
	}
	return tareNow() - start
}

func (w *tareWorker) wait(request *tareRequest) (*tareReply, *tareFault) {
	call, fault := request.textOf("call")
	if fault != nil {
		return nil, fault
	}
	requested, fault := request.between("requested", -tareLongest, tareLongest)
	if fault != nil {
		return nil, fault
	}
	times, fault := request.between("times", 1, tareMostWaits)
	if fault != nil {
		return nil, fault
	}
	taken := make([]int64, times)
	switch call {
	case "yield":
		for i := range taken {
			start := tareNow()
			runtime.Gosched()
			taken[i] = tareNow() - start
		}
	case "sleep":
		for i := range taken {
			start := tareNow()
			time.Sleep(time.Duration(requested))
			taken[i] = tareNow() - start
		}
	default:
		return nil, tareBadRequest("There is no call " + strconv.Quote(call) + " to wait by.")
	}
	return tareFrame("waited").integer("id", request.id).integers("taken", taken), nil
}
