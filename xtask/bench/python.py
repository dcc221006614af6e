"""A fit by the Python package next to the same fit by the command."""

import time
import warnings
from pathlib import Path

import numpy as np
from cronos import CronosClassifier
from sklearn.exceptions import ConvergenceWarning

import cronos_command
from problems import fashion
from report import arguments, finish, say, table

GATES, BETA = 32, 30.0


def by_command(program: Path, x: Path, y: Path, flags: list[str]) -> float:
    files = [program, "fit", x, "--target", y, "--holdout", "0"]
    return cronos_command.run(*files, *flags)["seconds"]["total"]


def by_package(x: Path, y: Path, keywords: dict) -> float:
    """Read, fit and score, as the command does, in an interpreter that is there already."""
    start = time.perf_counter()
    features, labels = np.load(x), np.load(y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        CronosClassifier(**keywords).fit(features, labels).score(features, labels)
    return time.perf_counter() - start


def main() -> None:
    options = arguments(__doc__)
    rows, iterations = (1_000, 10) if options.quick else (10_000, 200)
    images, classes = fashion(options.images, "train")
    x, y = options.folder / "python-x.npy", options.folder / "python-y.npy"
    np.save(x, images[:rows].astype(np.float32))
    np.save(y, (classes[:rows] >= 5).astype(np.int64))
    fixed = {"gates": GATES, "beta": BETA, "max_iterations": iterations, "tolerance": 1e-4}
    flags = [part for name, value in fixed.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    works = {
        f"{GATES} gates, β = {BETA:g}, {iterations} iterations": (flags, fixed),
        "everything chosen": ([], {}),
    }
    runs = []
    for repeat in range(1 if options.quick else options.repeats):
        for name, (flags, keywords) in works.items():
            run = {
                "work": name,
                "repeat": repeat,
                "command": by_command(options.program, x, y, flags),
                "package": by_package(x, y, keywords),
            }
            runs.append(run)
            say(str(run))
    lines = []
    for name in works:
        command, package = (min(run[who] for run in runs if run["work"] == name) for who in ("command", "package"))
        lines.append([name, f"{command:.2f} s", f"{package:.2f} s", f"{package / command:.3f}"])
    text = f"""
A fit by the Python package next to the same by the command, on {rows:,} images of Fashion-MNIST, classes 0–4 against 5–9: read, fit and \
score the training rows, without the start of the interpreter. Best of {len(runs) // len(works)}, in turn. The package puts rows in an order \
of its own, so a search is not the same one. Command: `cargo xtask bench python`.

{table(["fit", "command", "package", "package / command"], lines, {"fit"})}
"""
    finish(options.result, text, runs=runs)


if __name__ == "__main__":
    main()
