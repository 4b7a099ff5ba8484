"""Coroutines on an event loop that runs already, as that of an async test does."""

import sys


def running_loop():
    """The event loop of asyncio that runs in this thread; None for none."""
    asyncio = sys.modules.get("asyncio")
    return asyncio._get_running_loop() if asyncio is not None else None


class Within:
    """Turns a loop that waits for the current task to go on: that task stands aside until a coroutine has ended."""

    def __init__(self, loop):
        self._loop = loop

    def run(self, coroutine):
        """Runs a coroutine to its end, and returns what it returns."""
        tasks = sys.modules["asyncio"].tasks
        loop = self._loop
        current = tasks.current_task(loop)
        if current is not None:
            tasks._leave_task(loop, current)
        try:
            task = loop.create_task(coroutine)
            while not task.done():
                loop._run_once()
            return task.result()
        finally:
            if current is not None:
                tasks._enter_task(loop, current)
