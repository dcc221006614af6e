"""Neural networks trained by convex optimisation.

No learning rate to tune, and a certificate of how close to the optimum the answer is.
"""

from ._classifier import CronosClassifier
from ._core import __version__
from ._regressor import CronosRegressor
from ._saving import load

__all__ = ["CronosClassifier", "CronosRegressor", "__version__", "load"]
