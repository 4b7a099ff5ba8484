package testing

import "math/bits"

const tareMostKinds = 32

// tareTally is what ended of one operation in one slice. Latencies that agree in their eleven highest bits are put together: some
// shifts, and nothing is allocated.
type tareTally struct {
	counts   []uint32
	count    int64
	late     int64
	kinds    []string
	failed   []int64
	messages []string
}

const (
	tareHalf           = 1024
	tareLongestLatency = 86_400_000_000_000
	tareLatencyCount   = tareHalf*37 + 2*tareHalf
)

func tareBucket(value int64) int {
	if value < 2*tareHalf {
		return int(value)
	}
	shift := bits.Len64(uint64(value)) - 11
	return tareHalf*shift + int(value>>shift)
}

func tareLowest(bucket int) int64 {
	if bucket < 2*tareHalf {
		return int64(bucket)
	}
	shift := bucket/tareHalf - 1
	return int64(bucket-tareHalf*shift) << shift
}

// kind is where a kind of failure stands, -1 for one that is new.
func (t *tareTally) kind(name string) int {
	for at := range t.kinds {
		if t.kinds[at] == name {
			return at
		}
	}
	return -1
}

func (t *tareTally) fail(err *tareError) {
	kind := err.kind
	at := t.kind(kind)
	if at < 0 && len(t.kinds) >= tareMostKinds {
		kind = "other"
		at = t.kind(kind)
	}
	if at < 0 {
		at = len(t.kinds)
		t.kinds, t.failed = append(t.kinds, kind), append(t.failed, 0)
		t.messages = append(t.messages, err.message[:min(len(err.message), 200)])
	}
	t.failed[at]++
}
