"""Checks of inputs that work with every supported release of scikit-learn."""

import numpy as np
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # scikit-learn 1.5

    def validate_data(estimator, X, y="no_validation", **options):
        if isinstance(y, str) and y == "no_validation":
            return estimator._validate_data(X, **options)
        return estimator._validate_data(X, y, **options)


#: Numbers that the library reads as they are.
NUMBERS = (np.float64, np.float32, np.uint8)

__all__ = ["NUMBERS", "check_is_fitted", "sample_weights", "validate_data"]


def sample_weights(sample_weight, X):
    """The weights of the rows as doubles, or none if all rows count the same."""
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise ValueError(
            f"sample_weight: row {row} has the weight {weights[row]}; weights must not be negative"
        )
    return np.ascontiguousarray(weights)
