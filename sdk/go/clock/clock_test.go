package clock

import (
	"strings"
	"sync"
	"testing"
	"time"
)

var epoch = time.Date(2020, 2, 29, 12, 0, 0, 0, time.UTC)

// counting is a manual clock that counts how often it is read, and can fail.
type counting struct {
	ManualClock
	readings int
	failing  bool
}

func (c *counting) Now() time.Time {
	if c.failing {
		panic("the source fails")
	}
	c.readings++
	return c.ManualClock.Now()
}

func simulated() (*counting, *TickClock) {
	source := &counting{ManualClock: ManualClock{now: epoch}}
	return source, NewTickClock(source)
}

func wantFresh(t *testing.T, source *counting, clock *TickClock) {
	t.Helper()
	for i := 0; i < 3; i++ {
		source.Advance(time.Second)
		if read, shows := clock.Now(), source.ManualClock.Now(); !read.Equal(shows) {
			t.Fatalf("read %v, the source shows %v", read, shows)
		}
	}
}

func TestWithinATickEveryReadIsOneInstantFromOneReading(t *testing.T) {
	source, clock := simulated()
	for tick := 1; tick <= 3; tick++ {
		clock.Tick()
		begun := source.ManualClock.Now()
		for i := 0; i < 3; i++ {
			if read := clock.Now(); !read.Equal(begun) {
				t.Fatalf("read %v in a tick of %v", read, begun)
			}
			source.Advance(time.Millisecond)
		}
		if source.readings != tick {
			t.Fatalf("%d readings in %d ticks", source.readings, tick)
		}
	}
}

func TestOutsideATickEveryReadIsFresh(t *testing.T) {
	source, clock := simulated()
	wantFresh(t, source, clock)
	for i := 0; i < 2; i++ {
		clock.Tick()
		clock.Tick()
		clock.End()
		clock.End()
		wantFresh(t, source, clock)
	}
}

func TestASourceThatIsSetBackGoesBackBetweenTicksOnly(t *testing.T) {
	source, clock := simulated()
	clock.Tick()
	source.Step(-time.Hour)
	if read := clock.Now(); !read.Equal(epoch) {
		t.Fatalf("went to %v within a tick", read)
	}
	clock.Tick()
	if read := clock.Now(); !read.Equal(epoch.Add(-time.Hour)) {
		t.Fatalf("%v after the next tick", read)
	}
}

// panics gives what f panics with.
func panics(t *testing.T, f func()) (value any) {
	t.Helper()
	defer func() {
		if value = recover(); value == nil {
			t.Fatal("no panic")
		}
	}()
	f()
	return nil
}

func TestASourceThatPanicsLeavesNothing(t *testing.T) {
	source, clock := simulated()
	clock.Tick()
	source.failing = true
	if value := panics(t, clock.Tick); value != "the source fails" {
		t.Fatalf("panicked with %v", value)
	}
	if value := panics(t, func() { clock.Now() }); value != "the source fails" {
		t.Fatalf("panicked with %v", value)
	}
	source.failing = false
	wantFresh(t, source, clock)
}

func TestALoopThatPanicsLeavesFreshReads(t *testing.T) {
	source, clock := simulated()
	panics(t, func() {
		defer clock.End()
		clock.Tick()
		panic("in a turn")
	})
	wantFresh(t, source, clock)
}

func TestAfterAnInnerLoopTheOuterTurnReadsFresh(t *testing.T) {
	source, clock := simulated()
	clock.Tick()
	source.Advance(time.Second)
	func() {
		defer clock.End()
		clock.Tick()
		if read := clock.Now(); !read.Equal(epoch.Add(time.Second)) {
			t.Fatalf("%v in the inner loop", read)
		}
	}()
	wantFresh(t, source, clock)
	clock.Tick()
	begun := clock.Now()
	source.Advance(time.Second)
	if read := clock.Now(); !read.Equal(begun) {
		t.Fatalf("%v in a tick of %v", read, begun)
	}
}

// Under the race detector this shows that reads need no lock; anywhere, that no reader ever sees the clock go back.
func TestGoroutinesReadWhileOneTicks(t *testing.T) {
	source := NewManualClock(epoch)
	clock := NewTickClock(source)
	clock.Tick()
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for i := 0; i < 4; i++ {
		readers.Add(1)
		go func() {
			defer readers.Done()
			last := epoch
			for {
				read := clock.Now()
				if read.Before(last) {
					t.Errorf("%v after %v", read, last)
					return
				}
				last = read
				select {
				case <-stop:
					return
				default:
				}
			}
		}()
	}
	for i := 0; i < 10_000; i++ {
		source.Advance(time.Microsecond)
		clock.Tick()
	}
	close(stop)
	readers.Wait()
	if read, want := clock.Now(), epoch.Add(10*time.Millisecond); !read.Equal(want) {
		t.Errorf("%v instead of %v", read, want)
	}
}

func TestAManualClockGoesBackOnlyOnPurpose(t *testing.T) {
	clock := NewManualClock(epoch)
	clock.Advance(0)
	clock.Set(epoch)
	clock.Set(epoch.Add(time.Minute))
	for _, move := range []func(){func() { clock.Advance(-1) }, func() { clock.Set(epoch) }} {
		if said := panics(t, move).(string); !strings.Contains(said, "would go back") || !strings.Contains(said, "Step") {
			t.Errorf("panicked with %s", said)
		}
	}
	// The lock is free again.
	clock.Step(-2 * time.Minute)
	if read, want := clock.Now(), epoch.Add(-time.Minute); !read.Equal(want) {
		t.Errorf("%v instead of %v", read, want)
	}
}

func TestAMonotonicClockNeverGoesBack(t *testing.T) {
	clock := NewMonotonicClock()
	last := clock.Now()
	for i := 0; i < 1000; i++ {
		now := clock.Now()
		// Without the monotonic reading: what the dates say.
		if now.Round(0).Before(last.Round(0)) || now.Before(last) {
			t.Fatalf("%v after %v", now, last)
		}
		last = now
	}
}

func TestWithoutASourceItIsTheSystemsClock(t *testing.T) {
	clock := NewTickClock(nil)
	before := time.Now()
	clock.Tick()
	after := time.Now()
	if read := clock.Now(); read.Before(before) || read.After(after) {
		t.Errorf("%v is not from %v to %v", read, before, after)
	}
	var _ func() time.Time = clock.Now
	var _ = []Clock{clock, WallClock{}, NewMonotonicClock(), NewManualClock(epoch)}
}
