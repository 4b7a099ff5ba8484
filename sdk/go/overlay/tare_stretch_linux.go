package testing

import (
	"syscall"
	"unsafe"
)

const (
	tareProcessClock = 2 // CLOCK_PROCESS_CPUTIME_ID
	tareThisThread   = 1 // RUSAGE_THREAD
)

// tareClockOf is the clock of a thread's CPU time: the complement of its id above three bits, of which 4 says "of one thread" and 2 "as the
// scheduler counts it" (linux/posix-timers.h).
func tareClockOf(thread int) uintptr { return uintptr(^thread)<<3 | 4 | 2 }

// tareUsed makes raw system calls, which the scheduler doesn't hear of, and allocates nothing. What the watcher takes,
// a fifth as much as the subject at times, isn't the subject's: it has a CPU of its own, or takes the subject's as other processes do.
func tareUsed() (used tareUsage, known bool) {
	var time syscall.Timespec
	var usage syscall.Rusage
	_, _, failed := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, tareProcessClock, uintptr(unsafe.Pointer(&time)), 0)
	if failed != 0 {
		return used, false
	}
	if _, _, failed = syscall.RawSyscall(syscall.SYS_GETRUSAGE, tareThisThread, uintptr(unsafe.Pointer(&usage)), 0); failed != 0 {
		return used, false
	}
	if tareIsApart() {
		var watcher syscall.Timespec
		if _, _, failed = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, tareClockOf(tareAside.watcher), uintptr(unsafe.Pointer(&watcher)), 0); failed == 0 {
			used.cpu = -watcher.Nano()
		}
	}
	used.thread, _, _ = syscall.RawSyscall(syscall.SYS_GETTID, 0, 0, 0)
	used.cpu += time.Nano()
	used.yields = int64(usage.Nvcsw)
	return used, true
}
