package testing

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"syscall"
)

// tareWire carries requests from standard input and replies to the path in TARE_WIRE (PROTOCOL 1.1). Both are descriptors of
// the worker's own: a benchmark may read os.Stdin and close or replace os.Stdout.
type tareWire struct {
	in        *os.File
	out       *os.File
	to        uintptr // its descriptor
	closed    bool    // the core is gone
	hold      bool    // turns are being measured: between them nothing of this process is to run
	line      []byte
	buffer    []byte // of its own: together with the pointers above the collector would take all of it for what it has to scan
	from, end int    // what of the buffer isn't used yet
}

// tareOpen takes over standard input. Without a path the replies go to standard output, and what is printed there to
// standard error.
func tareOpen(path string) (*tareWire, error) {
	wire := &tareWire{in: os.Stdin, out: os.Stdout, to: uintptr(syscall.Stdout), buffer: make([]byte, 1<<16)}
	if path != "" {
		// Opened by hand: os.OpenFile would give a FIFO to the runtime's poller. Waits until the core has opened the other end.
		fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			return nil, err
		}
		wire.out, wire.to = os.NewFile(uintptr(fd), path), uintptr(fd)
	} else {
		os.Stdout = os.Stderr
	}
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	os.Stdin = nothing
	return wire, nil
}

// read returns the next line that isn't empty, without its end, valid until the next read; io.EOF at the end of input, where
// a last line without a line feed doesn't count. A line longer than a frame may be is answered by a fault.
func (w *tareWire) read() ([]byte, *tareFault, error) {
	long := false
	w.line = w.line[:0]
	for {
		rest := w.buffer[w.from:w.end]
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			w.line = append(w.line, rest...)
			if len(w.line) > tareMaxBytes+1 {
				// Only its end matters now.
				long, w.line = true, w.line[:0]
			}
			n, err := -1, error(nil)
			if w.holds() && tareHold(uintptr(syscall.Stdin)) {
				n = tareReadHeld(uintptr(syscall.Stdin), w.buffer)
			}
			// The end of input, too, is read the usual way, which tells it as an error.
			if n <= 0 {
				n, err = w.in.Read(w.buffer)
			}
			w.from, w.end = 0, n
			if n <= 0 {
				w.end = 0
				if err != nil {
					return nil, nil, io.EOF
				}
			}
			continue
		}
		w.line = append(w.line, rest[:end]...)
		w.from += end + 1
		line := bytes.TrimSuffix(w.line, []byte{'\r'})
		if long || len(line) > tareMaxBytes {
			return nil, &tareFault{id: -1, kind: "bad-frame", message: "The line is longer than 16777216 bytes."}, nil
		}
		if len(line) > 0 {
			return line, nil, nil
		}
		w.line = w.line[:0]
	}
}

func (w *tareWire) send(reply *tareReply) {
	if w.closed {
		return
	}
	line := reply.line()
	if w.holds() {
		line = line[tareWriteHeld(w.to, line):]
	}
	if len(line) == 0 {
		return
	}
	if _, err := w.out.Write(line); err != nil {
		w.closed = true
	}
}

// holds tells whether waiting, reading and writing are to be hidden from the scheduler. With several processors others are idle in the subject's own
// time as well.
func (w *tareWire) holds() bool { return w.hold && runtime.GOMAXPROCS(0) == 1 }
