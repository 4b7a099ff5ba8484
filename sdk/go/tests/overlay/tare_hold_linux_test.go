package testing

import (
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// tareTimer gives a descriptor that can be read after so many nanoseconds.
func tareTimer(t *T, after int64) uintptr {
	t.Helper()
	timer, _, failed := syscall.RawSyscall(syscall.SYS_TIMERFD_CREATE, 1, 0, 0)
	if failed != 0 {
		t.Fatal(failed)
	}
	t.Cleanup(func() { syscall.Close(int(timer)) })
	when := [2]syscall.Timespec{1: syscall.NsecToTimespec(after)}
	if _, _, failed = syscall.RawSyscall6(syscall.SYS_TIMERFD_SETTIME, timer, 0, uintptr(unsafe.Pointer(&when)), 0, 0, 0); failed != 0 {
		t.Fatal(failed)
	}
	return timer
}

func TestTareNothingRunsWhileTheProcessorIsHeld(t *T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	timer := tareTimer(t, 50_000_000)
	var ran atomic.Bool
	go ran.Store(true)
	before := tareNow()
	tareHold(timer)
	meanwhile := ran.Load()
	held := tareNow() - before
	if meanwhile {
		t.Error("another goroutine ran while the processor was held")
	}
	if held < 40_000_000 {
		t.Errorf("it was held for %d ns, and nothing could be read for 50 ms", held)
	}
	for !ran.Load() {
		runtime.Gosched()
	}
}

func TestTareHoldEndsWhereTheWriterHasGone(t *T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out.Close()
	before := tareNow()
	tareHold(in.Fd())
	if held := tareNow() - before; held > 900_000_000 {
		t.Errorf("held for %d ns", held)
	}
}
