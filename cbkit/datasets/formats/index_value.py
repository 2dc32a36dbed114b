"""Rows `label,label index:value index:value`, which two formats share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cbkit.datasets.formats.text import (
    BLANK,
    NUMBER,
    FormatError,
    Line,
    is_number,
    is_whole_number,
    parse_numbers,
    shorten,
)

_END = rf"(?={BLANK}|\Z)"
_ROW = re.compile(
    rf"(?:([0-9]++(?:,[0-9]++)*){_END})?"
    rf"((?:{BLANK}*+[0-9]++:{NUMBER}{_END})*){BLANK}*+"
)


@dataclass(frozen=True)
class Entries:
    """All labels and features of a file, as parsed; numbers of labels and features unchecked."""

    label_rows: np.ndarray
    labels: np.ndarray
    feature_rows: np.ndarray
    features: np.ndarray
    values: np.ndarray
    fail: Callable[[int, str, str], FormatError]


def parse_rows(path: Path, rows: list[Line]) -> Entries:
    """Parse the rows of a file; a row may lack labels, features, or both."""
    labels, features = [], []
    for line in rows:
        match = _ROW.fullmatch(line.text)
        if match is None:
            raise _explain(path, line)
        labels.append(match[1] or "")
        features.append(match[2])
    n_labels = [text.count(",") + 1 if text else 0 for text in labels]
    n_features = [text.count(":") for text in features]
    columns, values = parse_numbers(features).reshape(-1, 2).T

    def fail(row: int, found: str, expected: str) -> FormatError:
        return FormatError(path, rows[row].number, found, expected)

    return Entries(
        label_rows=np.repeat(np.arange(len(rows)), n_labels),
        labels=parse_numbers(labels),
        feature_rows=np.repeat(np.arange(len(rows)), n_features),
        features=columns,
        values=values,
        fail=fail,
    )


def _explain(path: Path, line: Line) -> FormatError:
    for position, token in enumerate(line.text.split()):
        index, colon, value = token.partition(":")
        if colon and is_whole_number(index) and is_number(value):
            continue
        is_first = position == 0 and not line.text[0].isspace()
        if not colon and is_first and all(map(is_whole_number, token.split(","))):
            continue
        expected = (
            "labels such as '3,17' or a feature such as '5:0.25'"
            if is_first
            else "a feature such as '5:0.25' (labels come first, separated by commas alone)"
        )
        return FormatError(path, line.number, shorten(token), expected)
    return FormatError(path, line.number, shorten(line.text), "label,label index:value ...")
