package clock

import (
	"testing"
	"time"
)

var seen time.Time

// BenchmarkNow: time.Now, a TickClock's Now, and a tick with its first read.
func BenchmarkNow(b *testing.B) {
	held := NewTickClock(nil)
	held.Tick()
	compare(b, time.Now, held)
}

// BenchmarkMonotonic is the same over a clock that reads half as much.
func BenchmarkMonotonic(b *testing.B) {
	source := NewMonotonicClock()
	held := NewTickClock(source)
	held.Tick()
	compare(b, source.Now, held)
}

// BenchmarkInterface is the first as code sees it that takes a Clock.
func BenchmarkInterface(b *testing.B) {
	held := NewTickClock(nil)
	held.Tick()
	for _, clock := range []struct {
		name string
		Clock
	}{{"fresh", WallClock{}}, {"tick", held}} {
		b.Run(clock.name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				seen = clock.Now()
			}
		})
	}
}

func compare(b *testing.B, fresh func() time.Time, held *TickClock) {
	b.Run("fresh", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			seen = fresh()
		}
	})
	b.Run("tick", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			seen = held.Now()
		}
	})
	b.Run("turn", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			held.Tick()
			seen = held.Now()
		}
	})
}
