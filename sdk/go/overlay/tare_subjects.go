package testing

// The subjects of the scale are ordinary benchmark functions: they are called by the code that calls the user's, and their
// loops are the user's.

// tareNull counts by b.N and does nothing.
func tareNull(b *B) {
	for i := 0; i < b.N; i++ {
	}
}

// tarePause stops and starts the timer in each call.
func tarePause(b *B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		b.StartTimer()
	}
}

// tareLoopNull and tareLoopPause count by b.Loop; nil where this version of Go has none.
var tareLoopNull, tareLoopPause func(b *B)
