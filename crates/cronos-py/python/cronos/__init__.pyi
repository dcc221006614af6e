"""Neural networks trained by convex optimisation."""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from typing_extensions import Self

__all__ = [
    "Certificate",
    "CronosClassifier",
    "CronosRegressor",
    "DeepCronosClassifier",
    "DeepCronosRegressor",
    "Gates",
    "Path",
    "Solution",
    "__version__",
    "certificate",
    "load",
    "nystrom",
    "sample_gates",
    "solve_convex",
]

__version__: str

_File = str | os.PathLike[str]
_Floats = NDArray[np.float64]
_Activation = Literal["relu", "gated"]
_Loss = Literal["squared", "logistic", "softmax", "huber", "squared-hinge", "quantile"]
_ClassLoss = Literal["squared", "logistic", "softmax", "squared-hinge"]
_Solver = Literal["auto", "direct", "sample-pcg", "primal-pcg"]
_Rank = int | Literal["adaptive"]
_Precision = Literal["f32", "f64"]
_ClassWeight = Mapping[Any, float] | Literal["balanced"]

class _Estimator(BaseEstimator):
    report_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    @property
    def n_iter_(self) -> int: ...
    @property
    def objective_(self) -> float: ...
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = "$UNCHANGED$") -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = "$UNCHANGED$") -> Self: ...
    def save(self, path: _File) -> None: ...
    def to_onnx(self, path: _File) -> None: ...

class _Classes(ClassifierMixin):
    classes_: NDArray[Any]
    class_weight: _ClassWeight | None
    def decision_function(self, X: Any) -> _Floats: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> _Floats: ...

class _Numbers(RegressorMixin):
    def predict(self, X: Any) -> _Floats: ...

class _Cronos(_Estimator):
    beta: float | None
    fast: bool
    best: bool
    networks: int | None
    gates: int | None
    learn_gates: bool
    gate_file: _File | ArrayLike | None
    activation: _Activation
    solver: _Solver | None
    device: str | None
    rank: _Rank | None
    rho: float | None
    fixed_rho: bool
    max_iterations: int | None
    tolerance: float | None
    time_limit: float | None
    no_bias: bool
    no_standardize: bool
    precision: _Precision
    seed: int
    threads: int | None
    warm_start: bool
    mpi: bool
    verbose: bool
    @property
    def lower_bound_(self) -> float: ...
    @property
    def gap_(self) -> float: ...
    @property
    def coefs_(self) -> list[_Floats]: ...
    @property
    def intercepts_(self) -> list[_Floats]: ...

class CronosClassifier(_Classes, _Cronos):
    loss: _ClassLoss | None
    def __init__(
        self,
        *,
        loss: _ClassLoss | None = None,
        beta: float | None = None,
        fast: bool = False,
        best: bool = False,
        networks: int | None = None,
        gates: int | None = None,
        learn_gates: bool = False,
        gate_file: _File | ArrayLike | None = None,
        activation: _Activation = "relu",
        solver: _Solver | None = None,
        device: str | None = None,
        rank: _Rank | None = None,
        rho: float | None = None,
        fixed_rho: bool = False,
        max_iterations: int | None = None,
        tolerance: float | None = None,
        time_limit: float | None = None,
        no_bias: bool = False,
        no_standardize: bool = False,
        precision: _Precision = "f32",
        seed: int = 0,
        threads: int | None = None,
        class_weight: _ClassWeight | None = None,
        warm_start: bool = False,
        mpi: bool = False,
        verbose: bool = False,
    ) -> None: ...
    def path(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        steps: int = 20,
        smallest: float = 0.001,
    ) -> Path: ...

class CronosRegressor(_Numbers, _Cronos):
    loss: _Loss | None
    huber_delta: float
    quantile: float
    def __init__(
        self,
        *,
        loss: _Loss | None = None,
        huber_delta: float = 1.0,
        quantile: float = 0.5,
        beta: float | None = None,
        fast: bool = False,
        best: bool = False,
        networks: int | None = None,
        gates: int | None = None,
        learn_gates: bool = False,
        gate_file: _File | ArrayLike | None = None,
        activation: _Activation = "relu",
        solver: _Solver | None = None,
        device: str | None = None,
        rank: _Rank | None = None,
        rho: float | None = None,
        fixed_rho: bool = False,
        max_iterations: int | None = None,
        tolerance: float | None = None,
        time_limit: float | None = None,
        no_bias: bool = False,
        no_standardize: bool = False,
        precision: _Precision = "f32",
        seed: int = 0,
        threads: int | None = None,
        warm_start: bool = False,
        mpi: bool = False,
        verbose: bool = False,
    ) -> None: ...
    def path(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        steps: int = 20,
        smallest: float = 0.001,
    ) -> Path: ...

