"""scikit-learn's own checks, all of them."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from cronos import CronosClassifier, CronosRegressor


@parametrize_with_checks([CronosClassifier(), CronosRegressor()])
def test_estimator(estimator, check):
    check(estimator)
