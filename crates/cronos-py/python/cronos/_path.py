"""The path: a network for every penalty of a range."""

import numpy as np


class Path:
    """Estimators along a path, the largest penalty first."""

    def __init__(self, estimators, zero_beta, status):
        #: One for each penalty that was done.
        self.estimators = estimators
        #: The smallest penalty that leaves nothing; the path begins there.
        self.zero_beta = zero_beta
        #: `solved` if every network is.
        self.status = status

    @property
    def betas(self):
        """The penalties."""
        return np.array([estimator.report_["beta"] for estimator in self.estimators])

    @property
    def neurons(self):
        """How many neurons each network has."""
        return np.array([estimator.report_["neurons"] for estimator in self.estimators])

    def scores(self, X, y, sample_weight=None):
        """The score of each network on some rows."""
        scores = [each.score(X, y, sample_weight=sample_weight) for each in self.estimators]
        return np.array(scores)

    def best(self, X, y, sample_weight=None):
        """The network with the highest score on some rows; of equals the one of the largest penalty."""
        return self.estimators[int(np.argmax(self.scores(X, y, sample_weight)))]

    def __len__(self):
        return len(self.estimators)

    def __iter__(self):
        return iter(self.estimators)

    def __getitem__(self, at):
        return self.estimators[at]
