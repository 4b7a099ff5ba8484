//go:build go1.24

package testing

func init() {
	tareLoopNull = func(b *B) {
		for b.Loop() {
		}
	}
	tareLoopPause = func(b *B) {
		for b.Loop() {
			b.StopTimer()
			b.StartTimer()
		}
	}
}
