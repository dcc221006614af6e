"""Many penalties: the path, and fits that start where another ended."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from cronos import CronosClassifier, CronosRegressor


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)


def test_a_path_begins_with_nothing(cancer):
    train, test, labels, truth = cancer
    path = CronosClassifier(gates=20).path(train, labels, steps=6, smallest=0.01)
    assert path.status == "solved"
    assert len(path) == 6
    np.testing.assert_allclose(path.betas, path.zero_beta * 0.01 ** (np.arange(6) / 5))
    assert path.neurons[0] == 0 and path.neurons[-1] > 0
    objectives = [point.objective_ for point in path]
    assert all(below < above for above, below in zip(objectives, objectives[1:]))
    assert all(point.gap_ <= 0.01 for point in path)
    best = path.best(test, truth)
    assert best.score(test, truth) == path.scores(test, truth).max() > 0.9
    np.testing.assert_array_equal(best.classes_, [0, 1])
    # a network of its own for the same penalty
    alone = CronosClassifier(gates=20, beta=path.betas[3]).fit(train, labels)
    np.testing.assert_allclose(alone.objective_, path[3].objective_, rtol=0.02)


def test_a_path_of_numbers():
    X, y = load_diabetes(return_X_y=True)
    path = CronosRegressor(gates=10).path(X, y, steps=4, smallest=0.01)
    scores = path.scores(X, y)
    assert scores[0] == pytest.approx(0) and scores[-1] > 0.4


def test_a_path_says_what_it_cannot_do(cancer):
    train, _, labels, _ = cancer
    with pytest.raises(ValueError, match="steps is 1; it must be at least 2"):
        CronosClassifier().path(train, labels, steps=1)
    with pytest.raises(ValueError, match="smallest is 2"):
        CronosClassifier().path(train, labels, smallest=2.0)


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_a_warm_start_is_shorter_and_as_good(cancer, precision):
    train, _, labels, _ = cancer
    keywords = {"gates": 20, "beta": 2.0, "tolerance": 1e-3, "precision": precision}
    cold = CronosClassifier(**keywords).fit(train, labels)
    warm = CronosClassifier(**keywords, warm_start=True).fit(train, labels)
    assert warm.n_iter_ == cold.n_iter_
    np.testing.assert_array_equal(warm.decision_function(train), cold.decision_function(train))
    # the same again is there at the first certificate
    warm.fit(train, labels)
    assert warm.n_iter_ <= 20 < cold.n_iter_
    assert warm.gap_ <= 1e-3
    # and another penalty is nearer than from nothing
    fresh = CronosClassifier(**(keywords | {"beta": 1.8})).fit(train, labels)
    warm.set_params(beta=1.8).fit(train, labels)
    assert warm.n_iter_ < fresh.n_iter_
    np.testing.assert_allclose(warm.objective_, fresh.objective_, rtol=2e-3)


@pytest.mark.parametrize("activation", ["relu", "gated"])
@pytest.mark.parametrize("rows", [200, 390])
def test_a_warm_start_from_another_shape_is_none(cancer, activation, rows):
    train, _, labels, _ = cancer
    keywords = {"gates": 20, "beta": 2.0, "activation": activation}
    few = (train[:rows], labels[:rows])
    for first, second in [((train, labels), few), (few, (train, labels))]:
        fresh = CronosClassifier(**keywords).fit(*second)
        warm = CronosClassifier(**keywords, warm_start=True).fit(*first).fit(*second)
        np.testing.assert_array_equal(
            warm.decision_function(train), fresh.decision_function(train)
        )


def test_a_fixed_rho_is_kept_to(cancer):
    train, _, labels, _ = cancer
    keywords = {"gates": 10, "beta": 2.0, "fixed_rho": True, "max_iterations": 30, "tolerance": 1e-9}
    with pytest.warns(ConvergenceWarning):
        warm = CronosClassifier(rho=1.0, warm_start=True, **keywords).fit(train, labels)
        warm.set_params(rho=10.0).fit(train, labels)
        fresh = CronosClassifier(rho=10.0, **keywords).fit(train, labels)
    assert warm.report_["rho"] == 10.0
    np.testing.assert_array_equal(warm.decision_function(train), fresh.decision_function(train))
