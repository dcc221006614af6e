"""What the package is built on."""

from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Model",
    "__version__",
    "abort_ranks",
    "certificate",
    "end_ranks",
    "fit",
    "fit_deep",
    "nystrom",
    "path",
    "ranks",
    "sample_gates",
    "solve_convex",
]

__version__: str

_Features = NDArray[np.float32] | NDArray[np.float64] | NDArray[np.uint8]
_Targets = NDArray[np.uintp] | NDArray[np.float64]

@final
class Model:
    @staticmethod
    def from_bytes(bytes: bytes, report: str | None = None) -> Model: ...
    def to_bytes(self) -> bytes: ...
    def to_onnx(self) -> bytes: ...
    def decide(self, x: _Features) -> NDArray[np.float64]: ...
    def classify(self, x: _Features) -> NDArray[np.uintp]: ...
    def probabilities(self, x: _Features) -> NDArray[np.float64] | None: ...
    def coefficients(self) -> list[NDArray[np.float64]]: ...
    def intercepts(self) -> list[NDArray[np.float64]]: ...
    @property
    def report(self) -> str: ...
    @property
    def classes(self) -> list[str] | None: ...
    @property
    def feature_names(self) -> list[str]: ...
    @property
    def features(self) -> int: ...
    @property
    def image(self) -> list[int] | None: ...
    @property
    def imputes(self) -> bool: ...
    @property
    def deep(self) -> bool: ...
    @property
    def outputs(self) -> int: ...
    @property
    def log_odds(self) -> bool: ...

def fit(x: _Features, y: _Targets, job: dict[str, Any], keywords: dict[str, Any]) -> Model: ...
def path(
    x: _Features,
    y: _Targets,
    steps: int,
    smallest: float,
    job: dict[str, Any],
    keywords: dict[str, Any],
) -> tuple[list[Model], float, str]: ...
def fit_deep(
    x: _Features,
    y: _Targets,
    image: list[int] | None,
    job: dict[str, Any],
    keywords: dict[str, Any],
) -> Model: ...
def ranks() -> tuple[int, int]: ...
def abort_ranks(code: int) -> None: ...
def end_ranks() -> None: ...
def sample_gates(
    x: NDArray[np.float64], count: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]: ...
def solve_convex(parts: dict[str, Any], keywords: dict[str, Any]) -> dict[str, Any]: ...
def certificate(
    parts: dict[str, Any], weights: NDArray[np.float64], keywords: dict[str, Any]
) -> dict[str, float]: ...
def nystrom(
    operator: NDArray[np.float64] | Callable[[NDArray[np.float64]], NDArray[np.float64]],
    size: int,
    rank: int | str,
    mu: float,
    seed: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
