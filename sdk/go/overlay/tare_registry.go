package testing

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
)

// tareCase is a leaf: a benchmark function that calls no b.Run.
type tareCase struct {
	name string // as go prints it, without the number of processors
	file string
	line int
	skip string
	// parallel: it calls b.RunParallel, and is to have as many CPUs as under go test.
	parallel bool
}

const tareNoMessage = "It failed without a message."

// tareNowhere takes what testing would print of a failed benchmark; the core is told by a frame.
type tareNowhere struct{}

func (tareNowhere) Write(text []byte) (int, error) { return len(text), nil }

func tareAlways(pattern, name string) (bool, error) { return true, nil }

// enumerate sends a case for each leaf and a notice for what failed. The first of files is the package; a second one
// is where an earlier process of the same measurement left what it found. Cases found there are sent without a run of all
// the others, whose garbage, goroutines and caches would be there in every launch.
func (w *tareWorker) enumerate(files []string) {
	if _, err := os.Stat(files[0]); err != nil {
		w.wire.send((&tareFault{
			kind: "load", message: "There is no such package or file.", file: files[0],
			remedy: "Name a folder that holds a Go package.",
		}).notice(w.loading))
		return
	}
	if len(files) > 1 && w.recall(files[1]) {
		return
	}
	if len(files) > 1 {
		w.trace = files[1] + ".at"
	}
	w.state = tareEnumerating
	RunBenchmarks(tareAlways, w.benchmarks)
	w.state = tareIdle
	if len(files) > 1 {
		os.Remove(w.trace)
		w.remember(files[1])
	}
}

// lists writes down which benchmark is being listed: where it ends the process, or never returns, the core reads
// there which one it was.
func (w *tareWorker) lists() {
	if w.trace == "" {
		return
	}
	text := ""
	if len(w.listing) > 0 {
		b := w.listing[len(w.listing)-1]
		file, line := tareSource(b.benchFunc)
		text = b.name + "\n" + file + "\n" + strconv.Itoa(line) + "\n"
	}
	// Without it the failure names the package alone.
	_ = os.WriteFile(w.trace, []byte(text), 0o600)
}

func (w *tareWorker) add(found tareCase) {
	reply := tareFrame("case").integer("id", w.loading).integer("case", int64(len(w.cases))).string("benchmark", found.name)
	reply.optional("file", found.file)
	if found.line > 0 {
		reply.integer("line", int64(found.line))
	}
	if found.parallel {
		reply.boolean("parallel", true)
	}
	w.wire.send(reply.optional("skip", found.skip))
	w.cases = append(w.cases, found)
}

// remember writes the cases for the processes to come. That it can't is no failure: they enumerate for themselves.
func (w *tareWorker) remember(path string) {
	var text []byte
	for _, found := range w.cases {
		text = strconv.AppendQuote(text, found.name)
		text = append(text, '\t')
		text = strconv.AppendQuote(text, found.file)
		text = append(text, '\t')
		text = strconv.AppendInt(text, int64(found.line), 10)
		text = append(text, '\t')
		text = strconv.AppendQuote(text, found.skip)
		text = append(text, '\t')
		text = strconv.AppendBool(text, found.parallel)
		text = append(text, '\n')
	}
	fresh := path + "." + strconv.Itoa(os.Getpid())
	if os.WriteFile(fresh, text, 0o600) != nil || os.Rename(fresh, path) != nil {
		os.Remove(fresh)
	}
}

func (w *tareWorker) recall(path string) bool {
	text, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	var cases []tareCase
	for _, line := range strings.SplitAfter(string(text), "\n") {
		if line == "" {
			continue
		}
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(parts) != 5 {
			return false
		}
		name, err1 := strconv.Unquote(parts[0])
		file, err2 := strconv.Unquote(parts[1])
		number, err3 := strconv.Atoi(parts[2])
		skip, err4 := strconv.Unquote(parts[3])
		parallel, err5 := strconv.ParseBool(parts[4])
		if err1 != nil || err2 != nil || err3 != nil || err4 != nil || err5 != nil {
			return false
		}
		cases = append(cases, tareCase{name, file, number, skip, parallel})
	}
	for _, found := range cases {
		w.add(found)
	}
	return true
}

