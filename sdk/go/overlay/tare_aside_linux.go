package testing

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// What watches over the runtime is kept off the CPU that is measured on. Go has one such thread, sysmon (runtime/proc.go): for
// the first 50 of its rounds after the process has been idle it wakes every 20 µs, then ever more seldom. A program that works for
// long on several CPUs doesn't feel it. A worker that is bound to one CPU is idle before every turn, and would pay for these rounds, a fifth
// of the time, in each of its first milliseconds. Where no other CPU is free, what it takes is left out of the subject's CPU time.

// tareCPUs is a set of CPUs as the kernel takes it.
type tareCPUs [16]uint64

var tareAside struct {
	watcher int      // the thread; 0 where it isn't known
	alone   bool     // the runtime has one processor, so that what the watcher takes is taken from it
	mayMove bool     // there is a CPU for it
	away    tareCPUs // where it goes
	here    tareCPUs // where it was, and where the threads that it begins belong
	isAway  bool
}

// tareFindWatcher is called before the user's code runs. TARE_ASIDE is the CPU for what only watches.
func tareFindWatcher() {
	cpu, err := strconv.Atoi(os.Getenv("TARE_ASIDE"))
	os.Unsetenv("TARE_ASIDE")
	tareAside.mayMove = err == nil && cpu >= 0 && cpu < 64*len(tareAside.away)
	tareAside.alone = runtime.GOMAXPROCS(0) == 1
	if !tareAside.mayMove && !tareAside.alone {
		return
	}
	// The runtime begins sysmon before anything else; a sanitizer or a library may have been quicker. Sysmon is waiting in nanosleep
	// while this thread works.
	id := tareFirstBegun(tareThreads(), os.Getpid())
	for tries := 0; id != 0 && tries < 50; tries++ {
		doing, err := os.ReadFile("/proc/self/task/" + strconv.Itoa(id) + "/syscall")
		if err != nil {
			return
		}
		if number, _, _ := strings.Cut(string(doing), " "); number == strconv.Itoa(syscall.SYS_NANOSLEEP) {
			tareAside.watcher = id
			if tareAside.mayMove {
				tareAside.away[cpu/64] = 1 << (cpu % 64)
			}
			return
		}
		// It is about to look around: let it. A sleep of this thread would make it sleep otherwise.
		syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
	}
}

// tareIdly is SCHED_IDLE: a thread that works when no other wants to.
const tareIdly = 5

// tareDelayWatcher lets the watcher work only while the process waits. It asks a goroutine that has worked for 10 ms to make way, which takes
// some hundred instructions, and valgrind works slowly. One thread at a time works there, so that nothing waits for the watcher in turn.
func tareDelayWatcher() {
	if id := tareFirstBegun(tareThreads(), os.Getpid()); id != 0 {
		var priority int32
		syscall.RawSyscall(syscall.SYS_SCHED_SETSCHEDULER, uintptr(id), tareIdly, uintptr(unsafe.Pointer(&priority)))
	}
}

// tareKeepAside puts the watcher away, and whatever thread it has begun there back: those have the CPUs of the one that begins them.
// Each thread is asked before each turn: where one has ended and the watcher has begun another, there are as many as before. What has other
// CPUs than the watcher's has them from the user, and keeps them.
func tareKeepAside() {
	threads := tareThreads()
	tareKeepWatcherAside(threads)
	tareFollowDelays(threads)
}

func tareKeepWatcherAside(threads []int) {
	if tareAside.watcher == 0 || !tareAside.mayMove {
		return
	}
	if !tareAside.isAway {
		// The core has put all of them where they are measured by now. The calling thread may have been bound elsewhere by the user since,
		// as any may that goroutines run on; none does on the watcher.
		if len(threads) == 0 || !tareAside.here.of(syscall.SYS_SCHED_GETAFFINITY, tareAside.watcher) || tareAside.here.shares(&tareAside.away) ||
			!tareAside.away.of(syscall.SYS_SCHED_SETAFFINITY, tareAside.watcher) {
			tareAside.mayMove = false
			return
		}
		tareAside.isAway = true
	}
	for _, id := range threads {
		var cpus tareCPUs
		if id != tareAside.watcher && cpus.of(syscall.SYS_SCHED_GETAFFINITY, id) && cpus == tareAside.away {
			tareAside.here.of(syscall.SYS_SCHED_SETAFFINITY, id)
		}
	}
}

// tareIsApart tells whether what the watcher takes is none of the subject's.
func tareIsApart() bool { return tareAside.watcher != 0 && (tareAside.isAway || tareAside.alone) }

// tareListing has room for a part of a folder's list, and for the ids in it.
var tareListing struct {
	part [8192]byte
	ids  [512]int
}

var tareThreadsFolder = []byte("/proc/self/task\x00")

// tareThreads gives the ids of this process's threads, the first 512 of them, until it is called again. It is asked before each turn, by raw system calls and
// without an allocation: see tareReadHeld for what the scheduler would make of others.
func tareThreads() []int {
	const here = -100 // AT_FDCWD
	folder, _, failed := syscall.RawSyscall6(syscall.SYS_OPENAT, ^uintptr(-here-1), uintptr(unsafe.Pointer(&tareThreadsFolder[0])),
		syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0, 0, 0)
	if failed != 0 {
		return nil
	}
	count := 0
	for {
		part := &tareListing.part
		size, _, failed := syscall.RawSyscall(syscall.SYS_GETDENTS64, folder, uintptr(unsafe.Pointer(part)), unsafe.Sizeof(*part))
		if failed != 0 || size == 0 {
			break
		}
		// struct linux_dirent64: eight bytes each of inode and offset, two of its own length, one of type, the name to a zero.
		for at := 0; at+19 < int(size) && count < len(tareListing.ids); {
			length := int(part[at+16]) | int(part[at+17])<<8
			id := 0
			for _, digit := range part[at+19 : at+length] {
				if digit < '0' || digit > '9' {
					break
				}
				id = 10*id + int(digit-'0')
			}
			if id > 0 {
				tareListing.ids[count] = id
				count++
			}
			at += max(length, 1)
		}
	}
	syscall.RawSyscall(syscall.SYS_CLOSE, folder, 0, 0)
	return tareListing.ids[:count]
}

// tareFirstBegun gives the oldest thread but the main one, which has the id of the process; 0 where there is no other. Ids are numbers:
// as text, 10000 stands before 9998.
func tareFirstBegun(threads []int, process int) int {
	first := 0
	for _, id := range threads {
		if id != process && (first == 0 || id < first) {
			first = id
		}
	}
	return first
}

// of reads or sets the CPUs of a thread; whether that could be done.
func (cpus *tareCPUs) of(call uintptr, thread int) bool {
	_, _, failed := syscall.RawSyscall(call, uintptr(thread), unsafe.Sizeof(*cpus), uintptr(unsafe.Pointer(cpus)))
	return failed == 0
}

// shares tells whether a CPU is in both.
func (cpus *tareCPUs) shares(others *tareCPUs) bool {
	for i := range cpus {
		if cpus[i]&others[i] != 0 {
			return true
		}
	}
	return false
}
