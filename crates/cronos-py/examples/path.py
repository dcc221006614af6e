"""The path: what the penalty does, from nothing at all to every neuron that helps.

    python path.py --plot path.png
"""

import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from cronos import CronosClassifier


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", default="path.png")
    options = parser.parse_args()

    X, y = load_breast_cancer(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    X, X_choose, y, y_choose = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)

    # each point has a certificate: its objective is within 1 % of the optimum for its penalty
    path = CronosClassifier(gates=50, loss="logistic").path(X, y, steps=15, smallest=0.003)
    best = path.best(X_choose, y_choose)
    accuracy = best.score(X_test, y_test)
    gap = max(point.gap_ for point in path)
    print(f"{len(path)} networks, no gap above {gap:.2%}")
    print(f"chosen: β = {best.report_['beta']:.3g}, {best.report_['neurons']} neurons, accuracy {accuracy:.2%}")

    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
    above.semilogx(path.betas, path.scores(X, y), label="training rows")
    above.semilogx(path.betas, path.scores(X_choose, y_choose), label="rows that choose")
    above.axvline(best.report_["beta"], color="grey", linestyle=":", label="chosen")
    above.set(ylabel="accuracy", title="Breast cancer: a network for every penalty")
    above.legend()
    below.semilogx(path.betas, path.neurons)
    below.axvline(best.report_["beta"], color="grey", linestyle=":")
    below.set(xlabel="penalty β", ylabel="neurons")
    below.invert_xaxis()
    figure.savefig(options.plot, dpi=120)
    assert path.status == "solved" and accuracy > 0.93, (path.status, accuracy)


if __name__ == "__main__":
    main()
