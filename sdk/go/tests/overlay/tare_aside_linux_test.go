package testing

import (
	"os"
	"strconv"
	"syscall"
)

func TestTareThreadsAreThoseThatTheSystemLists(t *T) {
	listed, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Skip(err)
	}
	found := tareThreads()
	if len(found) < 2 || len(found) < len(listed)-2 {
		t.Errorf("%d threads, and the system lists %d", len(found), len(listed))
	}
	for _, id := range found {
		if _, err := os.Stat("/proc/self/task/" + strconv.Itoa(id)); err != nil {
			t.Error(err)
		}
	}
}

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
	tareAside.watcher, tareAside.mayMove = watcher, true
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
	if tareAside.mayMove {
		t.Error("it will be moved before the next turn")
	}
}

// Without a CPU for it, it stays where it is, and what it takes isn't the subject's where there is one processor.
func TestTareAWatcherOnTheOnlyProcessorIsLeftOutOfTheTime(t *T) {
	before := tareAside
	defer func() { tareAside = before }()
	watcher := tareFirstBegun(tareThreads(), os.Getpid())
	tareAside.watcher, tareAside.mayMove, tareAside.isAway = watcher, false, false
	tareAside.alone = false
	whole, known := tareUsed()
	tareAside.alone = true
	apart, _ := tareUsed()
	if !known {
		t.Skip("this system has no such clocks")
	}
	// It has taken something since the process began, and this test next to nothing between the two readings.
	if apart.cpu >= whole.cpu {
		t.Errorf("%d ns with the watcher, %d without it", whole.cpu, apart.cpu)
	}
	tareKeepAside()
	if tareAside.isAway {
		t.Error("it was moved, and there is no CPU for it")
	}
	for i := 0; i < tareDelays.count; i++ {
		if tareDelays.threads[i].id == watcher {
			t.Error("its waiting counts as the subject's")
		}
	}
}
