package testing

import (
	"os"
	"syscall"
)

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

// A CPU among those that the process runs on isn't aside of them.
func TestTareNothingIsPutAsideOnACPUThatIsMeasuredOn(t *T) {
	before := tareAside
	defer func() { tareAside = before }()
	var cpus, after tareCPUs
	watcher := tareFirstBegun(tareThreads(), os.Getpid())
	if !cpus.of(syscall.SYS_SCHED_GETAFFINITY, watcher) {
		t.Fatal("the CPUs of a thread can't be read")
	}
	tareAside.watcher = watcher
	for i, word := range cpus {
		// The lowest of them.
		if tareAside.away[i] = word & -word; word != 0 {
			break
		}
	}
	tareKeepAside()
	if after.of(syscall.SYS_SCHED_GETAFFINITY, watcher); after != cpus {
		t.Errorf("it was moved from %x to %x", cpus, after)
	}
	if tareAside.watcher != 0 {
		t.Error("it will be moved before the next turn")
	}
}
