"""Processes that share the rows, as `mpirun` starts them."""

import atexit
import sys
import time
import traceback
from contextlib import contextmanager

from . import _core

#: Seconds that others wait before they speak: what all find wrong is told by the first.
PAUSE = 2.0

atexit.register(_core.end_ranks)


@contextmanager
def together(mpi):
    """Ranks go on together. One that cannot says why and ends all, since others would wait for it."""
    rank, ranks = _core.ranks() if mpi else (0, 1)
    try:
        yield
    except BaseException:
        if ranks > 1:
            if rank > 0:
                time.sleep(PAUSE)
            print(f"rank {rank}: {traceback.format_exc()}", end="", file=sys.stderr, flush=True)
            _core.abort_ranks(1)
        raise
