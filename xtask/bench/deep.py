"""An epoch of deep networks: cronos against PyTorch, and CRONOS-AM against Adam."""

import json
import os
import subprocess
from pathlib import Path

import torch

import torch_epoch
from report import arguments, finish, say, table

THREADS = 2
ARCHITECTURES = {"mlp:256,256": "MLP 3072-256-256", "cnn:32,32": "CNN, 3 × 3 × 32 twice"}
NAMES = {"adam": "Adam", "adamw": "AdamW"}


def ours(example: Path, architecture: str, rows: int, epochs: int) -> dict[str, dict]:
    """What the example prints, by rule; its first epoch is not counted either."""
    line = [example, str(rows), str(epochs + 1), architecture, *NAMES, "cronos-am"]
    environment = os.environ | {"RAYON_NUM_THREADS": str(THREADS)}
    done = subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    runs = map(json.loads, done.stdout.splitlines())
    return {run["rule"]: {kind: run[kind][1:] for kind in ("epochs", "steps")} for run in runs}


def main() -> None:
    options = arguments(__doc__)
    torch.set_num_threads(THREADS)
    example = options.program.parent / "examples" / "bench_deep"
    rows, epochs, repeats = (1_000, 1, 1) if options.quick else (10_000, 3, options.repeats)
    runs = []
    for architecture in ARCHITECTURES:
        for repeat in range(repeats):
            theirs = {rule: torch_epoch.epochs(architecture, rule, rows, epochs) for rule in NAMES}
            own = ours(example, architecture, rows, epochs)
            runs.append({"architecture": architecture, "repeat": repeat, "torch": theirs, "cronos": own})
            say(json.dumps(runs[-1]))
    best = lambda architecture, of: min(
        seconds for run in runs if run["architecture"] == architecture for seconds in of(run)
    )
    steps, whole = [], []
    for architecture, name in ARCHITECTURES.items():
        for rule, title in NAMES.items():
            a = best(architecture, lambda run: run["torch"][rule])
            b = best(architecture, lambda run: run["cronos"][rule]["steps"])
            steps.append([name, title, f"{a:.2f} s", f"{b:.2f} s", f"{b / a:.2f}"])
        a = best(architecture, lambda run: run["cronos"]["adam"]["epochs"])
        b = best(architecture, lambda run: run["cronos"]["cronos-am"]["epochs"])
        whole.append([name, f"{a:.2f} s", f"{b:.2f} s", f"{b / a:.2f}"])
    left = {"network", "optimizer"}
    text = f"""
An epoch on {rows:,} random images of 32 × 32 pixels and three colours, in batches of {torch_epoch.BATCH}, on {THREADS} threads, with \
two more layers of {torch_epoch.UNITS} units and one output behind the network. PyTorch {torch.__version__} holds the images as \
numbers, cronos reads and scales bytes. The best of {epochs * repeats} epochs each, in turn. Command: `cargo xtask bench deep`.

{table(["network", "optimizer", "PyTorch", "cronos", "cronos / PyTorch"], steps, left)}

The same networks in cronos, all layers by Adam or the last two as a convex program (CRONOS-AM), with the score on all rows:

{table(["network", "Adam", "CRONOS-AM", "CRONOS-AM / Adam"], whole, left)}
"""
    finish(options.result, text, versions={"torch": torch.__version__}, runs=runs)


if __name__ == "__main__":
    main()
