"""The convex programs that every solver is given, and the numbers it is judged by.

    min  ½ ‖ Σ_i D_i X (v_i − w_i) − y ‖² + β Σ_i ( ‖v_i‖ + ‖w_i‖ )
    s.t. (2 D_i − I) X v_i ≥ 0 ,  (2 D_i − I) X w_i ≥ 0
"""

import gzip
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits


@dataclass
class Problem:
    name: str
    x: np.ndarray  # n × d, float32, with its column of ones if it has one
    y: np.ndarray  # n, −1 or 1, float32
    directions: np.ndarray  # d × P
    beta: float

    @cached_property
    def gates(self) -> np.ndarray:
        """D, n × P, of 0 and 1; sums in double precision, as in cronos."""
        return (self.x.astype(np.float64) @ self.directions >= 0).astype(np.float32)

    @cached_property
    def double(self) -> tuple[np.ndarray, np.ndarray]:
        return self.x.astype(np.float64), self.gates.astype(np.float64)

    @property
    def shape(self) -> dict:
        (n, d), gates = self.x.shape, self.directions.shape[1]
        return {"problem": self.name, "n": n, "d": d, "gates": gates, "beta": self.beta}

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        np.save(folder / "x.npy", self.x)
        np.save(folder / "y.npy", self.y)
        np.save(folder / "g.npy", self.directions)

    def measure(self, u: np.ndarray) -> tuple[float, float]:
        """Objective and violation of u (2 × P × d) in double precision."""
        x, d = self.double
        v, w = np.asarray(u, dtype=np.float64)
        xv, xw = x @ v.T, x @ w.T  # n × P
        residual = (d * (xv - xw)).sum(axis=1) - self.y
        norms = np.linalg.norm(v, axis=1).sum() + np.linalg.norm(w, axis=1).sum()
        objective = 0.5 * residual @ residual + self.beta * norms
        sign = 2 * d - 1
        lowest = min((sign * xv).min(), (sign * xw).min(), 0.0)
        return float(objective), float(-lowest / np.abs(self.y).max())


def tabular(name: str, raw: np.ndarray, classes: np.ndarray, gates: int, beta: float) -> Problem:
    """Classes 0–4 against 5–9, standardised features and a column of ones."""
    raw = raw.astype(np.float64)
    scale = raw.std(axis=0)
    x = (raw - raw.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    x = np.hstack([x, np.ones((len(x), 1))])
    return build(name, x, np.where(classes < 5, -1.0, 1.0), gates, beta)


def power_law(n: int, d: int, gates: int, beta: float) -> Problem:
    """Features with a power-law spectrum, the signs of a random network as targets."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, d)) * 3.0 / np.sqrt(np.arange(1, d + 1))
    units = np.maximum(x @ rng.standard_normal((d, 8)), 0.0)
    y = np.where(units @ np.tile([1.0, -1.0], 4) >= 0, 1.0, -1.0)
    return build("power law", x, y, gates, beta)


def build(name: str, x: np.ndarray, y: np.ndarray, gates: int, beta: float) -> Problem:
    """With random gates, of which no two have the same pattern and none is zero on all rows."""
    x, rng, kept = x.astype(np.float32), np.random.default_rng(2), {}
    while len(kept) < gates:
        direction = rng.standard_normal(x.shape[1])
        pattern = x.astype(np.float64) @ direction >= 0
        if pattern.any():
            kept.setdefault(pattern.tobytes(), direction)
    directions = np.column_stack(list(kept.values()))
    return Problem(name, x, y.astype(np.float32), directions, beta)


def fashion(folder: Path, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Images (n × 784) and classes of Fashion-MNIST's IDX files; part is train or t10k."""
    with gzip.open(folder / f"{part}-images-idx3-ubyte.gz") as file:
        images = np.frombuffer(file.read()[16:], dtype=np.uint8).reshape(-1, 784)
    with gzip.open(folder / f"{part}-labels-idx1-ubyte.gz") as file:
        return images, np.frombuffer(file.read()[8:], dtype=np.uint8)


def all_problems(images: Path | None, quick: bool) -> list[Problem]:
    digits = load_digits()
    if quick:
        return [tabular("digits, 300 rows", digits.data[:300], digits.target[:300], 8, 1.0)]
    problems = [tabular("digits", digits.data, digits.target, 50, 1.0)]
    if images is not None:
        raw, classes = fashion(images, "train")
        problems.append(tabular("Fashion-MNIST", raw[:10_000], classes[:10_000], 32, 30.0))
    return problems + [power_law(2_000, 768, 64, 10.0)]
