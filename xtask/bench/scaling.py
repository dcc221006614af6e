"""Growth of the time of an ADMM iteration and of memory when n, d, P or C doubles, each run a
process of its own."""

from pathlib import Path

import numpy as np

import cronos_command
from report import arguments, finish, say, table

BASE = (4000, 256, 16, 2)  # n, d, P, C
SMALL = (500, 32, 4, 2)
TIMED = 20  # iterations, before the stiffness of groups is first adapted
# by then all arrays that were planned are there, the matrices of the groups included
FILLED = 100
SOLVERS = ["direct", "sample-pcg"]


def write_arrays(folder: Path, shape: tuple) -> None:
    """Features with a power-law spectrum, and the signs of linear functions of them."""
    n, d, _, outputs = shape
    rng = np.random.default_rng(3)
    x = (rng.standard_normal((n, d)) * 3.0 / np.sqrt(np.arange(1, d + 1))).astype(np.float32)
    y = np.sign(x @ rng.standard_normal((d, outputs))).astype(np.float32)
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", y)


def case(program: Path, folder: Path, shape: tuple, solver: str, repeats: int) -> dict:
    n, d, gates, outputs = shape
    write_arrays(folder, shape)
    fit = lambda iterations: cronos_command.run(
        program, "fit", folder / "x.npy", "--target", folder / "y.npy", "--task", "regression",
        "--no-standardize", "--no-bias", "--holdout", "0", "--gates", str(gates), "--beta", "10",
        "--solver", solver, "--max-iterations", str(iterations), "--tolerance", "1e-3",
    )  # fmt: skip
    answers = [fit(TIMED) for _ in range(repeats)]
    filled = fit(FILLED)
    step = lambda a: (a["seconds"]["solve"] + a["seconds"]["sweep"]) / a["iterations"]
    best = min(answers, key=step)
    assert best["gates"] == gates and best["data"]["outputs"] == outputs, best
    return {
        "n": n, "d": d, "gates": gates, "outputs": outputs, "solver": solver,
        "iteration_seconds": step(best),
        "setup_seconds": min(a["seconds"]["setup"] for a in answers),
        "inner": best["inner_iterations"] / best["iterations"],
        "planned": filled["planned_memory_bytes"],
        "peak": filled["peak_memory_bytes"],
        "answers": [*answers, filled],
    }  # fmt: skip


def operations(run: dict) -> float:
    """Of one iteration: products with X, with M⁻¹ and with S⁻¹ or, within conjugate gradients, S."""
    n, d, columns = run["n"], run["d"], run["gates"] * run["outputs"]
    fixed = (12 * n * d + 12 * d * d) * columns
    if run["solver"] == "direct":
        return fixed + 2 * n * n * run["outputs"]
    return fixed + (run["inner"] + 1) * (4 * n * d + 4 * d * d) * columns


def main() -> None:
    options = arguments(__doc__)
    base = SMALL if options.quick else BASE
    rows, runs = [], []
    for solver in SOLVERS:
        first = None
        for name, at in [("–", None), ("n", 0), ("d", 1), ("P", 2), ("C", 3), ("all", "all")]:
            doubled = lambda i: 2 if at in (i, "all") else 1
            shape = tuple(size * doubled(i) for i, size in enumerate(base))
            run = case(options.program, options.folder, shape, solver, options.repeats)
            say(f"{solver}, {shape}: {1e3 * run['iteration_seconds']:.2f} ms")
            runs.append(run)
            first = first or run
            grown = lambda key: "–" if at is None else f"{run[key] / first[key]:.2f}"
            predicted = "–" if at is None else f"{operations(run) / operations(first):.2f}"
            rows.append([
                solver, *shape, name, f"{1e3 * run['iteration_seconds']:.1f}",
                grown("iteration_seconds"), predicted, grown("setup_seconds"),
                f"{run['planned'] / 2**20:.0f}", f"{run['peak'] / 2**20:.0f}",
                grown("peak"), f"{run['peak'] / run['planned']:.2f}",
            ])  # fmt: skip
    head = ["solver", "n", "d", "P", "C", "doubled", "ms/iteration", "grows by", "predicted", "set-up grows by",
            "planned MiB", "peak MiB", "peak grows by", "peak/planned"]  # fmt: skip
    lines = table(head, rows, {"solver", "doubled"})
    text = f"""
Growth when one size doubles: n rows, d features, P gates, C outputs; the mean of {TIMED} ADMM iterations, best of \
{options.repeats} processes. "Predicted" counts the operations of the matrix products: all are linear in P and C; products with X are \
linear in n and d, those with M⁻¹ (d × d) linear in d² and free of n; `direct` also has n² for S⁻¹, and its set-up n³; \
`sample-pcg` has as many products more as it took inner iterations. Memory is the peak of a whole process after {FILLED} iterations, \
with the data as they were read, next to what was planned for the solver. \
Command: `cargo xtask bench scaling`.

{lines}
"""
    finish(options.result, text, runs=runs)


if __name__ == "__main__":
    main()
