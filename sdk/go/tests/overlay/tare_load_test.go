package testing

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
)

// Work under load on simulated time. scripts/check-go puts this file beside those of the overlay, in the package that they are made for.

// What the overlay learns from the toolchain when it is made.
const (
	tareStoppedTimer = "cheap"
	tareCheapTimer   = true
)

type tareSimulated struct{ now int64 }

func (s *tareSimulated) takes(nanoseconds int64) func(int, int) error {
	return func(int, int) error { s.now += nanoseconds; return nil }
}

type tareSlice struct {
	Operation, Slice, Late   int64
	Latencies, Times, Failed []int64
	Failures, Messages       []string
}

// done does the work of one worker, and gives it back with the slices that it told.
func (s *tareSimulated) done(t *T, bodies []func(int, int) error, order tareWork) (*tareWork, []tareSlice) {
	out, err := os.CreateTemp(t.TempDir(), "wire")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	tareLoad.bodies = map[int64]func(int, int) error{}
	for number, body := range bodies {
		tareLoad.bodies[int64(number)] = body
	}
	s.now = 0
	order.w = &tareWorker{wire: &tareWire{out: out}}
	order.now = func() int64 { return s.now }
	order.wait = func(until int64) { s.now = max(s.now, until) }
	order.run()
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	var slices []tareSlice
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var slice tareSlice
		if err := json.Unmarshal([]byte(line), &slice); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		slices = append(slices, slice)
	}
	return &order, slices
}

func tareSame(t *T, expected, got any) {
	t.Helper()
	if !reflect.DeepEqual(expected, got) {
		t.Errorf("expected %v, got %v", expected, got)
	}
}

const tareSecond = int64(1_000_000_000)

// 50 a second for 20 s; what begins from 5 s to 7 s ends at 7 s.
func TestTareAStallIsInTheLatenciesOfAllThatWasDueMeanwhile(t *T) {
	var time tareSimulated
	stall := func(int, int) error {
		if time.now >= 5*tareSecond && time.now < 7*tareSecond {
			time.now = 7 * tareSecond
		}
		return nil
	}
	work, slices := time.done(t, []func(int, int) error{stall},
		tareWork{pattern: []int64{0}, gaps: []int64{20_000_000}, duration: 20 * tareSecond, slice: tareSecond})
	expected, got := map[int64]int64{}, map[int64]int64{}
	for due := int64(0); due < 20*tareSecond; due += 20_000_000 {
		latency := int64(0)
		if due >= 5*tareSecond && due < 7*tareSecond {
			latency = 7*tareSecond - due
		}
		expected[tareLowest(tareBucket(latency))]++
	}
	var late int64
	var told []int64
	for _, slice := range slices {
		for i, latency := range slice.Latencies {
			got[latency] += slice.Times[i]
		}
		late += slice.Late
		told = append(told, slice.Slice)
	}
	tareSame(t, expected, got)
	tareSame(t, []int64{1000, 0}, []int64{work.begun, work.dropped})
	// All but the last of them, which was due 20 ms before the end of the stall, and those began more than a millisecond late.
	tareSame(t, int64(99), late)
	tareSame(t, []int64{0, 1, 2, 3, 4, 7}, told[:6])
}

func TestTareOperationsOfAClosedLoopFollowEachOtherInTheOrderOfThePattern(t *T) {
	var time tareSimulated
	work, slices := time.done(t, []func(int, int) error{time.takes(1000), time.takes(1500)},
		tareWork{pattern: []int64{0, 0, 1}, count: 7, slice: 1_000_000})
	tareSame(t, 2, len(slices))
	tareSame(t, [][]int64{{1000}, {5}, {1500}, {2}}, [][]int64{slices[0].Latencies, slices[0].Times, slices[1].Latencies, slices[1].Times})
	tareSame(t, []int64{7, 8000}, []int64{work.begun, work.ended})
}

func TestTareNoOperationBeginsAtTheEndAndWhatIsUnderWayEnds(t *T) {
	var time tareSimulated
	work, _ := time.done(t, []func(int, int) error{time.takes(300_000)},
		tareWork{pattern: []int64{0}, duration: 1_000_000, slice: 1_000_000})
	tareSame(t, []int64{4, 1_200_000}, []int64{work.begun, work.ended})
}

