"""Checks of inputs that work with every supported release of scikit-learn."""

import numpy as np
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

try:
    from sklearn.utils.validation import validate_data

    FINITE = "ensure_all_finite"
except ImportError:  # scikit-learn 1.5

    #: The option that lets missing values through.
    FINITE = "force_all_finite"

    def validate_data(estimator, X, y="no_validation", **options):
        if isinstance(y, str) and y == "no_validation":
            return estimator._validate_data(X, **options)
        return estimator._validate_data(X, y, **options)


#: Numbers that the library reads as they are.
NUMBERS = (np.float64, np.float32, np.uint8)

__all__ = ["FINITE", "NUMBERS", "counting", "check_is_fitted", "sample_weights", "validate_data"]


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


def counting(X, y, weights):
    """The rows whose weight is not 0, which alone count."""
    if weights is None or (weights > 0).all():
        return X, y, weights
    if not (weights > 0).any():
        raise ValueError("sample_weight: all weights are 0; no row is left to train on")
    counts = weights > 0
    return X[counts], y[counts], weights[counts]
