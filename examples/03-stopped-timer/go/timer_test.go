package stoppedtimer

import (
	"strconv"
	"sync/atomic"
	"testing"
)

var sizes = []int{1, 10, 100, 1000}

// BenchmarkAdd is n atomic additions.
func BenchmarkAdd(b *testing.B) {
	for _, n := range sizes {
		b.Run("n="+strconv.Itoa(n), func(b *testing.B) {
			var sum int32
			for i := 0; i < b.N; i++ {
				for j := 0; j < n; j++ {
					atomic.AddInt32(&sum, 1)
				}
			}
		})
	}
}

// BenchmarkStoppedAdd is the same with a timer that is stopped and started in each iteration.
func BenchmarkStoppedAdd(b *testing.B) {
	for _, n := range sizes {
		b.Run("n="+strconv.Itoa(n), func(b *testing.B) {
			var sum int32
			for i := 0; i < b.N; i++ {
				b.StopTimer()
				b.StartTimer()
				for j := 0; j < n; j++ {
					atomic.AddInt32(&sum, 1)
				}
			}
		})
	}
}
