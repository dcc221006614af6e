"""Fits whose rows several processes share, started by `mpirun`."""

import os
import re
import subprocess
import sys
import time

import numpy as np
import pytest

import cronos
from cronos import CronosClassifier, CronosRegressor

pytestmark = pytest.mark.skipif(
    "CRONOS_RANKS" not in os.environ, reason="needs a wheel that is built with --features mpi"
)

ROWS, FEATURES = 1600, 5


@pytest.fixture
def folder(tmp_path):
    """Two classes that no plane tells apart, and numbers."""
    random = np.random.default_rng(3)
    X = random.uniform(-1, 1, (ROWS, FEATURES)).astype(np.float32)
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "labels.npy", np.where(X[:, 0] * X[:, 1] > 0, "yes", "no"))
    np.save(tmp_path / "numbers.npy", X[:, 0] * X[:, 1])
    return tmp_path


HEAD = """
import os, warnings
import numpy as np
from cronos import CronosClassifier, CronosRegressor
warnings.simplefilter("ignore")
rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
X = np.load("x.npy", mmap_mode="r")
"""


def start(folder, ranks, lines):
    (folder / "train.py").write_text(HEAD + lines)
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)]
    command += [sys.executable, "train.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def models(folder, ranks, lines):
    """The files that the ranks wrote."""
    ended = start(folder, ranks, lines)
    assert ended.returncode == 0, ended.stderr
    files = [folder / f"{rank}.safetensors" for rank in range(ranks)]
    found = [file.read_bytes() for file in files]
    for file in files:
        file.unlink()
    return found


@pytest.mark.parametrize(
    ("model", "targets", "keywords"),
    [
        (CronosClassifier, "labels", "gates=6, loss='logistic', tolerance=1e-3"),
        (CronosClassifier, "labels", "gates=6, class_weight={'no': 3.0, 'yes': 1.0}"),
        (CronosClassifier, "labels", "gates=6, learn_gates=True, fast=True"),
        (CronosRegressor, "numbers", "gates=6, precision='f64', beta=0.5"),
    ],
)
def test_ranks_find_the_same(folder, model, targets, keywords):
    lines = f"""
y = np.load("{targets}.npy")
model = {model.__name__}({keywords}, mpi=True).fit(X, y)
assert model.report_["ranks"] == int(os.environ["OMPI_COMM_WORLD_SIZE"])
model.save(f"{{rank}}.safetensors")
"""
    first = models(folder, 1, lines)[0]
    for ranks in [2, 4]:
        for rank, found in enumerate(models(folder, ranks, lines)):
            assert found == first, f"rank {rank} of {ranks}"


def test_ranks_find_what_one_process_finds(folder):
    lines = """
model = CronosRegressor(gates=6, tolerance=1e-4, precision="f64", beta=0.5, mpi=True).fit(X, np.load("numbers.npy"))
if rank == 0:
    print(model.objective_)
"""
    ended = start(folder, 2, lines)
    assert ended.returncode == 0, ended.stderr
    objective = float(ended.stdout)
    X, y = np.load(folder / "x.npy"), np.load(folder / "numbers.npy")
    alone = CronosRegressor(gates=6, tolerance=1e-4, precision="f64", beta=0.5).fit(X, y)
    # both are proved to be near the one optimum
    assert objective == pytest.approx(alone.objective_, rel=2e-4)


def test_a_path_is_the_same(folder):
    lines = """
path = CronosClassifier(gates=6, tolerance=1e-3, mpi=True).path(X, np.load("labels.npy"), steps=4, smallest=0.01)
path[-1].save(f"{rank}.safetensors")
"""
    first = models(folder, 1, lines)[0]
    assert models(folder, 2, lines) == [first, first]
    file = folder / "m.safetensors"
    file.write_bytes(first)
    last = cronos.load(file)
    X, y = np.load(folder / "x.npy"), np.load(folder / "labels.npy")
    alone = CronosClassifier(gates=6, tolerance=1e-3, beta=last.report_["beta"]).fit(X, y)
    # both are proved to be near the one optimum
    assert last.objective_ == pytest.approx(alone.objective_, rel=2e-3)
    assert last.score(X, y) == pytest.approx(alone.score(X, y), abs=0.01)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        # what all find wrong
        ("y = np.load('labels.npy')[:100]", "rank 0: .*inconsistent numbers of samples"),
        # what one finds wrong while the others work
        ("y = np.load('labels.npy')\nif rank == 1:\n    y = ['one'] * len(y)", "rank 1: .*only one class"),
    ],
)
def test_an_error_ends_all(folder, lines, told):
    begun = time.monotonic()
    ended = start(folder, 2, lines + "\nCronosClassifier(gates=6, mpi=True).fit(X, y)")
    assert ended.returncode != 0
    assert time.monotonic() - begun < 30
    assert re.search(told, ended.stderr, re.DOTALL), ended.stderr


def test_a_warm_start_is_refused(folder):
    lines = "CronosClassifier(gates=6, mpi=True, warm_start=True).fit(X, np.load('labels.npy'))"
    ended = start(folder, 2, lines)
    assert ended.returncode != 0
    assert "warm_start is True; it must be False" in ended.stderr
