"""Numbers."""

import numpy as np
from sklearn.base import RegressorMixin

from . import _core
from ._base import Cronos
from ._validation import NUMBERS, sample_weights, validate_data


class CronosRegressor(RegressorMixin, Cronos):
    """A two-layer network that predicts one number or several."""

    def fit(self, X, y, sample_weight=None):
        """Trains on features and a number, or several, for each row."""
        X, y = validate_data(
            self,
            X,
            y,
            dtype=NUMBERS,
            order="C",
            ensure_min_samples=2,
            multi_output=True,
            y_numeric=True,
        )
        weights = sample_weights(sample_weight, X)
        self._flat = y.ndim == 1
        y = np.ascontiguousarray(y.reshape(len(y), -1), dtype=np.float64)
        return self._train(_core.fit_numbers, X, y, weights=weights)

    def predict(self, X):
        """The numbers of each row."""
        outputs = self._outputs(X)
        return outputs[:, 0] if self._flat else outputs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = True
        tags.target_tags.multi_output = True
        return tags

    def _more_tags(self):
        return {"multioutput": True}
