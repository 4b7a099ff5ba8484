package clock

import (
	"testing"
	"time"
)

var (
	seen   time.Time
	system Clock = WallClock{}
)

// What a read costs: time.Now, the same behind the interface, and a TickClock's.
func BenchmarkNow(b *testing.B) {
	held := NewTickClock(nil)
	held.Tick()
	var behind Clock = held
	b.Run("fresh", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			seen = time.Now()
		}
	})
	b.Run("tick", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			seen = held.Now()
		}
	})
	b.Run("fresh_behind_an_interface", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			seen = system.Now()
		}
	})
	b.Run("tick_behind_an_interface", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			seen = behind.Now()
		}
	})
	b.Run("tick_and_read", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			held.Tick()
			seen = held.Now()
		}
	})
}
