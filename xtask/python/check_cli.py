"""Checks the cronos command against numpy, onnxruntime, scikit-learn and Pillow.

Usage: check_cli.py CRONOS_BINARY
"""

import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnxruntime
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.metrics import r2_score

RELATIVE = 1e-6


class Command:
    """The binary, run in a folder of its own."""

    def __init__(self, binary, folder):
        self.binary = pathlib.Path(binary).resolve()
        self.folder = pathlib.Path(folder)

    def run(self, *arguments):
        done = subprocess.run(
            [self.binary, *map(str, arguments)],
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        line = " ".join(map(str, arguments))
        assert done.returncode == 0, f"{line}: exit {done.returncode}, {done.stderr}"
        return done.stdout

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--json"))

    def predictions(self, model, data):
        rows = list(csv.DictReader(io.StringIO(self.run("predict", model, data))))
        return [row["prediction"] for row in rows]

    def table(self, name, features, target=None, names=None, target_name="class"):
        names = names or [f"a{j}" for j in range(features.shape[1])]
        with open(self.folder / name, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(names if target is None else [*names, target_name])
            for i, row in enumerate(features):
                cells = [repr(float(value)) for value in row]
                writer.writerow(cells if target is None else [*cells, target[i]])


def tensors(path):
    """The tensors of a safetensors file, read by hand."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    types = {"F64": "<f8", "I64": "<i8"}
    found = {}
    for name, entry in header.items():
        if name != "__metadata__":
            start, end = entry["data_offsets"]
            values = numpy.frombuffer(
                data[8 + length + start : 8 + length + end], types[entry["dtype"]]
            )
            found[name] = values.reshape(entry["shape"])
    return found


def network(parts, features, gated):
    """The network's outputs on raw features, from the definition."""
    units = features @ parts["hidden.weight"].T + parts["hidden.bias"]
    if gated:
        gates = features @ parts["gate.weight"].T + parts["gate.bias"]
        units = units * (gates >= 0)[:, parts["gate.index"]]
    else:
        units = numpy.maximum(units, 0)
    return units @ parts["output.weight"].T + parts["output.bias"]


def close(what, found, expected, relative=RELATIVE):
    error = abs(found - expected) / max(abs(expected), 1e-300)
    assert error <= relative, f"{what} is {found}, not {expected}"


def check_objective(command, plain, activation):
    """The saved network has the objective and the accuracy that were reported."""
    random = numpy.random.default_rng(1)
    raw = random.normal(size=(60, 5)) * [1, 2, 5, 0.5, 1] + [0, 1, -3, 0, 10]
    y = numpy.where(raw[:, 0] * (raw[:, 1] - 1) > 0, 1.0, -1.0)
    directions = random.normal(size=(5, 12))
    beta = 0.5
    command.table("d.csv", raw, ["yes" if value > 0 else "no" for value in y])
    numpy.save(command.folder / "g.npy", directions)
    options = ["--no-standardize", "--no-bias"] if plain else []
    report = command.json(
        *"fit d.csv --gate-file g.npy --beta 0.5 --precision f64 --tolerance 1e-6".split(),
        *"--holdout 0 --strict --force --out m.safetensors --activation".split(),
        *[activation, *options],
    )
    seen, mean, scale = raw, numpy.zeros(5), numpy.ones(5)
    if not plain:
        mean, scale = raw.mean(axis=0), raw.std(axis=0)
        seen = numpy.hstack([(raw - mean) / scale, numpy.ones((60, 1))])
        directions = numpy.vstack([directions, numpy.zeros((1, 12))])
    patterns = {tuple(seen @ g >= 0) for g in directions.T}
    patterns.discard((False,) * 60)
    assert report["gates"] == len(patterns), f"{report['gates']} gates"
    parts = tensors(command.folder / "m.safetensors")
    assert len(parts["hidden.bias"]) == report["neurons"], "the number of neurons"
    outputs = network(parts, raw, activation == "gated")[:, 0]
    accuracy = numpy.mean(numpy.where(outputs >= 0, 1, -1) == y)
    close("the accuracy", report["train"]["accuracy"], accuracy, 1e-12)
    # hidden weights as they act on the features that the program sees
    hidden = parts["hidden.weight"] * scale
    if plain:
        assert not parts["hidden.bias"].any(), "there is a bias"
    else:
        bias = parts["hidden.bias"] + parts["hidden.weight"] @ mean
        hidden = numpy.hstack([hidden, bias[:, None]])
    outer = parts["output.weight"][0]
    penalty = beta * numpy.sum(numpy.linalg.norm(hidden, axis=1) * numpy.abs(outer))
    objective = 0.5 * numpy.sum((outputs - y) ** 2) + penalty
    close("the objective of the network", report["network_objective"], objective)
    close("the objective of the program", report["objective"], objective, 1e-4)
    assert report["lower_bound"] <= objective * (1 + RELATIVE), "the bound is too high"
    check_optimality(seen, y, patterns, beta, report, activation)


def check_optimality(seen, y, patterns, beta, report, activation):
    """Proximal gradient steps from zero cannot get below the lower bound.

    Only for the gated activation, whose program has no constraints.
    """
    if activation != "gated":
        return
    blocks = [seen * numpy.array(pattern)[:, None] for pattern in sorted(patterns)]
    stacked = numpy.hstack(blocks)
    step = 1 / numpy.linalg.norm(stacked, 2) ** 2
    weights = momentum = numpy.zeros((len(blocks), seen.shape[1]))
    speed = 1.0
    for _ in range(50_000):
        slope = (stacked.T @ (stacked @ momentum.ravel() - y)).reshape(weights.shape)
        moved = momentum - step * slope
        norms = numpy.linalg.norm(moved, axis=1, keepdims=True)
        shrunk = moved * numpy.maximum(1 - step * beta / numpy.maximum(norms, 1e-300), 0)
        faster = (1 + (1 + 4 * speed**2) ** 0.5) / 2
        momentum = shrunk + (speed - 1) / faster * (shrunk - weights)
        weights, speed = shrunk, faster
    penalty = beta * numpy.linalg.norm(weights, axis=1).sum()
    best = 0.5 * numpy.sum((stacked @ weights.ravel() - y) ** 2) + penalty
    close("the optimum", report["objective"], best, 1e-5)
    assert report["lower_bound"] <= best * (1 + 1e-9), "the bound is above the optimum"


def check_digits(command):
    """The digits built in are scikit-learn's, and ONNX labels them alike."""
    digits = load_digits()
    report = command.json(
        *"fit digits --gates 20 --tolerance 0.1 --holdout 0 --out digits.safetensors".split()
    )
    names = [f"pixel_{pixel // 8}_{pixel % 8}" for pixel in range(64)]
    command.table("digits.csv", digits.data, names=names)
    labels = command.predictions("digits.safetensors", "digits.csv")
    accuracy = numpy.mean([int(label) == own for label, own in zip(labels, digits.target)])
    close("the accuracy on digits", report["train"]["accuracy"], accuracy, 1e-12)
    assert accuracy > 0.98, f"the accuracy is {accuracy}"
    assert report["train"]["rows"] == 1797, "the number of digits"
    built_in = command.predictions("digits.safetensors", "digits")
    assert built_in == labels, "digits differ from scikit-learn's"
    command.table("labelled.csv", digits.data, digits.target, names)
    found = [command.json("inspect", data) for data in ("digits", "labelled.csv")]
    assert found[0]["fingerprint"] == found[1]["fingerprint"], "the fingerprints differ"
    command.run("export", "digits.safetensors", "--onnx", "digits.onnx")
    session = onnxruntime.InferenceSession(
        str(command.folder / "digits.onnx"), providers=["CPUExecutionProvider"]
    )
    features = digits.data.astype(numpy.float32)
    onnx = session.run(["label"], {session.get_inputs()[0].name: features})[0]
    different = sum(str(a) != b for a, b in zip(onnx, labels))
    assert different == 0, f"onnxruntime labels {different} of 1797 rows otherwise"


def check_regression(command):
    """R² is scikit-learn's."""
    random = numpy.random.default_rng(2)
    x = random.normal(size=(150, 4))
    y = 100 + 20 * numpy.abs(x[:, 0]) - 5 * x[:, 1] + random.normal(size=150)
    targets = [repr(float(value)) for value in y]
    command.table("train.csv", x[:100], targets[:100], target_name="y")
    command.table("test.csv", x[100:], targets[100:], target_name="y")
    report = command.json(
        *"fit train.csv --test test.csv --gates 20 --out r.safetensors".split()
    )
    for part, rows in (("train", slice(0, 100)), ("test", slice(100, 150))):
        predicted = [float(p) for p in command.predictions("r.safetensors", f"{part}.csv")]
        expected = r2_score(y[rows], predicted)
        close(f"R² of {part}", report[part]["r2"], expected)
        error = numpy.sqrt(numpy.mean((y[rows] - predicted) ** 2))
        close(f"the error of {part}", report[part]["rmse"], error)
    assert report["test"]["r2"] > 0.8, f"R² is {report['test']['r2']}"


def check_images(command):
    """A folder of images is what Pillow makes of it, padded or resized."""
    random = numpy.random.default_rng(5)
    for number in range(24):
        height, width = random.integers(12, 25, 2)
        coarse = random.integers(0, 256, (3, 4, 3), dtype=numpy.uint8)
        image = Image.fromarray(coarse).resize((int(width), int(height)), Image.Resampling.BICUBIC)
        name, ending = ("first", "png") if number % 2 else ("second", "jpg")
        if name == "first":
            image = image.point(lambda value: value // 2)
        (command.folder / "images" / name).mkdir(parents=True, exist_ok=True)
        image.save(command.folder / "images" / name / f"{number:02}.{ending}", quality=95)
    files = sorted((command.folder / "images").glob("*/*"))
    images = [Image.open(file).convert("RGB") for file in files]
    high, wide = max(i.height for i in images), max(i.width for i in images)

    def padded(image):
        frame = Image.new("RGB", (wide, high))
        frame.paste(image, ((wide - image.width) // 2, (high - image.height) // 2))
        return frame

    def resized(image):
        return image.resize((9, 7), Image.Resampling.BILINEAR)

    for options, brought in (([], padded), (["--image-size", "7x9"], resized)):
        command.run(
            *"fit images --gates 6 --holdout 0 --force --out i.safetensors".split(), *options
        )
        pixels = numpy.stack([numpy.asarray(brought(image)).ravel() for image in images])
        outputs = network(
            tensors(command.folder / "i.safetensors"), pixels.astype(float), False
        ).ravel()
        rows = list(csv.DictReader(io.StringIO(command.run("predict", "i.safetensors", "images"))))
        names = [row["file"] for row in rows]
        assert names == [f"{f.parent.name}/{f.name}" for f in files], f"the files are {names}"
        decisions = numpy.array([float(row["decision"]) for row in rows])
        # Decoders may round a JPEG's values by one, and filters those of a smaller image.
        off = numpy.abs(decisions - outputs).max() / numpy.abs(outputs).max()
        assert off < 0.02, f"decisions are off by {off} with {options}"
        exact = [place for place, file in enumerate(files) if file.suffix == ".png"]
        if not options:
            close("a PNG's decision", decisions[exact[0]], outputs[exact[0]])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    checks = [
        ("relu, standardised with bias", lambda c: check_objective(c, False, "relu")),
        ("relu, plain", lambda c: check_objective(c, True, "relu")),
        ("gated, standardised with bias", lambda c: check_objective(c, False, "gated")),
        ("gated, plain", lambda c: check_objective(c, True, "gated")),
        ("digits", check_digits),
        ("regression", check_regression),
        ("images", check_images),
    ]
    failed = 0
    for name, check in checks:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(Command(sys.argv[1], folder))
            except Exception as error:
                failed += 1
                print(f"{name}: {error!r}")
    print(f"{len(checks) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
