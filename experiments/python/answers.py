"""Lines of JSON in, lines of JSON out."""

import json
import os
import sys


def serve(versions, work):
    """Prints the versions, then what `work` makes of every line of standard input."""
    # whatever prints must not disturb the answers
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    sys.stdout = sys.stderr

    def answer(value):
        print(json.dumps(value), file=answers, flush=True)

    try:
        answer(versions)
        for line in sys.stdin:
            try:
                answer(work(json.loads(line)))
            except Exception as error:  # whatever is raised is the result
                answer({"error": f"{type(error).__name__}: {error}"})
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
