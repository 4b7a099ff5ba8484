package testing

import (
	"strconv"
	"syscall"
	"unsafe"
)

// How long the threads that measure have waited for a CPU that others had, as the kernel tells it in /proc/self/task/*/schedstat (the
// second number, nanoseconds). Go's threads hand work to each other, and give the CPU up for it, so that a switch by itself says
// nothing of whether the subject waited for something.

// tareMostDelays is the number of threads that are asked at most.
const tareMostDelays = 32

var tareDelays struct {
	threads [tareMostDelays]struct{ id, file int }
	count   int
	text    [96]byte
}

// tareFollowDelays opens the counters of these threads, the watcher's left out, and closes those of threads that are gone.
func tareFollowDelays(threads []int) {
	d := &tareDelays
	kept := 0
	for i := 0; i < d.count; i++ {
		if thread := d.threads[i]; tareHas(threads, thread.id) && !(tareIsApart() && thread.id == tareAside.watcher) {
			d.threads[kept] = thread
			kept++
		} else {
			syscall.Close(thread.file)
		}
	}
	d.count = kept
	for _, id := range threads {
		known := tareIsApart() && id == tareAside.watcher
		for i := 0; i < d.count && !known; i++ {
			known = d.threads[i].id == id
		}
		if known || d.count == tareMostDelays {
			continue
		}
		file, err := syscall.Open("/proc/self/task/"+strconv.Itoa(id)+"/schedstat", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err == nil {
			d.threads[d.count].id, d.threads[d.count].file = id, file
			d.count++
		}
	}
}

func tareHas(threads []int, id int) bool {
	for _, thread := range threads {
		if thread == id {
			return true
		}
	}
	return false
}

// tareDelayed is the sum of what these threads have waited for a CPU so far, in nanoseconds; 0 where nobody tells. Raw system calls, no
// allocation.
func tareDelayed() (total int64) {
	d := &tareDelays
	for i := 0; i < d.count; i++ {
		n, _, failed := syscall.RawSyscall6(
			syscall.SYS_PREAD64, uintptr(d.threads[i].file), uintptr(unsafe.Pointer(&d.text)), unsafe.Sizeof(d.text), 0, 0, 0)
		if failed != 0 {
			continue
		}
		total += tareSecondNumber(d.text[:n])
	}
	return total
}

func tareSecondNumber(text []byte) (number int64) {
	space := false
	for _, c := range text {
		switch {
		case c == ' ' && space:
			return number
		case c == ' ':
			space = true
		case space && c >= '0' && c <= '9':
			number = 10*number + int64(c-'0')
		}
	}
	return number
}
