package testing

// tareUsage is what the process and the thread that asks have used so far.
type tareUsage struct {
	cpu    int64 // nanoseconds of CPU time of the process, all threads
	yields int64 // how often the thread gave up the CPU by itself
	thread uintptr
}

// tareStretch is what the timed samples of a `run` took, with everything that stands between them.
type tareStretch struct {
	before tareUsage
	since  int64 // when it began, by the clock
	wall   int64
	cpu    int64
	yields int64
	known  bool  // the system has such counters
	delay  int64 // nanoseconds that threads had waited for a CPU before it
}

// begin stands just before the first timed sample, or before each; then the stretches are added up. The clock is read last, and in end first: so what the
// other readings cost isn't in wall.
func (s *tareStretch) begin() {
	s.delay = tareDelayed()
	s.before, s.known = tareUsed()
	s.since = tareNow()
}

// tareSwitching is what switches between threads take that count neither as work nor as waiting, in nanoseconds a turn.
const tareSwitching = 20_000

// end stands just after the last timed sample. A thread that gave the CPU up, and was off it no longer than threads waited for a CPU that others
// had, waited for nothing else: it handed on what Go's threads share.
func (s *tareStretch) end() {
	wall := tareNow() - s.since
	after, known := tareUsed()
	s.known = s.known && known
	// CPU times of threads on several CPUs are added up one after the other: the sum may be read a little early.
	cpu := max(0, after.cpu-s.before.cpu)
	s.wall += wall
	s.cpu += cpu
	if !tareOnlyDelayed(wall-cpu, tareDelayed()-s.delay) {
		s.yields += tareYields(s.before, after)
	}
}

// with adds what another stretch holds.
func (s *tareStretch) with(other *tareStretch) {
	s.wall += other.wall
	s.cpu += other.cpu
	s.yields += other.yields
	s.known = other.known
}

// tareOnlyDelayed tells whether a stretch was off the CPU for so long because threads waited for it, and for nothing else. Where threads work on several
// CPUs at once, CPU time exceeds wall time, and time off the CPU says nothing of who waited.
func tareOnlyDelayed(off, delay int64) bool {
	return off > -tareSwitching && off <= delay+delay/32+tareSwitching
}

// tareYields counts how often the measuring goroutine's thread gave up the CPU. A goroutine that has moved to another thread gave up that of
// the first once at least; the counts of two threads say no more than that.
func tareYields(before, after tareUsage) int64 {
	if before.thread != after.thread {
		return 1
	}
	return max(0, after.yields-before.yields)
}

func (s *tareStretch) add(reply *tareReply) {
	if s.known {
		reply.integer("wall", s.wall).integer("cpu", s.cpu).integer("yields", s.yields)
	}
}
