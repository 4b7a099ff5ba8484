package testing

import (
	"syscall"
	"unsafe"
)

const (
	tareReadable    = 1             // POLLIN
	tareInterrupted = syscall.EINTR // a signal for somebody else
	// SIGURG, by which sysmon asks a goroutine to make way, is kept until the wait is over: it would come each 10 ms, on the CPU where another
	// process is measured then.
	tarePreemption = uint64(1) << (syscall.SIGURG - 1)
)

// tareHold waits until the descriptor has something to read, or for a second, without letting the scheduler know. Whether there is something.
//
// A process that waits as Go's scheduler means it is idle, and the runtime has plans for idle time: the scavenger gives free pages back to the
// kernel (runtime/mgcscavenge.go), which the next turn pays for, a microsecond each; and a mark phase that takes longer for it leaves a larger
// heap after it. The gaps between turns are ours, not the subject's: calls of make([]byte, 192<<10) under GOGC=400 in turns of 200 with gaps of
// 100 µs cost 3.3 to 9.4 µs where they cost 2.6 without gaps, and 2.6 with gaps like this one. With several processors others are idle in
// the subject's own time as well, so nothing is held. Goroutines that a benchmark
// lets work between its turns are delayed by a second at most.
//
//go:nosplit
func tareHold(descriptor uintptr) bool {
	polled := struct {
		descriptor      int32
		events, revents int16
	}{int32(descriptor), tareReadable, 0}
	mask := tarePreemption
	end := tareNow() + 1e9
	for {
		left := end - tareNow()
		if left <= 0 {
			return false
		}
		// Written as one number each on 64 bits; ppoll of 32 bits wants others, where this fails and nothing is held.
		rest := [2]int64{0, min(left, 1e9-1)}
		count, _, failed := syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&polled)), 1, uintptr(unsafe.Pointer(&rest)),
			uintptr(unsafe.Pointer(&mask)), 8, 0)
		if failed != tareInterrupted {
			return failed == 0 && count == 1
		}
	}
}

// tareReadHeld reads what tareHold has found, and tareWriteHeld writes, without letting the scheduler know. A system call that it knows of, and in which
// another process takes the CPU, costs the goroutine its processor; then sysmon begins anew to wake every 20 µs, beside the turn that follows. Where the core
// waits on the CPU that is measured on, it takes the CPU with each reply. -1 where the usual way is to be gone.
func tareReadHeld(descriptor uintptr, into []byte) int {
	for {
		n, _, failed := syscall.RawSyscall(syscall.SYS_READ, descriptor, uintptr(unsafe.Pointer(&into[0])), uintptr(len(into)))
		if failed == 0 {
			return int(n)
		}
		if failed != tareInterrupted {
			return -1
		}
	}
}

// tareWriteHeld gives how many bytes were written.
func tareWriteHeld(descriptor uintptr, line []byte) int {
	written := 0
	for written < len(line) {
		n, _, failed := syscall.RawSyscall(syscall.SYS_WRITE, descriptor, uintptr(unsafe.Pointer(&line[written])), uintptr(len(line)-written))
		if failed != 0 && failed != tareInterrupted {
			break
		}
		if failed == 0 {
			written += int(n)
		}
	}
	return written
}