func TestTareWhatWasDueAndNeverBegunIsDropped(t *T) {
	var time tareSimulated
	for _, given := range []struct{ count, begun, dropped int64 }{{0, 10, 90}, {20, 10, 10}} {
		work, _ := time.done(t, []func(int, int) error{time.takes(10_000_000)},
			tareWork{pattern: []int64{0}, gaps: []int64{1_000_000}, count: given.count, duration: 100_000_000, slice: 1_000_000})
		tareSame(t, []int64{given.begun, given.dropped}, []int64{work.begun, work.dropped})
	}
}

func TestTareFailuresHaveNoLatencyAndAreToldByKind(t *T) {
	var time tareSimulated
	number := 0
	body := func(int, int) error {
		number++
		switch {
		case number == 4:
			panic("four")
		case number%2 == 0:
			return fmt.Errorf("number %d", number)
		}
		return nil
	}
	_, slices := time.done(t, []func(int, int) error{body}, tareWork{pattern: []int64{0}, count: 10, slice: 1_000_000})
	tareSame(t, []int64{5}, slices[0].Times)
	tareSame(t, []int64{4, 1}, slices[0].Failed)
	tareSame(t, []string{"number 2", "four"}, slices[0].Messages)
	tareSame(t, "panic", slices[0].Failures[1])
}

func TestTareWhatFailsAllTheTimeIsTriedLessAndLessOftenWhereThereIsAnEndInTime(t *T) {
	var time tareSimulated
	fails := func(int, int) error {
		time.now += 1000
		return fmt.Errorf("gone")
	}
	// Ten at once; then after 10, 20, … 640 ms and 1 s each.
	work, _ := time.done(t, []func(int, int) error{fails}, tareWork{pattern: []int64{0}, duration: 4 * tareSecond, slice: tareSecond})
	tareSame(t, int64(19), work.begun)
	// A number of operations is done as quickly as they fail, and an open loop keeps its times.
	work, _ = time.done(t, []func(int, int) error{fails}, tareWork{pattern: []int64{0}, count: 50, slice: tareSecond})
	tareSame(t, int64(50), work.begun)
	work, _ = time.done(t, []func(int, int) error{fails},
		tareWork{pattern: []int64{0}, gaps: []int64{20_000_000}, duration: 4 * tareSecond, slice: tareSecond})
	tareSame(t, int64(200), work.begun)
}

func TestTareFailuresOfOneKindTooManyAreOthersAndThoseBeforeKeepTheirNames(t *T) {
	var tally tareTally
	for round := 0; round < 2; round++ {
		for kind := 0; kind < tareMostKinds+3; kind++ {
			tally.fail(&tareError{fmt.Sprint("kind ", kind), fmt.Sprint("message ", kind)})
		}
	}
	tareSame(t, tareMostKinds+1, len(tally.kinds))
	for at := range tally.kinds[:tareMostKinds] {
		tareSame(t, []any{fmt.Sprint("kind ", at), fmt.Sprint("message ", at), int64(2)}, []any{tally.kinds[at], tally.messages[at], tally.failed[at]})
	}
	tareSame(t, []any{"other", int64(6)}, []any{tally.kinds[tareMostKinds], tally.failed[tareMostKinds]})
}

// The largest heap that Go knows counts from the start of the process, and holds what came before the benchmark.
func TestTareNoPeakIsToldThatDoesNotCountFromTheCaseOn(t *T) {
	if farewell := string(new(tareWorker).farewell(1).line()); strings.Contains(farewell, "runtime_peak_bytes") {
		t.Error(farewell)
	}
}

// A bucket is at most one part in 1,024 wide, and its lowest value is in it.
func TestTareBucketsKeepElevenBits(t *T) {
	for value := int64(1); value < tareLongestLatency; value += 1 + value/7 {
		lowest := tareLowest(tareBucket(value))
		if lowest > value || value-lowest > value/1024 || tareBucket(lowest) != tareBucket(value) {
			t.Fatalf("%d is put at %d", value, lowest)
		}
	}
	if bucket := tareBucket(tareLongestLatency); bucket >= tareLatencyCount {
		t.Fatalf("the longest latency has bucket %d of %d", bucket, tareLatencyCount)
	}
}
