"""Time of an ADMM iteration on two ranks with a thread each, next to one process with two threads."""

from pathlib import Path

import cronos_command
from report import arguments, finish, say, table
from scaling import write_arrays

SHAPES = [(60000, 785, 32, 1), (20000, 256, 16, 4), (100000, 64, 32, 1)]  # n, d, P, C
SMALL = [(3000, 16, 4, 1)]
TIMED = 20  # iterations, before the stiffness of groups is first adapted
LAUNCH = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2"]


def fit(launch: list, options: list) -> dict:
    answer = cronos_command.run(*launch, *options)
    answer["step"] = (answer["seconds"]["solve"] + answer["seconds"]["sweep"]) / answer["iterations"]
    return answer


def case(program: Path, folder: Path, shape: tuple, repeats: int) -> dict:
    gates = shape[2]
    write_arrays(folder, shape)
    line = [
        program, "fit", folder / "x.npy", "--target", folder / "y.npy", "--task", "regression",
        "--no-standardize", "--no-bias", "--holdout", "0", "--gates", gates, "--beta", "10",
        "--solver", "sample-pcg", "--max-iterations", TIMED, "--tolerance", "1e-3",
    ]  # fmt: skip
    alone, shared = [], []
    for _ in range(repeats):
        alone.append(fit([], [*line, "--threads", "2"]))
        shared.append(fit(LAUNCH, [*line, "--threads", "1"]))
    best = lambda answers: min(answers, key=lambda answer: answer["step"])
    return {"shape": shape, "alone": best(alone), "shared": best(shared)}


def main() -> None:
    options = arguments(__doc__)
    rows, runs = [], []
    for shape in SMALL if options.quick else SHAPES:
        run = case(options.program, options.folder, shape, options.repeats)
        runs.append(run)
        one, two = run["alone"], run["shared"]
        inner = [answer["inner_iterations"] / answer["iterations"] for answer in (one, two)]
        # conjugate gradients may stop an iteration sooner or later; what counts is the time of a product
        ratio = one["step"] / (1 + inner[0]) / (two["step"] / (1 + inner[1]))
        say(f"{shape}: {1e3 * one['step']:.1f} ms, {1e3 * two['step']:.1f} ms")
        rows.append([
            *shape, f"{1e3 * one['step']:.1f}", f"{inner[0]:.1f}", f"{1e3 * two['step']:.1f}", f"{inner[1]:.1f}",
            f"{100 * ratio:.0f} %",
        ])  # fmt: skip
    head = ["n", "d", "P", "C", "2 threads, ms", "inner", "2 ranks, ms", "inner", "speed"]
    lines = table(head, rows, set())
    text = f"""
Milliseconds of an ADMM iteration (`sample-pcg`, f32, the mean of {TIMED}): one process with two threads, and two ranks \
with one thread each, on the same two cores; "speed" is that of the ranks for as many products. Best of {options.repeats}, \
in turn. Command: `cargo xtask bench ranks`.

{lines}
"""
    finish(options.result, text, runs=runs)


if __name__ == "__main__":
    main()