// enters is asked before testing runs b for the first time, with N = 1, and says whether it should.
func (w *tareWorker) enters(b *B) bool {
	if w.state == tareIdle {
		return true
	}
	b.w = tareNowhere{}
	switch w.state {
	case tareMaking:
		return true
	case tareEnumerating:
		for _, name := range w.omitted {
			if name == b.name {
				return false
			}
		}
		w.listing = append(w.listing, b)
		w.lists()
		return true
	case tarePreparing:
		if b.name == w.target.name {
			// By the watch, to see what it does with its timer.
			tareWatch.looped = false
			tareWatch.parallel = false
			w.leafTimed, w.leafWhole = tareStretch{}, tareStretch{}
			tareBegin(b, &w.leafTimed)
			w.leafWhole.begin()
			return true
		}
		return strings.HasPrefix(w.target.name, b.name+"/")
	}
	// A leaf that calls b.Run only when N is larger.
	return false
}

// runsParallel is asked at the beginning of b.RunParallel.
func (w *tareWorker) runsParallel(b *B) {
	if b == tareWatch.b {
		tareWatch.parallel = true
	}
	if w.state == tareEnumerating {
		w.parallel = b
	}
}

// left is called after that first run.
func (w *tareWorker) left(b *B) {
	switch w.state {
	case tareEnumerating:
		// What calls b.Run goes on.
		if len(w.listing) > 0 {
			w.listing = w.listing[:len(w.listing)-1]
		}
		w.lists()
		if fault := w.failure(b); fault != nil {
			// One that failed because another one below it did has nothing to say.
			if fault.message != b.name+": "+tareNoMessage || !w.failedBelow(b.name) {
				w.wire.send(fault.notice(w.loading).string("benchmark", b.name))
			}
			w.failed = append(w.failed, b.name)
		} else if b.skipped {
			file, line := tareSource(b.benchFunc)
			message, _, _ := tareLastLog(b)
			w.add(tareCase{b.name, file, line, tareSkipped(message, "", 0).message, false})
		}
	case tarePreparing:
		if b == tareWatch.b {
			w.leafWhole.end()
			_, w.leafPairs = tareEnd()
			w.leafHooks = tareOutside()
			// One that fails and then skips has failed.
			if b.skipped && !b.failed {
				message, file, line := tareLastLog(b)
				w.trouble = tareSkipped(message, file, line)
			}
		}
		if fault := w.failure(b); fault != nil {
			w.trouble = fault
		}
	}
}

func (w *tareWorker) failedBelow(name string) bool {
	for _, failed := range w.failed {
		if strings.HasPrefix(failed, name+"/") {
			return true
		}
	}
	return false
}

// runs stands where testing measures a leaf, after its first run, and reports whether it has been dealt with.
func (w *tareWorker) runs(b *B) bool {
	switch w.state {
	case tareIdle:
		return false
	case tareMaking:
		w.made = b
	case tareEnumerating:
		file, line := tareSource(b.benchFunc)
		w.add(tareCase{b.name, file, line, "", w.parallel == b})
	case tarePreparing:
		if b.name == w.target.name && w.leaf == nil {
			w.reached(b)
		}
	}
	return true
}

// tareSource is where a benchmark function stands.
func tareSource(f func(b *B)) (string, int) {
	pc := reflect.ValueOf(f).Pointer()
	if of := runtime.FuncForPC(pc); of != nil {
		return of.FileLine(of.Entry())
	}
	return "", 0
}

func tareSkipped(message, file string, line int) *tareFault {
	if message == "" {
		message = "the benchmark skips itself"
	}
	return &tareFault{kind: "skipped", message: message, file: file, line: line}
}

