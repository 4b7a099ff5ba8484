package testing

import (
	"runtime"
	"syscall"
	"time"
)

// What a stretch counts is held against what the system counts in the meantime.
func TestTareStretchHoldsTheWorkOfAllThreads(t *T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var stretch tareStretch
	var before, after syscall.Rusage
	stretch.begin()
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	done := make(chan bool)
	work := func() {
		for i := uint64(0); i < 30_000_000; i++ {
			tareResult.sum += int(i >> 40)
		}
	}
	go func() {
		runtime.LockOSThread()
		work()
		done <- true
	}()
	runtime.LockOSThread()
	work()
	<-done
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	stretch.end()
	runtime.UnlockOSThread()
	least := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
	// The counts of getrusage are brought up to date at ticks of the scheduler.
	if !stretch.known || stretch.cpu < least-20_000_000 || stretch.cpu <= 0 {
		t.Errorf("%d ns of CPU time, at least %d were used", stretch.cpu, least)
	}
	if stretch.wall <= 0 || stretch.cpu > int64(runtime.NumCPU())*stretch.wall+20_000_000 {
		t.Errorf("%d ns of CPU time in %d", stretch.cpu, stretch.wall)
	}
}

// A thread that works beside stands for one that watches from a CPU of its own.
func TestTareStretchLeavesTheWatcherOut(t *T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	watcher, end := make(chan int), make(chan bool)
	go func() {
		runtime.LockOSThread()
		watcher <- syscall.Gettid()
		for {
			select {
			case <-end:
				return
			default:
				tareResult.sum++
			}
		}
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	aside := tareAside
	defer func() { tareAside = aside }()
	tareAside.watcher, tareAside.isAway = <-watcher, true
	of := func() (used int64) {
		var stretch tareStretch
		stretch.begin()
		moment := syscall.NsecToTimespec(int64(50 * time.Millisecond))
		_ = syscall.Nanosleep(&moment, nil)
		stretch.end()
		return stretch.cpu
	}
	without := of()
	tareAside.isAway = false
	with := of()
	end <- true
	if without > with/4 {
		t.Errorf("%d ns of CPU time without the watcher's, %d with it", without, with)
	}
}

func TestTareStretchCountsSleeps(t *T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var stretch tareStretch
	stretch.begin()
	moment := syscall.NsecToTimespec(int64(time.Millisecond))
	for i := 0; i < 5; i++ {
		_ = syscall.Nanosleep(&moment, nil)
	}
	stretch.end()
	// Nothing else in it gives the CPU up, but a collection may begin.
	if stretch.yields < 5 || stretch.yields > 50 {
		t.Errorf("5 sleeps gave up the CPU %d times", stretch.yields)
	}
	if stretch.cpu >= stretch.wall {
		t.Errorf("%d ns of CPU time in %d asleep", stretch.cpu, stretch.wall)
	}
}

func TestTareAnotherThreadIsOneYield(t *T) {
	for _, one := range []struct {
		before, after tareUsage
		yields        int64
	}{
		{tareUsage{yields: 100, thread: 1}, tareUsage{yields: 107, thread: 1}, 7},
		{tareUsage{yields: 100, thread: 1}, tareUsage{yields: 100, thread: 1}, 0},
		{tareUsage{yields: 100, thread: 1}, tareUsage{yields: 3, thread: 2}, 1},
		{tareUsage{yields: 1, thread: 1}, tareUsage{yields: 300, thread: 2}, 1},
	} {
		if yields := tareYields(one.before, one.after); yields != one.yields {
			t.Errorf("%v to %v: %d, not %d", one.before, one.after, yields, one.yields)
		}
	}
}

func TestTareReadingsAllocateNothing(t *T) {
	var stretch tareStretch
	if allocations := AllocsPerRun(100, func() {
		stretch.begin()
		stretch.end()
	}); allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func TestTareStretchIsTold(t *T) {
	stretch := tareStretch{wall: 30, cpu: 20, yields: 1, known: true}
	reply := tareFrame("samples")
	stretch.add(reply)
	if text := string(reply.line()); text != "{\"frame\":\"samples\",\"wall\":30,\"cpu\":20,\"yields\":1}\n" {
		t.Error(text)
	}
	stretch.known = false
	reply = tareFrame("samples")
	stretch.add(reply)
	if text := string(reply.line()); text != "{\"frame\":\"samples\"}\n" {
		t.Error(text)
	}
}

func TestTareOnlyDelaysAreNoWaiting(t *T) {
	for _, one := range []struct {
		off, delay int64
		only       bool
	}{
		{2_000_000, 2_000_000, true},
		{2_010_000, 2_000_000, true},
		{3_000_000, 2_000_000, false}, // a millisecond asleep
		{1_000_000, 0, false},
		{-3_000, 0, true},              // what the readings cost
		{-5_000_000, 4_000_000, false}, // threads on several CPUs
	} {
		if only := tareOnlyDelayed(one.off, one.delay); only != one.only {
			t.Errorf("%d ns off, %d delayed: %v", one.off, one.delay, only)
		}
	}
}

func TestTareDelaysAreReadFromTheKernel(t *T) {
	for text, delay := range map[string]int64{"158544 2130426 2\n": 2130426, "0 0 0\n": 0, "": 0, "17": 0, "17 9": 9} {
		if found := tareSecondNumber([]byte(text)); found != delay {
			t.Errorf("%q: %d, not %d", text, found, delay)
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer tareFollowDelays(nil)
	tareFollowDelays(tareThreads())
	if tareDelays.count == 0 {
		t.Skip("this kernel tells no delays")
	}
	if AllocsPerRun(100, func() { tareDelayed() }) != 0 {
		t.Error("reading delays allocates")
	}
	// One CPU for two threads that both want it: each waits while the other works.
	before := tareDelayed()
	var one, all tareCPUs
	all.of(syscall.SYS_SCHED_GETAFFINITY, 0)
	defer all.of(syscall.SYS_SCHED_SETAFFINITY, 0)
	one = tareFirstOf(all)
	one.of(syscall.SYS_SCHED_SETAFFINITY, 0)
	done := make(chan bool)
	work := func() {
		for end := time.Now().Add(60 * time.Millisecond); time.Now().Before(end); {
			tareResult.sum++
		}
	}
	go func() {
		runtime.LockOSThread()
		one.of(syscall.SYS_SCHED_SETAFFINITY, 0)
		tareFollowDelays(tareThreads())
		work()
		done <- true
	}()
	work()
	<-done
	if delayed := tareDelayed() - before; delayed < 10_000_000 {
		t.Errorf("two threads on one CPU for 60 ms were delayed by %d ns", delayed)
	}
}

func tareFirstOf(cpus tareCPUs) (first tareCPUs) {
	for i, word := range cpus {
		if word != 0 {
			first[i] = word & -word
			return first
		}
	}
	return first
}
