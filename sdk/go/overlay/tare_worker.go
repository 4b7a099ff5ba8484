package testing

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"unsafe"
)

const tareVersion = "0.1.0"

const tareMostSamples = 100000

type tareState int

const (
	tareIdle        tareState = iota // testing works as it always does
	tareMaking                       // a subject of the scale is made into a benchmark
	tareEnumerating                  // every benchmark runs once, to see what there is
	tarePreparing                    // the parents of the chosen benchmark run, and it runs once
	tareServing                      // samples are taken
)

// tare is the worker; nil in a binary that the core didn't start.
var tare *tareWorker

type tareWorker struct {
	wire       *tareWire
	state      tareState
	benchmarks []InternalBenchmark
	cases      []tareCase
	loading    int64 // the request under way whose cases are sent
	loaded     bool
	target     *tareCase  // what is being prepared
	trouble    *tareFault // the last panic or failure
	preparing  int64      // the number of the `prepare` under way
	leaf       *tareLeaf
	leafPairs  int64           // how often it stopped and started its timer in its first run
	leafHooks  bool            // it did something outside its time in its first run
	leafWhole  tareStretch     // what the process used in that run
	leafTimed  tareStretch     // and what of it in its time
	goroutines int             // how many there were before it
	orders     chan *tareOrder // to the goroutine that takes samples
	done       chan bool       // from it: whether it still lives
	scale      *B              // runs the subjects of the scale
	made       *B
	finishing  int64 // the number of the `finish` under way, or -1
	finished   bool
	ran        bool
	omitted    []string // benchmarks that ended or hung an earlier process while they were listed
	m          *M
	profiling  *os.File // what is sampled goes there
	trace      string   // the file that says which one is listed
	listing    []*B     // that one, behind those whose b.Run it is in
	failed     []string // benchmarks that failed while they were listed
	parallel   *B       // the last one that called b.RunParallel while it was listed
}

// The worker says hello when package testing is initialised: before the packages that import it, TestMain among them.
func init() {
	path := os.Getenv("TARE_WIRE")
	if path == "" && os.Getenv("TARE_WORKER") == "" {
		return
	}
	// Benchmarks may start this binary again for their own purposes; that is no worker.
	os.Unsetenv("TARE_WIRE")
	os.Unsetenv("TARE_WORKER")
	omitted := strings.Split(os.Getenv("TARE_LEAVE_OUT"), "\n")
	os.Unsetenv("TARE_LEAVE_OUT")
	if tareCounted = os.Getenv("TARE_COUNT") != ""; tareCounted {
		tareSteady()
	}
	tareShakeHeap()
	tareFindWatcher()
	wire, err := tareOpen(path)
	if err != nil {
		fmt.Fprintf(os.Stderr, "tare: the path in TARE_WIRE can't be opened for writing: %v\n", err)
		os.Exit(1)
	}
	tare = &tareWorker{wire: wire, finishing: -1, omitted: omitted}
	tare.hello()
}

// tareCounted says that instructions are counted, not times.
var tareCounted bool

// tareSteady leaves out what isn't the same in each launch. Garbage is never collected, so that all memory is as fresh.
func tareSteady() {
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(1)
	// A heap that grows takes more at some calls than at others.
	heap := make([]byte, 256<<20)
	tareStays.last = unsafe.Pointer(&heap[0])
	tareStays.last = nil
	runtime.GC()
	// One allocation in 512 KB, drawn by lot, is described with its stack.
	runtime.MemProfileRate = 0
	tareDelayWatcher()
}

func (w *tareWorker) hello() {
	kernels := make([]string, len(tareKernels))
	for i, kernel := range tareKernels {
		kernels[i] = kernel.name
	}
	capabilities := []string{"allocations", "setup", "clocks", "operations"}
	if tareCheapTimer {
		capabilities = append(capabilities, "pause")
	}
	w.wire.send(tareFrame("hello").
		integer("wire", tareWireVersion).
		string("language", "go").
		string("version", strings.TrimPrefix(runtime.Version(), "go")).
		string("sdk", tareVersion).
		string("correction", "overlapping").
		strings("clocks", []string{"nanotime"}).
		strings("kernels", kernels).
		strings("capabilities", capabilities).
		strings("facts", tareFacts()).
		strings("reads", tareReads).
		strings("waits", tareWaits))
}

// main stands where M.Run runs tests. When it returns, TestMain does what its author wants done at the end.
func (w *tareWorker) main(m *M) int {
	w.m = m
	if w.ran {
		return 0
	}
	w.ran = true
	if !flag.Parsed() {
		flag.Parse()
	}
	// Every benchmark, once: what testing does itself before it measures. Without a count b.Loop would go on for a second.
	*matchBenchmarks = "."
	benchTime.n = 1
	w.benchmarks = m.benchmarks
	w.serve()
	return 0
}

