"""The text format of the Extreme Classification Repository."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from cbkit.datasets.formats.index_value import parse_rows
from cbkit.datasets.formats.text import (
    MAX_COLUMNS,
    FormatError,
    Line,
    build_csr,
    read_lines,
    shorten,
)
from cbkit.datasets.multilabel import MultilabelDataset

MAX_LABELS = 1_000_000  # each gets a name, so a header alone must not fill the memory
_HEADER = re.compile(r"[ \t]*+([0-9]{1,12})[ \t]++([0-9]{1,12})[ \t]++([0-9]{1,12})[ \t]*+")


def read_extreme(path: str | Path, *, name: str | None = None) -> MultilabelDataset:
    """Read a file whose first line says `n_rows n_features n_labels` and each other line is a row.

    Rows read `label,label index:value index:value`, all counted from 0. A row may lack labels
    (it starts with a blank, or with a feature) or features. Arms are named by their number.

    Raises
    ------
    FormatError
        Naming the file and the line, if anything is not as the format asks.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "tiny.txt")
    ...     _ = file.write_text("2 3 2\\n0,1 0:0.5 2:1\\n 1:2\\n")
    ...     data = read_extreme(file)
    >>> data.labels.toarray().tolist(), data.features.toarray().tolist()
    ([[1, 1], [0, 0]], [[0.5, 0.0, 1.0], [0.0, 2.0, 0.0]])
    """
    path = Path(path)
    lines = read_lines(path)
    n_rows, n_features, n_arms = _parse_header(path, lines)
    rows = lines[1:]
    while len(rows) > n_rows and not rows[-1].text.strip():
        rows.pop()
    if len(rows) != n_rows:
        last = rows[-1].number if rows else 1
        raise FormatError(path, last, f"{len(rows)} rows", f"{n_rows}, as the first line says")
    entries = parse_rows(path, rows)
    return MultilabelDataset(
        features=build_csr(
            entries.feature_rows,
            entries.features,
            entries.values,
            (n_rows, n_features),
            entries.fail,
            what="feature",
        ),
        labels=build_csr(
            entries.label_rows,
            entries.labels,
            np.ones(entries.labels.size),
            (n_rows, n_arms),
            entries.fail,
            what="label",
        ),
        arm_names=tuple(map(str, range(n_arms))),
        name=name or path.stem,
        provenance=f"read from {path.name}",
    )


def _parse_header(path: Path, lines: list[Line]) -> tuple[int, int, int]:
    first = lines[0].text if lines else ""
    match = _HEADER.fullmatch(first)
    if match is None:
        raise FormatError(path, 1, shorten(first), "three numbers: n_rows n_features n_labels")
    n_rows, n_features, n_labels = (int(number) for number in match.groups())
    if n_rows < 1 or not 1 <= n_features <= MAX_COLUMNS or not 2 <= n_labels <= MAX_LABELS:
        raise FormatError(
            path,
            1,
            f"{n_rows} rows, {n_features} features, {n_labels} labels",
            f"at least 1 row, 1 to {MAX_COLUMNS:,} features and 2 to {MAX_LABELS:,} labels",
        )
    return n_rows, n_features, n_labels
