"""The cronos command, and its weights read back from the model file."""

import json
import struct
import subprocess
from pathlib import Path

import numpy as np

from problems import Problem


def run(*arguments: str | Path) -> dict:
    """The JSON of a fit."""
    line = [str(argument) for argument in arguments]
    done = subprocess.run([*line, "--json"], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def solve(program: Path, problem: Problem, folder: Path, *options: str) -> dict:
    """A run on the arrays in `folder`, with objective and violation computed again if it arrived."""
    problem.write(folder)
    model = folder / "model.safetensors"
    answer = run(
        program, "fit", folder / "x.npy", "--target", folder / "y.npy",
        "--gate-file", folder / "g.npy", "--no-standardize", "--no-bias", "--holdout", "0",
        "--loss", "squared", "--beta", str(problem.beta), "--max-iterations", "10000000",
        "--out", model, "--force", *options,
    )  # fmt: skip
    assert answer["gates"] == problem.directions.shape[1], "cronos dropped a gate"
    again = (answer["objective"], answer["violation"])
    if answer["status"] == "solved":  # else units may lie between cones
        again = problem.measure(weights(model, problem))
    answer["objective_again"], answer["violation_again"] = again
    return answer


def weights(model: Path, problem: Problem) -> np.ndarray:
    """u (2 × P × d): each unit of the network goes to the gate whose cone it meets best."""
    tensors = safetensors(model)
    inner, outer = tensors["hidden.weight"], tensors["output.weight"].ravel()
    x, gates = problem.double
    u = np.zeros((2, gates.shape[1], x.shape[1]))
    units = inner * np.abs(outer)[:, None]
    for sign in (0, 1):
        chosen = units[(outer < 0) == bool(sign)]
        # outside[i, j]: how far unit j lies outside the cone of gate i
        outside = np.stack([(-(2 * d - 1)[:, None] * (x @ chosen.T)).max(axis=0) for d in gates.T])
        best = outside.argmin(axis=0) if len(chosen) else []
        assert len(set(best)) == len(best), "two units of one sign share a gate"
        u[sign, best] = chosen
    return u


def safetensors(path: Path) -> dict[str, np.ndarray]:
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        if entry["dtype"] == "F64":
            begin, end = (8 + length + at for at in entry["data_offsets"])
            tensors[name] = np.frombuffer(data[begin:end]).reshape(entry["shape"])
    return tensors