// serve answers requests until the input ends, or until the prepared benchmark is to finish.
func (w *tareWorker) serve() {
	for {
		line, fault, err := w.wire.read()
		if err != nil || w.wire.closed {
			if w.leaf != nil && !w.finished {
				// The benchmark's own clean-up would be further code of the user.
				os.Exit(0)
			}
			return
		}
		var request *tareRequest
		if fault == nil {
			request, fault = tareDecode(line)
		}
		if fault != nil {
			w.wire.send(fault.reply(fault.id))
			continue
		}
		reply, fault := w.answer(request)
		if fault != nil {
			reply = fault.reply(request.id)
		}
		if reply != nil {
			w.wire.send(reply)
		}
		if w.finishing >= 0 {
			if w.state == tareServing {
				// The parents unwind first.
				return
			}
			w.wire.send(w.farewell(w.finishing))
			w.finishing = -1
		}
	}
}

// answer gives the reply that ends the request, or nil where it was or will be sent elsewhere.
func (w *tareWorker) answer(request *tareRequest) (*tareReply, *tareFault) {
	known := true
	switch request.frame {
	case "load", "prepare", "run", "read", "wait", "operations", "connect", "stamp", "work", "finish":
	default:
		known = false
	}
	switch {
	case !known:
		return nil, &tareFault{kind: "unknown-frame", message: "There is no request " + strconv.Quote(request.frame) + "."}
	case w.finished:
		return nil, tareBadRequest("Only the end of input may follow `finish`.")
	}
	switch request.frame {
	case "load":
		return w.load(request)
	case "prepare":
		return w.prepare(request)
	case "run":
		return w.run(request)
	case "read":
		return w.read(request)
	case "wait":
		return w.wait(request)
	case "operations":
		return w.operations(request)
	case "connect":
		return w.connect(request)
	case "stamp":
		return w.stamp(request)
	case "work":
		return w.work(request)
	}
	w.finished = true
	if fault := w.cleanUp(); fault != nil {
		return nil, fault
	}
	w.finishing = request.id
	return nil, nil
}

func (w *tareWorker) load(request *tareRequest) (*tareReply, *tareFault) {
	files, fault := request.texts("files")
	if fault != nil {
		return nil, fault
	}
	if _, fault := request.optionalText("bootstrap"); fault != nil {
		return nil, fault
	}
	if w.loaded {
		return nil, tareBadRequest("`load` may come once in a process.")
	}
	w.loaded = true
	w.loading = request.id
	w.enumerate(files)
	return tareFrame("loaded").integer("id", request.id).integer("cases", int64(len(w.cases))), nil
}

func (w *tareWorker) prepare(request *tareRequest) (*tareReply, *tareFault) {
	number, fault := request.number("case", tareMaxInteger)
	if fault != nil {
		return nil, fault
	}
	benchmark, fault := request.textOf("benchmark")
	if fault != nil {
		return nil, fault
	}
	parameters, fault := request.textOf("parameters")
	if fault != nil {
		return nil, fault
	}
	clock, fault := request.optionalText("clock")
	switch {
	case fault != nil:
		return nil, fault
	case !w.loaded || w.target != nil:
		return nil, tareBadRequest("`prepare` comes once in a process, after `load`.")
	case clock != "" && clock != "nanotime":
		return nil, tareBadRequest("There is no clock " + strconv.Quote(clock) + "; there is nanotime.")
	}
	if number >= int64(len(w.cases)) || w.cases[number].name != benchmark || parameters != "" {
		found := "doesn't exist; there are " + strconv.Itoa(len(w.cases))
		if number < int64(len(w.cases)) {
			found = "is " + w.cases[number].name
		}
		return nil, &tareFault{
			kind:    "provider",
			message: fmt.Sprintf("Case %d %s in this process, not %q %q.", number, found, benchmark, parameters),
			remedy:  "Let the benchmark call b.Run with the same names in every process: no random numbers, times or directory listings.",
		}
	}
	return w.reach(&w.cases[number], request.id)
}

func (w *tareWorker) run(request *tareRequest) (*tareReply, *tareFault) {
	subject, fault := request.textOf("subject")
	if fault != nil {
		return nil, fault
	}
	iterations, fault := request.counts(subject == "clock")
	if fault != nil {
		return nil, fault
	}
	warm, fault := request.number("warm", tareMostSamples)
	if fault != nil {
		return nil, fault
	}
	order := &tareOrder{iterations: iterations, warm: int(warm), clock: subject == "clock"}
	order.apart = w.leaf != nil && w.leaf.apart && subject != "clock" && subject != "pause"
	switch subject {
	case "clock":
	case "case", "allocations":
		if w.leaf == nil {
			return nil, tareBadRequest("`run` of the case comes after `prepare`.")
		}
		order.b = w.leaf.b
		order.allocations = subject == "allocations"
	default:
		if subject == "pause" && !tareCheapTimer {
			return nil, tareBadRequest("`pause` needs the capability of that name, which this worker doesn't have.")
		}
		if order.b = w.subject(subject); order.b == nil {
			return nil, tareBadRequest("There is no subject " + strconv.Quote(subject) + ".")
		}
	}
	if subject == "case" {
		w.collectLitter(order)
	}
	if fault := w.take(order); fault != nil {
		return nil, fault
	}
	reply := tareFrame("samples").integer("id", request.id).integers("elapsed", order.elapsed)
	if order.allocations {
		return reply.integers("allocations", order.allocs).integers("allocated_bytes", order.bytes), nil
	}
	if subject == "case" || subject == "pause" {
		reply.integers("pauses", order.pairs)
	}
	order.stretch.add(reply)
	return reply, nil
}
