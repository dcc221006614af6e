"""Reviews: cronos on counts of words and on features of encoders, against logistic regression and heads
trained by AdamW on the same features; and how fast features are made, next to PyTorch."""

import gzip
import json
import os
import time
from pathlib import Path

import numpy as np
import sklearn
import torch
import transformers
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import cronos_command
import torch_adamw
from report import arguments, finish, say, table

BATCH = 32
SPEED_TEXTS = 256
PENALTIES = [0.01, 0.1, 1.0, 10.0]  # of logistic regression, by a tenth of the rows held out


def texts(path: Path) -> tuple[list[str], np.ndarray]:
    open_file = gzip.open if path.suffix == ".gz" else open
    with open_file(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [row["text"] for row in rows], np.array([row["label"] for row in rows])


def logistic(x, y, x_test, y_test) -> dict:
    """scikit-learn's, its penalty by a tenth of the rows held out."""
    start = time.perf_counter()
    order = np.random.default_rng(0).permutation(len(y))
    outer, inner = order[: len(y) // 10], order[len(y) // 10 :]
    fit = lambda rows, c: LogisticRegression(C=c, max_iter=2000).fit(x[rows], y[rows])
    best = max(PENALTIES, key=lambda c: fit(inner, c).score(x[outer], y[outer]))
    model = fit(order, best)
    seconds = time.perf_counter() - start
    return {"test": float(model.score(x_test, y_test)), "seconds": seconds, "c": best}


def features(options, encoder: Path, sample: int, length: int) -> list[np.ndarray]:
    """Features and targets of the training and of the test texts, by cronos."""
    arrays = []
    for part in ("train", "test"):
        x, y = (options.folder / f"{part}-{name}.npy" for name in "xy")
        path = options.texts / f"imdb_{part}.jsonl.gz"
        cronos_command.run(
            options.program, "embed", path, "--encoder", encoder, "--max-length", length, "--sample",
            sample, "--out", x, "--targets", y, "--target", "label", "--force",
        )  # fmt: skip
        arrays += [np.load(x), np.load(y).ravel().astype(np.int64)]
    x, y, x_test, y_test = arrays
    mean, scale = x.mean(axis=0), x.std(axis=0)
    scaled = lambda a: (a - mean) / np.where(scale > 0, scale, 1.0)
    return [scaled(x), y, scaled(x_test), y_test]


def by_encoder(options, name: str, encoder: Path, sample: int, length: int) -> dict:
    train, test = (options.texts / f"imdb_{part}.jsonl.gz" for part in ("train", "test"))
    answer = cronos_command.run(
        options.program, "text", "fit", train, "--test", test, "--target", "label", "--encoder", encoder,
        "--max-length", length, "--sample", sample,
    )  # fmt: skip
    say(f"{name}: cronos {answer['test']}, {answer['seconds']}")
    arrays = features(options, encoder, sample, length)
    adamw = torch_adamw.sweep(*arrays, answer["neurons"], options.quick)
    say(f"{name}: AdamW {adamw['test']}, {adamw['seconds']:.1f} s")
    linear = logistic(*arrays)
    say(f"{name}: logistic regression {linear}")
    return {"features": f"{name}, {length} tokens", "rows": len(arrays[1]), "cronos": answer, "adamw": adamw, "logistic": linear}


def by_words(options) -> dict:
    """Counts of words and pairs of words."""
    train, test = (options.texts / f"imdb_{part}.jsonl.gz" for part in ("train", "test"))
    answer = cronos_command.run(
        options.program, "text", "fit", train, "--test", test, "--target", "label"
    )
    say(f"TF-IDF: cronos {answer['test']}, {answer['seconds']}")
    (raw, y), (raw_test, y_test) = texts(train), texts(test)
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True, max_features=200_000)
    x, x_test = words.fit_transform(raw), words.transform(raw_test)
    linear = logistic(x, y, x_test, y_test)
    say(f"TF-IDF: logistic regression {linear}")
    adamw = sparse_sweep(x, y, x_test, y_test)
    say(f"TF-IDF: AdamW {adamw['test']}, {adamw['seconds']:.1f} s")
    return {"features": "TF-IDF", "rows": len(y), "cronos": answer, "adamw": adamw, "logistic": linear}


def sparse_sweep(x, y, x_test, y_test) -> dict:
    """A linear head on sparse rows, five rates; as torch_adamw does it for dense ones."""
    rng = np.random.default_rng(0)
    order = rng.permutation(len(y))
    outer, inner = order[: len(y) // 10], order[len(y) // 10 :]
    rates = 10 ** rng.uniform(-5, -1, torch_adamw.TRIES)
    runs = []
    for seed, rate in enumerate(rates):
        torch.manual_seed(seed)
        head = torch.nn.EmbeddingBag(x.shape[1], 2, mode="sum")
        torch.nn.init.zeros_(head.weight)
        optimiser = torch.optim.AdamW(head.parameters(), lr=float(rate))
        best, since, start = {"validation": -1.0}, 0, time.perf_counter()
        for epoch in range(1, torch_adamw.EPOCHS + 1):
            shuffled = inner[np.random.default_rng(epoch).permutation(len(inner))]
            for first in range(0, len(shuffled), torch_adamw.BATCH):
                rows = shuffled[first : first + torch_adamw.BATCH]
                optimiser.zero_grad()
                loss = torch.nn.functional.cross_entropy(bag(head, x[rows]), torch.from_numpy(y[rows]))
                loss.backward()
                optimiser.step()
            right = lambda x, y: float((bag(head, x).argmax(dim=1).numpy() == y).mean())
            with torch.no_grad():
                validation = right(x[outer], y[outer])
                since += 1
                if validation > best["validation"]:
                    best, since = {"validation": validation, "epoch": epoch}, 0
                    best["test"] = right(x_test, y_test)
            if since >= torch_adamw.PATIENCE:
                break
        runs.append(best | {"rate": float(rate), "seconds": time.perf_counter() - start})
        say(f"TF-IDF: AdamW at {rate:.1e}: {best}")
    best = max(runs, key=lambda run: run["validation"])
    return {"test": best["test"], "seconds": sum(run["seconds"] for run in runs), "runs": runs}


def bag(head, x):
    """The products of sparse rows with the weights of a head."""
    return head(
        torch.from_numpy(x.indices.astype(np.int64)),
        torch.from_numpy(x.indptr[:-1].astype(np.int64)),
        per_sample_weights=torch.from_numpy(x.data.astype(np.float32)),
    )


def speed(options, name: str, encoder: Path, length: int) -> dict:
    """Texts a second, by PyTorch and by cronos, in turn; loading is not counted."""
    raw, _ = texts(options.texts / "imdb_test.jsonl.gz")
    raw = raw[:: len(raw) // SPEED_TEXTS][:SPEED_TEXTS]
    file = options.folder / "speed.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in raw), encoding="utf-8")
    if encoder.suffix == ".gguf":
        named = {"gguf_file": encoder.name}
        tokens = transformers.AutoTokenizer.from_pretrained(encoder.parent, **named)
        model = transformers.AutoModel.from_pretrained(encoder.parent, **named).eval()
        tokens.pad_token = tokens.eos_token
    else:
        tokens = transformers.AutoTokenizer.from_pretrained(encoder)
        model = transformers.AutoModel.from_pretrained(encoder).eval()
    torch.set_num_threads(os.cpu_count())
    best = {"PyTorch": float("inf"), "cronos": float("inf")}
    for _ in range(options.repeats):
        start = time.perf_counter()
        with torch.no_grad():
            for first in range(0, len(raw), BATCH):
                cut = tokens(raw[first : first + BATCH], truncation=True, max_length=length,
                             padding=True, return_tensors="pt")
                states, mask = model(**cut).last_hidden_state, cut["attention_mask"][..., None]
                theirs = (states * mask).sum(1) / mask.sum(1)
        best["PyTorch"] = min(best["PyTorch"], time.perf_counter() - start)
        out = options.folder / "speed.npy"
        answer = cronos_command.run(
            options.program, "embed", file, "--encoder", encoder, "--max-length", length, "--batch",
            BATCH, "--no-cache", "--out", out, "--force",
        )  # fmt: skip
        best["cronos"] = min(best["cronos"], answer["seconds"]["encoding"])
    difference = float(np.abs(np.load(out)[-len(theirs) :] - theirs.numpy()).max())
    say(f"{name}: {best}, largest difference {difference:.1e}")
    return {"features": f"{name}, {length} tokens", "seconds": best, "texts": len(raw), "difference": difference}


def main() -> None:
    options = arguments(__doc__)
    encoders = {}
    for given in options.encoder:
        name, rest = given.split("=", 1)
        path, sample, length = rest.rsplit("@", 2)
        encoders[name] = (Path(path), int(sample), int(length))
    speeds = [speed(options, name, path, length) for name, (path, _, length) in encoders.items()]
    runs = [by_words(options)]
    runs += [by_encoder(options, name, *where) for name, where in encoders.items()]
    percent = lambda share: f"{100 * share:.2f} %"
    rows = []
    for run in runs:
        kind, seconds = [run["features"], f"{run['rows']:,}"], run["cronos"]["seconds"]
        ours = seconds["setup"] + seconds["iterations"]
        rows.append([*kind, "cronos", percent(run["cronos"]["test"]["accuracy"]), f"{ours:.0f} s"])
        rows.append([*kind, "AdamW, best of 5 rates", percent(run["adamw"]["test"]), f"{run['adamw']['seconds']:.0f} s"])
        rows.append([*kind, "logistic regression", percent(run["logistic"]["test"]), f"{run['logistic']['seconds']:.0f} s"])
    head = ["features", "texts", "learner", "test accuracy", "time"]
    made = [
        [s["features"], f"{s['texts'] / s['seconds']['PyTorch']:.1f}", f"{s['texts'] / s['seconds']['cronos']:.1f}",
         f"{s['seconds']['PyTorch'] / s['seconds']['cronos']:.2f}"]
        for s in speeds
    ]  # fmt: skip
    text = f"""
Movie reviews (IMDb), as many to test as to train on. Times are those of the learners, without making features. AdamW: on \
TF-IDF a linear layer, else as many hidden units as cronos has; batches of {torch_adamw.BATCH}, at most {torch_adamw.EPOCHS} \
epochs, {torch_adamw.TRIES} learning rates drawn log-uniformly from 1e-5 to 0.1; rate, epoch and the penalty of logistic regression \
are chosen on a tenth of the rows held out. Command: `cargo xtask bench language --texts DIR \
--encoder NAME=PATH@TEXTS@LENGTH`.

{table(head, rows, {"features", "learner"})}

Texts that are encoded in a second ({SPEED_TEXTS} reviews, batches of {BATCH}, best of {options.repeats}, in turn, without loading the weights):

{table(["encoder", "PyTorch", "cronos", "cronos / PyTorch"], made, {"encoder"})}
"""
    versions = {
        "torch": torch.__version__,
        "scikit-learn": sklearn.__version__,
        "transformers": transformers.__version__,
    }
    finish(options.result, text, versions=versions, runs=runs, speeds=speeds)


if __name__ == "__main__":
    main()
