package subject_test

import (
	"testing"

	"example.com/subject"
)

func BenchmarkUnused(b *testing.B) {
	for i := range b.N {
		subject.Unused(i)
	}
}

func BenchmarkNested(b *testing.B) {
	b.Run("one", func(b *testing.B) {
		for i := range b.N {
			subject.Unused(i)
		}
	})
}
