"""Neural networks trained by convex optimisation.

No learning rate to tune, and a certificate of how close to the optimum the answer is.
"""

from ._classifier import CronosClassifier
from ._convex import Certificate, Gates, Solution, certificate, nystrom, sample_gates, solve_convex
from ._core import __version__
from ._deep import DeepCronosClassifier, DeepCronosRegressor
from ._path import Path
from ._regressor import CronosRegressor
from ._saving import load

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
