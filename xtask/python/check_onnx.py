"""Compares onnxruntime with the outputs cronos wrote next to each ONNX model.

Usage: check_onnx.py DIRECTORY, whose subdirectories each hold model.onnx,
features.npy, decision.npy and, for a classifier, label.txt.
"""

import json
import pathlib
import sys

import numpy
import onnxruntime

TOLERANCE = 1e-5
# layers in front of a network, in single precision
STACK_TOLERANCE = 1e-4


def check(case):
    """Raises AssertionError if onnxruntime disagrees with cronos on a case."""
    session = onnxruntime.InferenceSession(
        str(case / "model.onnx"), providers=["CPUExecutionProvider"]
    )
    features = numpy.load(case / "features.npy")
    decision = numpy.load(case / "decision.npy")
    names = json.loads(session.get_modelmeta().custom_metadata_map["feature_names"])
    assert len(names) == features.shape[1], f"{len(names)} feature names"
    labels = None
    expected_outputs = ["prediction"]
    if (case / "label.txt").exists():
        labels = (case / "label.txt").read_text(encoding="utf-8").splitlines()
        expected_outputs = ["decision", "label"]
    found_outputs = [output.name for output in session.get_outputs()]
    assert found_outputs == expected_outputs, f"the outputs are {found_outputs}"
    tolerance = STACK_TOLERANCE if case.name.startswith("stack_") else TOLERANCE
    for rows in (len(features), 1, 0):
        outputs = session.run(None, {"features": features[:rows]})
        check_decision(outputs[0], decision[:rows], tolerance)
        if labels is not None:
            check_labels(outputs[1], labels[:rows])


def check_decision(found, expected, tolerance):
    assert found.dtype == numpy.float32, f"the decision is {found.dtype}"
    assert found.shape == expected.shape, f"{found.shape} is not {expected.shape}"
    close = numpy.isclose(found, expected, rtol=tolerance, atol=tolerance)
    for row, column in numpy.argwhere(~close)[:1]:
        raise AssertionError(
            f"decision [{row}, {column}] is {found[row, column]}, "
            f"not {expected[row, column]}"
        )


def check_labels(found, expected):
    assert found.shape == (len(expected),), f"the labels have shape {found.shape}"
    for row, (left, right) in enumerate(zip(found, expected)):
        assert str(left) == right, f"label [{row}] is {left}, not {right}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cases = sorted(path.parent for path in pathlib.Path(sys.argv[1]).glob("*/model.onnx"))
    if not cases:
        sys.exit(f"no cases in {sys.argv[1]}")
    failed = 0
    for case in cases:
        try:
            check(case)
        except Exception as error:
            failed += 1
            print(f"{case.name}: {error}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