class _DeepCronos(_Estimator):
    arch: str
    epochs: int | None
    batch: int
    loss: _ClassLoss | None
    alpha: float
    beta: float | None
    gates: int
    head_gates: Literal["seed", "redrawn", "learned"]
    head_iterations: int
    augment: Literal["none", "shift", "mirror"] | None
    device: str | None
    time_limit: float | None
    seed: int
    threads: int | None
    verbose: bool
    @property
    def history_(self) -> list[dict[str, float | None]]: ...
    @property
    def best_epoch_(self) -> int: ...

class DeepCronosClassifier(_Classes, _DeepCronos):
    def __init__(
        self,
        *,
        arch: str = "mlp:256,256",
        epochs: int | None = None,
        batch: int = 128,
        loss: _ClassLoss | None = None,
        alpha: float = 0.0,
        beta: float | None = None,
        gates: int = 32,
        head_gates: Literal["seed", "redrawn", "learned"] = "learned",
        head_iterations: int = 5,
        augment: Literal["none", "shift", "mirror"] | None = None,
        device: str | None = None,
        time_limit: float | None = None,
        seed: int = 0,
        threads: int | None = None,
        class_weight: _ClassWeight | None = None,
        verbose: bool = False,
    ) -> None: ...

class DeepCronosRegressor(_Numbers, _DeepCronos):
    def __init__(
        self,
        *,
        arch: str = "mlp:256,256",
        epochs: int | None = None,
        batch: int = 128,
        loss: Literal["squared"] | None = None,
        alpha: float = 0.0,
        beta: float | None = None,
        gates: int = 32,
        head_gates: Literal["seed", "redrawn", "learned"] = "learned",
        head_iterations: int = 5,
        augment: Literal["none", "shift", "mirror"] | None = None,
        device: str | None = None,
        time_limit: float | None = None,
        seed: int = 0,
        threads: int | None = None,
        verbose: bool = False,
    ) -> None: ...

class Path:
    estimators: list[Any]
    zero_beta: float
    status: str
    def __init__(self, estimators: list[Any], zero_beta: float, status: str) -> None: ...
    @property
    def betas(self) -> _Floats: ...
    @property
    def neurons(self) -> NDArray[np.int_]: ...
    def scores(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> _Floats: ...
    def best(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __getitem__(self, at: int) -> Any: ...

class Gates(NamedTuple):
    directions: _Floats
    patterns: NDArray[np.bool_]

class Certificate(NamedTuple):
    objective: float
    lower_bound: float
    gap: float
    violation: float
    network_objective: float

class Solution(NamedTuple):
    status: str
    v: _Floats
    w: _Floats
    loss_dual: _Floats
    cone_dual: _Floats | None
    certificate: Certificate
    directions: _Floats
    history: dict[str, _Floats]
    solver: str
    solver_reason: str

def sample_gates(X: ArrayLike, count: int, *, seed: int = 0) -> Gates: ...
def solve_convex(
    X: ArrayLike,
    y: ArrayLike,
    directions: ArrayLike,
    beta: float,
    *,
    sample_weight: ArrayLike | None = None,
    loss: _Loss = "squared",
    huber_delta: float = 1.0,
    quantile: float = 0.5,
    activation: _Activation = "relu",
    solver: _Solver | None = None,
    device: str | None = None,
    rank: _Rank | None = None,
    rho: float | None = None,
    fixed_rho: bool = False,
    max_iterations: int | None = None,
    tolerance: float = 1e-4,
    time_limit: float | None = None,
    precision: _Precision = "f64",
    seed: int = 0,
    threads: int | None = None,
    verbose: bool = False,
) -> Solution: ...
def certificate(
    X: ArrayLike,
    y: ArrayLike,
    directions: ArrayLike,
    beta: float,
    v: ArrayLike,
    w: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    loss: _Loss = "squared",
    huber_delta: float = 1.0,
    quantile: float = 0.5,
    activation: _Activation = "relu",
) -> Certificate: ...
def nystrom(
    operator: ArrayLike | Callable[[_Floats], ArrayLike],
    rank: _Rank = 20,
    *,
    size: int | None = None,
    mu: float = 1.0,
    seed: int = 0,
) -> tuple[_Floats, _Floats]: ...
def load(
    path: _File,
) -> CronosClassifier | CronosRegressor | DeepCronosClassifier | DeepCronosRegressor: ...
