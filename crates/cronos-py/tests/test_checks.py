"""scikit-learn's own checks, all of them."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from cronos import CronosClassifier, CronosRegressor, DeepCronosClassifier, DeepCronosRegressor

ALL = [CronosClassifier(), CronosRegressor(), DeepCronosClassifier(), DeepCronosRegressor()]


@parametrize_with_checks(ALL)
def test_estimator(estimator, check):
    check(estimator)
