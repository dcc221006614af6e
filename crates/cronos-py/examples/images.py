"""Images: a convolutional network whose last two layers are solved as a convex program.

    python images.py --plot images.png
"""

import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from cronos import DeepCronosClassifier


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", default="images.png")
    options = parser.parse_args()

    digits = load_digits()
    # rows x height x width; there is no learning rate to choose
    X, X_test, y, y_test = train_test_split(
        digits.images, digits.target, test_size=0.3, random_state=0, stratify=digits.target
    )
    model = DeepCronosClassifier(arch="cnn:16,32").fit(X, y)
    accuracy = model.score(X_test, y_test)
    print(f"accuracy {accuracy:.2%}, epoch {model.best_epoch_} of {model.n_iter_}")

    figure = plt.figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[3, 2])
    axes = left.subplots()
    epochs = [epoch["epoch"] for epoch in model.history_]
    axes.plot(epochs, [epoch["train"] for epoch in model.history_], label="training rows")
    axes.plot(epochs, [epoch["validation"] for epoch in model.history_], label="rows that choose the epoch")
    axes.axvline(model.best_epoch_, color="grey", linestyle=":", label="chosen")
    axes.set(xlabel="epoch", ylabel="accuracy", title=f"Digits: test accuracy {accuracy:.1%}")
    axes.legend()

    # the images that the network is least sure about
    sure = model.predict_proba(X_test).max(axis=1)
    guessed = model.predict(X_test)
    right.suptitle("least sure (seen as)")
    for axes, at in zip(right.subplots(3, 4).flat, np.argsort(sure)):
        axes.imshow(X_test[at], cmap="gray_r")
        axes.set_title(f"{y_test[at]} ({guessed[at]})", fontsize=9)
        axes.axis("off")
    figure.savefig(options.plot, dpi=120)
    assert accuracy > 0.97, accuracy


if __name__ == "__main__":
    main()
