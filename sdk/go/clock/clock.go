// Package clock has clocks for programs that ask for the time often: read once in each turn of a loop, or set by hand in a test.
//
//	now := clock.NewTickClock(clock.WallClock{})
//	defer now.End()
//	for event := range events {
//		now.Tick()
//		handle(event, now) // now.Now() as often as you like
//	}
//
// docs/tick-clock.md has the contract and what it costs.
package clock

import (
	"sync"
	"sync/atomic"
	"time"
)

// A Clock tells the time. Its method value goes wherever a func() time.Time is asked for.
type Clock interface {
	Now() time.Time
}

// WallClock is the system's clock as time.Now has it: a date that is set by people and by NTP and may go back, with a monotonic reading beside
// it, which differences are made from. Every call reads both.
type WallClock struct{}

// Now is time.Now.
func (WallClock) Now() time.Time { return time.Now() }

// MonotonicClock never goes back: its date is that of the system when the clock was made, plus the time passed since, whatever is done to
// the system's date meanwhile. Every call reads the monotonic clock, and only that. The zero value isn't ready; use NewMonotonicClock.
type MonotonicClock struct{ start time.Time }

// NewMonotonicClock makes a clock that starts at the system's date.
func NewMonotonicClock() MonotonicClock { return MonotonicClock{time.Now()} }

// Now is the start plus the time passed since.
func (c MonotonicClock) Now() time.Time { return c.start.Add(time.Since(c.start)) }

// TickClock reads its source at each Tick, once for each turn of a loop.
//
//   - Within a tick every Now gives the same instant, in every goroutine.
//   - It is read by Tick, so it is never older than the tick.
//   - Before the first Tick and after End every Now is a fresh one.
//   - Where the source panics, so does Tick, and the clock is outside a tick.
//   - Any goroutine may call Now at any time. One goroutine calls Tick and End: with several, the older of two readings that were made at
//     the same moment may be the one that stays.
//
// A tick allocates one time.Time. A TickClock must not be copied.
type TickClock struct {
	held   atomic.Pointer[time.Time]
	source Clock
}

// NewTickClock makes a clock over source, or over a WallClock where source is nil.
func NewTickClock(source Clock) *TickClock {
	if source == nil {
		source = WallClock{}
	}
	return &TickClock{source: source}
}

// Now is the instant of the tick, or outside one a fresh reading.
func (c *TickClock) Now() time.Time {
	if held := c.held.Load(); held != nil {
		return *held
	}
	return c.source.Now()
}

// Tick begins a turn: it reads the source.
func (c *TickClock) Tick() {
	var read *time.Time
	// Also where the source panics: nil then, so that the last tick's instant doesn't stay. Not before it is read either, or another
	// goroutine could meanwhile read a later instant than the one that this tick will have.
	defer func() { c.held.Store(read) }()
	now := c.source.Now()
	read = &now
}

// End leaves the loop: every Now is a fresh one until the next Tick.
func (c *TickClock) End() { c.held.Store(nil) }

// ManualClock stands still until it is moved: for tests. Any goroutine may use it. The zero value shows the zero time.
type ManualClock struct {
	lock sync.Mutex
	now  time.Time
}

// NewManualClock makes a clock that shows now.
func NewManualClock(now time.Time) *ManualClock { return &ManualClock{now: now} }

// Now is what it was set to.
func (c *ManualClock) Now() time.Time {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.now
}

// Advance lets time pass. It panics for less than 0: time doesn't go back; Step is for a clock that is set back.
func (c *ManualClock) Advance(passed time.Duration) {
	if passed < 0 {
		panic("clock: Advance(" + passed.String() + ") would go back; Step sets the clock back on purpose")
	}
	c.Step(passed)
}

// Set lets time pass until the clock shows now. It panics when it shows more already.
func (c *ManualClock) Set(now time.Time) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if now.Before(c.now) {
		panic("clock: Set(" + now.String() + ") would go back from " + c.now.String() + "; Step sets the clock back on purpose")
	}
	c.now = now
}

// Step is somebody setting the clock: forwards, or back.
func (c *ManualClock) Step(by time.Duration) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.now = c.now.Add(by)
}
