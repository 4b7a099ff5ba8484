"""Python's own account of memory, where it was asked for."""

import os
import sys


def tracer():
    """tracemalloc where it is on, by PYTHONTRACEMALLOC or by the user's code; None otherwise: nothing else pays for it."""
    found = sys.modules.get("tracemalloc")
    if found is None and os.environ.get("PYTHONTRACEMALLOC"):
        import tracemalloc as found
    return found if found is not None and found.is_tracing() else None
