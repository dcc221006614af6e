"""Fashion-MNIST, ten classes: cronos without a flag against networks of the same width."""

import time
from pathlib import Path

import numpy as np
import sklearn
import torch
from sklearn.neural_network import MLPClassifier

import cronos_command
import torch_adamw
from problems import fashion
from report import arguments, finish, say, table

PAPER = 85.8  # %, test accuracy as the paper prints it


class Capped(MLPClassifier):
    """scikit-learn's, which ends its training as on Ctrl-C once its time is up."""

    ends = float("inf")

    def _update_no_improvement_count(self, *arguments):
        super()._update_no_improvement_count(*arguments)
        if time.perf_counter() > self.ends:
            raise KeyboardInterrupt


def scikit(x, y, x_test, y_test, units: int, limit: float) -> dict:
    features = lambda a: a.astype(np.float32) / 255
    model = Capped(hidden_layer_sizes=(units,), random_state=0)
    start = time.perf_counter()
    model.ends = start + limit
    model.fit(features(x), y)
    seconds = time.perf_counter() - start
    test = float(model.score(features(x_test), y_test))
    return {"test": test, "seconds": seconds, "epochs": model.n_iter_, "capped": seconds > limit}


def main() -> None:
    options = arguments(__doc__)
    x, y = fashion(options.images, "train")
    x_test, y_test = fashion(options.images, "t10k")
    if options.quick:
        x, y, x_test, y_test = x[:1000], y[:1000], x_test[:500], y_test[:500]
        answer = sample(options.program, options.folder, x, y, x_test, y_test)
    else:
        images = options.images / "train-images-idx3-ubyte.gz"
        test = options.images / "t10k-images-idx3-ubyte.gz"
        answer = cronos_command.run(options.program, "fit", images, "--test", test)
    units, ours = answer["neurons"], answer["seconds"]["total"]
    say(f"cronos: {answer['test']}, {units} neurons, {ours:.1f} s")
    adamw = torch_adamw.sweep(x, y, x_test, y_test, units, options.quick)
    say(f"AdamW: {adamw}")
    mlp = scikit(x, y, x_test, y_test, units, options.limit)
    say(f"MLPClassifier: {mlp}")
    percent = lambda share: f"{100 * share:.2f} %"
    cap = f", stopped after {mlp['epochs']} epochs" if mlp["capped"] else ""
    accuracy = answer["test"]["accuracy"]
    peak = answer["peak_memory_bytes"] / 2**30
    rows = [
        [f"cronos, {'--fast' if options.quick else 'no flag'}", units, percent(accuracy), f"{ours:.0f} s, peak memory {peak:.1f} GiB"],
        ["PyTorch, AdamW", units, percent(adamw["test"]), f"{adamw['seconds']:.0f} s, all {torch_adamw.TRIES} rates"],
        ["scikit-learn, MLPClassifier", units, percent(mlp["test"]), f"{mlp['seconds']:.0f} s{cap}"],
        ["CRONOS, as published", "–", f"{PAPER} %", "–"],
    ]
    lines = table(["learner", "hidden units", "test accuracy", "time"], rows, {"learner", "time"})
    count = f"{len(x):,}"
    text = f"""
Fashion-MNIST, {count} images to train on and {len(x_test):,} to test: cronos without a flag, then networks with as many hidden \
units. AdamW: batches of {torch_adamw.BATCH}, at most {torch_adamw.EPOCHS} epochs, {torch_adamw.TRIES} learning rates drawn \
log-uniformly from 1e-5 to 0.1; rate and epoch are chosen on a tenth of the rows held out, and the time is that of all rates. \
scikit-learn's MLPClassifier has its defaults and at most {options.limit:g} s. Command: `cargo xtask bench fashion --limit {options.limit:g}`.

{lines}
"""
    versions = {"torch": torch.__version__, "scikit-learn": sklearn.__version__}
    runs = [{"cronos": answer, "adamw": adamw, "mlp": mlp, "paper": PAPER / 100}]
    finish(options.result, text, versions=versions, runs=runs)


def sample(program: Path, folder: Path, x, y, x_test, y_test) -> dict:
    """A quick run on a few rows."""
    for name, array in {"x": x, "y": y, "x_test": x_test, "y_test": y_test}.items():
        np.save(folder / f"{name}.npy", array)
    return cronos_command.run(
        program, "fit", folder / "x.npy", "--target", folder / "y.npy", "--test",
        folder / "x_test.npy", "--test-target", folder / "y_test.npy", "--fast",
    )  # fmt: skip


if __name__ == "__main__":
    main()
