"""Compares transformers with Hugging Face's on small random weights, hidden states, scores, loss and
every gradient: check_encoders.py PROGRAM FOLDER, where PROGRAM is the example encoder_cases."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file, save_file
from transformers import BertConfig, BertModel, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

TOLERANCE = 1e-4
LENGTH = 12


def cases() -> dict:
    """A model of each kind, and another name for its tensors."""
    gpt2 = GPT2Config(vocab_size=97, n_embd=24, n_layer=3, n_head=4, n_positions=32, eos_token_id=96)
    bert = BertConfig(vocab_size=89, hidden_size=24, num_hidden_layers=2, num_attention_heads=3,
                      intermediate_size=40, max_position_embeddings=20, pad_token_id=0)
    llama = LlamaConfig(vocab_size=83, hidden_size=24, num_hidden_layers=3, num_attention_heads=6,
                        num_key_value_heads=2, intermediate_size=56, max_position_embeddings=64,
                        eos_token_id=2, rope_theta=5000.0, tie_word_embeddings=True)
    untied = LlamaConfig(**{**llama.to_dict(), "tie_word_embeddings": False})
    return {
        "gpt2": (GPT2LMHeadModel(gpt2), "transformer.", ""),
        "gpt2-without-prefix": (GPT2LMHeadModel(gpt2), "transformer.", None),
        "bert": (BertModel(bert, add_pooling_layer=False), "", ""),
        "llama": (LlamaForCausalLM(llama), "model.", ""),
        "llama-untied": (LlamaForCausalLM(untied), "model.", ""),
    }


def write(folder: Path, model, prefix: str, without: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    config = {**model.config.to_dict(), "model_type": model.config.model_type}
    (folder / "config.json").write_text(json.dumps(config, default=str))
    tensors = {}
    for name, value in model.named_parameters():
        name = name.removeprefix(prefix) if without else name
        tensors[name] = value.detach().numpy().copy()
    save_file(tensors, folder / "model.safetensors")


def texts(vocabulary: int) -> list[list[int]]:
    rng = np.random.default_rng(3)
    return [rng.integers(3, vocabulary - 1, size).tolist() for size in (LENGTH, 5, 1, 9)]


def expected(model, inputs: list[list[int]], filler: int) -> dict:
    """States, scores, loss and gradients by PyTorch."""
    ids = torch.full((len(inputs), LENGTH), filler)
    mask = torch.zeros((len(inputs), LENGTH), dtype=torch.long)
    for row, text in enumerate(inputs):
        ids[row, : len(text)], mask[row, : len(text)] = torch.tensor(text), 1
    if model.config.model_type == "bert":
        states = model(input_ids=ids, attention_mask=mask).last_hidden_state
        real = states[mask.bool()]
        loss = 0.5 * (real**2).mean()
        scores = None
    else:
        labels = ids.masked_fill(mask == 0, -100)
        out = model(input_ids=ids, attention_mask=mask, labels=labels, output_hidden_states=True)
        states, loss, scores = out.hidden_states[-1], out.loss, out.logits
    loss.backward()
    found = {"states": states, "loss": loss.reshape(1)}
    if scores is not None:
        found["scores"] = scores
    found = {name: value.detach().numpy() for name, value in found.items()}
    return found | {f"gradient.{name}": p.grad.numpy() for name, p in model.named_parameters()}


def main() -> None:
    program, root = sys.argv[1], Path(sys.argv[2])
    torch.manual_seed(0)
    made = {}
    for name, (model, prefix, mark) in cases().items():
        with torch.no_grad():
            for key, value in model.named_parameters():
                value.copy_(torch.randn_like(value) * 0.3 + ("norm" in key.lower() or "ln_" in key) * 1.0)
        model.eval()
        folder, filler = root / name, model.config.eos_token_id or 0
        write(folder, model, prefix, mark is None)
        inputs = texts(model.config.vocab_size)
        (folder / "inputs.json").write_text(
            json.dumps({"texts": inputs, "length": LENGTH, "filler": filler})
        )
        made[name] = (folder, prefix, expected(model, inputs, filler))
    subprocess.run([program, *(str(folder) for folder, *_ in made.values())], check=True)
    for name, (folder, prefix, reference) in made.items():
        ours, worst = load_file(folder / "ours.safetensors"), 0.0
        strip = lambda key: key.replace(f"gradient.{prefix}", "gradient.") if prefix else key
        reference = {strip(key): value for key, value in reference.items()}
        assert ours.keys() == reference.keys(), ours.keys() ^ reference.keys()
        lengths = [len(text) for text in texts(reference_vocabulary(folder))]
        for key, value in reference.items():
            found = ours[key]
            assert found.shape == value.shape, (name, key, found.shape, value.shape)
            if name == "bert" and key == "states":
                # states of tokens that only fill up are nobody's
                value = np.concatenate([value[row, :n] for row, n in enumerate(lengths)])
                found = np.concatenate([found[row, :n] for row, n in enumerate(lengths)])
            error = np.abs(found - value).max() / max(np.abs(value).max(), 1e-3)
            worst = max(worst, error)
            assert error <= TOLERANCE, f"{name}: {key} differs by {error:.1e}"
        print(f"{name}: {len(reference)} tensors, largest difference {worst:.1e}")


def reference_vocabulary(folder: Path) -> int:
    return json.loads((folder / "config.json").read_text())["vocab_size"]


if __name__ == "__main__":
    main()