// failure is why b failed, or nil where it didn't: a panic, or the last of what it logged. Where it skipped itself after it had
// failed, that comes last and says the least: then it is all that it logged, at the place of the first.
func (w *tareWorker) failure(b *B) *tareFault {
	if !b.failed {
		return nil
	}
	if thrown := w.trouble; thrown != nil {
		w.trouble = nil
		return thrown
	}
	message, file, line := tareLastLog(b)
	if logged := tareLogs(b); b.skipped && len(logged) > 1 {
		message, file, line = logged[0].at(b)
		for _, entry := range logged[1:] {
			message += "\n" + entry.message
		}
	}
	if message == "" {
		message = tareNoMessage
	}
	return &tareFault{kind: "exception", message: b.name + ": " + message, file: file, line: line}
}

// tareLogged is an entry of what a benchmark logged; file is empty where none stands in front.
type tareLogged struct {
	message, file string
	line          int
}

// tareLogs takes apart what testing wrote down for b: "    file.go:12: text", continued on lines that are indented further.
func tareLogs(b *B) (entries []tareLogged) {
	const indent = "    "
	for _, text := range strings.Split(string(b.output), "\n") {
		if last := len(entries) - 1; last >= 0 && strings.HasPrefix(text, indent+indent) {
			entries[last].message += "\n" + strings.TrimSpace(text)
			continue
		}
		if !strings.HasPrefix(text, indent) {
			continue
		}
		entry := tareLogged{message: strings.TrimSpace(text)}
		place, rest, found := strings.Cut(entry.message, ": ")
		name, number, numbered := strings.Cut(place, ":")
		if at, err := strconv.Atoi(number); found && numbered && err == nil {
			entry = tareLogged{rest, name, at}
		}
		entries = append(entries, entry)
	}
	return entries
}

// at is the entry with its file's name completed by the folder of the benchmark.
func (l tareLogged) at(b *B) (message, file string, line int) {
	message, file, line = l.message, l.file, l.line
	if file != "" && !filepath.IsAbs(file) {
		source, start := tareSource(b.benchFunc)
		file = filepath.Join(filepath.Dir(source), file)
		// What testing itself complains of, such as a b.Loop that is left early, has a place in testing's own source.
		if _, err := os.Stat(file); err != nil {
			file, line = source, start
		}
	}
	return message, file, line
}

// tareLastLog takes the last entry from what testing wrote down for b.
func tareLastLog(b *B) (message, file string, line int) {
	entries := tareLogs(b)
	if len(entries) == 0 {
		return "", "", 0
	}
	return entries[len(entries)-1].at(b)
}

// tareRecover is deferred where testing runs a benchmark function: a panic ends the benchmark, not the process.
func tareRecover(b *B) {
	if tare == nil || tare.state == tareIdle {
		return
	}
	thrown := recover()
	if thrown == nil {
		return
	}
	fault := &tareFault{kind: "exception", message: b.name + ": panic: " + tareText(thrown)}
	trace := make([]byte, 1<<16)
	fault.trace = string(trace[:runtime.Stack(trace, false)])
	fault.file, fault.line = tarePanicPlace()
	tare.trouble = fault
	b.failed = true
}

// tareText prints what was thrown. Its own String or Error method may panic as well.
func tareText(thrown any) (text string) {
	defer func() {
		if recover() != nil {
			text = "a value that can't be printed"
		}
	}()
	switch value := thrown.(type) {
	case error:
		return value.Error()
	case interface{ String() string }:
		return value.String()
	case string:
		return value
	}
	return reflect.ValueOf(thrown).Type().String()
}

// tarePanicPlace is the line that threw: the first frame below the runtime's own.
func tarePanicPlace() (string, int) {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	panicking := false
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "runtime.") {
			panicking = panicking || strings.HasPrefix(frame.Function, "runtime.gopanic")
		} else if panicking {
			return frame.File, frame.Line
		}
		if !more {
			return "", 0
		}
	}
}
