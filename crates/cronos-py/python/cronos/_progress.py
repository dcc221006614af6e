"""Progress of a fit, at a terminal or in a notebook."""

import sys
import time


class Progress:
    """Shows how far a fit is; with tqdm, if it is installed, which knows notebooks."""

    def __init__(self, name):
        self.name = name
        self.start = time.monotonic()
        self.bar = _bar(name)
        self.shown = False

    def __call__(self, done, of, gap):
        if self.bar is not None:
            self.bar.total = of or None
            self.bar.update(done - self.bar.n)
            return
        steps = f"{done} of at most {of}" if of else f"{done} iterations, gap {gap:.2%}"
        seconds = time.monotonic() - self.start
        sys.stderr.write(f"\r{self.name}: {steps}, {seconds:.0f} s ")
        sys.stderr.flush()
        self.shown = True

    def close(self):
        if self.bar is not None:
            self.bar.close()
        elif self.shown:
            sys.stderr.write("\n")


def _bar(name):
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(desc=name, unit=" steps", leave=False)
