package testing

import (
	"fmt"
	"syscall"
)

// tareTypeOf names what was returned: *net.OpError, *errors.errorString.
func tareTypeOf(err error) string {
	return fmt.Sprintf("%T", err)
}

func tarePrinted(value any) string {
	return fmt.Sprint(value)
}

// tareWaitUntil waits by the system's own sleep: the runtime's timers wait for milliseconds where nothing else runs.
func tareWaitUntil(at int64) {
	for left := at - tareNow(); left > 0; left = at - tareNow() {
		rest := syscall.NsecToTimespec(left)
		_ = syscall.Nanosleep(&rest, nil)
	}
}
