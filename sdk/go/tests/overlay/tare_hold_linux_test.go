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

func TestTareWhatIsReadAndWrittenByHandIsWhole(t *T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	line := make([]byte, 50_000)
	for i := range line {
		line[i] = byte('a' + i%26)
	}
	if written := tareWriteHeld(out.Fd(), line); written != len(line) {
		t.Fatalf("%d of %d bytes were written", written, len(line))
	}
	if !tareHold(in.Fd()) {
		t.Fatal("there is something to read")
	}
	into := make([]byte, 1<<16)
	if n := tareReadHeld(in.Fd(), into); n != len(line) || string(into[:n]) != string(line) {
		t.Fatalf("%d of %d bytes were read", n, len(line))
	}
	// What can't be written this way is left for the usual one, which says why.
	closed, _ := os.Open(os.DevNull)
	if written := tareWriteHeld(closed.Fd(), line); written != 0 {
		t.Errorf("%d bytes were written to a file that is open for reading", written)
	}
	closed.Close()
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
