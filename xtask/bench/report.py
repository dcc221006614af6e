"""What the scripts hand back: every run, and Markdown for people."""

import argparse
import json
import sys
from pathlib import Path


def arguments(about: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--program", type=Path, required=True, help="the cronos command")
    parser.add_argument("--folder", type=Path, required=True, help="where arrays are written")
    parser.add_argument("--result", type=Path, required=True, help="the JSON to write")
    parser.add_argument("--images", type=Path, help="folder of Fashion-MNIST's IDX files")
    parser.add_argument("--texts", type=Path, help="folder of imdb_train.jsonl.gz and imdb_test.jsonl.gz")
    parser.add_argument("--encoder", action="append", default=[], help="NAME=PATH@TEXTS@LENGTH")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds a run may take")
    parser.add_argument("--longest", type=float, help="seconds a peer may take to show how slow it is")
    parser.add_argument("--repeats", type=int, default=3, help="runs of what is fast")
    parser.add_argument("--resume", action="store_true", help="keep what the result has already")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works")
    options = parser.parse_args()
    options.longest = max(options.longest or 0.0, options.limit)
    options.folder.mkdir(parents=True, exist_ok=True)
    return options


def resumed(options: argparse.Namespace) -> list[dict]:
    """The runs of the result that is there, if it is to be gone on with."""
    if not options.resume or not options.result.exists():
        return []
    return json.loads(options.result.read_text(encoding="utf-8"))["runs"]


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def table(head: list[str], rows: list[list[str]], left: set[str]) -> str:
    rule = ["---" if name in left else "--:" for name in head]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [head, rule, *rows])


def finish(result: Path, markdown: str, **runs) -> None:
    whole = json.dumps({"markdown": markdown.strip() + "\n", **runs}, indent=1)
    result.write_text(whole + "\n", encoding="utf-8")
