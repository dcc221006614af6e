"""A table: fit, judge, and see what the network listens to.

    python table.py --plot table.png
"""

import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split

from cronos import CronosClassifier


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", default="table.png")
    options = parser.parse_args()

    data = load_breast_cancer(as_frame=True)
    X, X_test, y, y_test = train_test_split(
        data.data, data.target, test_size=0.3, random_state=0, stratify=data.target
    )

    # no keyword: features, loss and penalty are chosen on held-out rows
    model = CronosClassifier().fit(X, y)
    accuracy = model.score(X_test, y_test)
    print(f"accuracy {accuracy:.2%} on {len(y_test)} rows that were not trained on")
    print(f"objective {model.objective_:.4g}; no network with its gates is below {model.lower_bound_:.4g}")

    importance = permutation_importance(model, X_test, y_test, n_repeats=5, random_state=0)
    order = np.argsort(importance.importances_mean)[-10:]
    figure, axes = plt.subplots(figsize=(7, 4))
    axes.barh(X.columns[order], importance.importances_mean[order], xerr=importance.importances_std[order])
    axes.set_xlabel("accuracy lost when the column is shuffled")
    axes.set_title(f"Breast cancer: accuracy {accuracy:.1%}")
    figure.tight_layout()
    figure.savefig(options.plot, dpi=120)
    assert accuracy > 0.94, accuracy


if __name__ == "__main__":
    main()
