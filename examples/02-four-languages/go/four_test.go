package four

import (
	"crypto/sha256"
	"encoding/json"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"
)

func BenchmarkSha256(b *testing.B) {
	for _, size := range []int{64, 65536} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			text := []byte(strings.Repeat("a", size))
			b.SetBytes(int64(size))
			for i := 0; i < b.N; i++ {
				sha256.Sum256(text)
			}
		})
	}
}

func BenchmarkParseJson(b *testing.B) {
	document, err := os.ReadFile("../document.json")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(document)))
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		var value any
		if err := json.Unmarshal(document, &value); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSort(b *testing.B) {
	numbers := make([]int, 10_000)
	state := 42
	for i := range numbers {
		state = (state*1103515245 + 12345) & 0x7fffffff
		numbers[i] = state
	}
	sorted := make([]int, len(numbers))
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		copy(sorted, numbers)
		sort.Ints(sorted)
	}
}
