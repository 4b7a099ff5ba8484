"""The clocks of a sample, all of the module `time` and in whole nanoseconds."""

import time

# Thread time doesn't exist on every platform.
CLOCKS = {
    name: getattr(time, name)
    for name in ("perf_counter_ns", "monotonic_ns", "process_time_ns", "thread_time_ns", "time_ns")
    if hasattr(time, name)
}
DEFAULT = "perf_counter_ns"
