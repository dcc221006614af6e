"""Files that the command and other software read, and the other way round."""

import csv
import json
import os
import subprocess

import numpy as np
import onnxruntime
import pandas
import pytest
from sklearn.datasets import load_digits

from cronos import CronosClassifier, CronosRegressor, DeepCronosClassifier, load

#: The command; `cargo xtask test` builds it and names it.
COMMAND = os.environ.get("CRONOS_COMMAND")
if COMMAND is None:
    pytest.skip("CRONOS_COMMAND does not name the command", allow_module_level=True)
#: Rows that predictions are compared on.
ROWS = 10_000


def cronos(*arguments):
    line = [COMMAND, *map(str, arguments)]
    return subprocess.run(line, check=True, capture_output=True, text=True).stdout


def outputs_of_the_command(model, data):
    """What it predicts, and the outputs behind it."""
    rows = list(csv.DictReader(cronos("predict", model, data).splitlines()))
    names = [name for name in rows[0] if name.startswith("decision")] or ["prediction"]
    numbers = [[float(row[name]) for name in names] for row in rows]
    return [row["prediction"] for row in rows], np.array(numbers)


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


@pytest.fixture(scope="module")
def many(digits):
    """Rows that no training saw."""
    X, _ = digits
    rng = np.random.default_rng(0)
    return X[rng.integers(0, len(X), ROWS)] + rng.normal(0, 2, (ROWS, X.shape[1]))


MODELS = {
    "automatic": CronosClassifier(fast=True, networks=1),
    "gates": CronosClassifier(gates=20, max_iterations=50),
    "gated": CronosClassifier(gates=20, max_iterations=50, activation="gated"),
    "deep": DeepCronosClassifier(arch="mlp:16", gates=4, epochs=3),
    "numbers": CronosRegressor(gates=20, max_iterations=50),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request, digits):
    return MODELS[request.param].fit(*digits)


def outputs(model, X):
    if not hasattr(model, "classes_"):
        return model.predict(X)[:, None]
    return model.decision_function(X)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_command_predicts_the_same_bits(model, many, tmp_path):
    model.save(tmp_path / "model.safetensors")
    np.save(tmp_path / "rows.npy", many[:500])
    labels, found = outputs_of_the_command(tmp_path / "model.safetensors", tmp_path / "rows.npy")
    np.testing.assert_array_equal(found, outputs(model, many[:500]))
    if hasattr(model, "classes_"):
        assert labels == [str(label) for label in model.predict(many[:500])]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_onnx_agrees(model, many, tmp_path):
    model.to_onnx(tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    (entry,) = session.get_inputs()
    kind = {"tensor(float)": np.float32, "tensor(double)": np.float64}[entry.type]
    found = session.run(None, {entry.name: many.astype(kind)})
    expected = outputs(model, many.astype(kind))
    numbers = next(each for each in found if each.shape == expected.shape)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(numbers, expected, rtol=0, atol=1e-5 * scale)


def test_a_model_of_the_command_predicts_the_same_bits(digits, many, tmp_path):
    X, y = digits
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", y)
    np.save(tmp_path / "rows.npy", many[:500])
    files = (tmp_path / "x.npy", "--target", tmp_path / "y.npy", "--json")
    for name, line in {
        "fit": ("fit", *files, "--gates", "20", "--max-iterations", "50"),
        "deep": ("deep", *files, "--arch", "mlp:16", "--gates", "4", "--epochs", "3"),
    }.items():
        path = tmp_path / f"{name}.safetensors"
        told = json.loads(cronos(*line, "--out", path))
        loaded = load(path)
        assert loaded.objective_ == told["objective"]
        labels, found = outputs_of_the_command(path, tmp_path / "rows.npy")
        np.testing.assert_array_equal(found, loaded.decision_function(many[:500]))
        assert labels == [str(label) for label in loaded.predict(many[:500])]


def test_missing_values_are_filled_as_the_command_fills_them(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = np.where(X[:, 0] > 0, "up", "down")
    X[rng.random(X.shape) < 0.1] = np.nan
    cells = [["" if np.isnan(v) else repr(float(v)) for v in row] for row in X]
    lines = ["a,b,c,class", *(",".join([*row, label]) for row, label in zip(cells, y))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    model = tmp_path / "m.safetensors"
    cronos("fit", tmp_path / "t.csv", "--impute", "mean", "--gates", "10", "--out", model)
    loaded = load(model)
    assert list(loaded.feature_names_in_) == ["a", "b", "c"]
    _, found = outputs_of_the_command(model, tmp_path / "t.csv")
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    np.testing.assert_array_equal(found[:, 0], loaded.decision_function(frame))


def test_files_have_the_usual_permissions(digits, tmp_path):
    model = CronosRegressor(gates=2, tolerance=0.5).fit(*digits)
    path, other = tmp_path / "model.safetensors", tmp_path / "other"
    model.save(path)
    other.write_bytes(b"")
    assert path.stat().st_mode == other.stat().st_mode
    path.chmod(0o640)
    model.save(path)
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == ["model.safetensors", "other"]


def test_a_file_that_is_none(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="model"):
        load(tmp_path / "model.safetensors")
