package testing

func TestTareThreadsAreOrderedByNumber(t *T) {
	for _, one := range []struct {
		threads []int
		process int
		first   int
	}{
		{[]int{10000, 10001, 9998, 9999}, 9998, 9999},
		{[]int{10000, 9997, 9998, 9999}, 9997, 9998},
		{[]int{7}, 7, 0},
		{nil, 7, 0},
	} {
		if first := tareFirstBegun(one.threads, one.process); first != one.first {
			t.Errorf("%v of process %d: %d, not %d", one.threads, one.process, first, one.first)
		}
	}
}
