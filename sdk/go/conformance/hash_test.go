// Package conformance is what the wire's vectors measure.
package conformance

import (
	"crypto/sha256"
	"hash/crc32"
	"testing"
)

var text = []byte("the quick brown fox jumps over the lazy dog")

func BenchmarkHash(b *testing.B) {
	b.Run("crc32", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for i := 0; i < b.N; i++ {
			crc32.ChecksumIEEE(text)
		}
	})
	b.Run("sha256", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for i := 0; i < b.N; i++ {
			sha256.Sum256(text)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	for i := 0; i < b.N; i++ {
		text := []byte{}
		for j := 0; j < 100; j++ {
			b.StopTimer()
			b.StartTimer()
			text = append(text, byte(j))
		}
	}
}
