"""Mulan ARFF: one row per observation, label columns named by an XML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from cbkit.datasets.formats.arff_header import Attribute, parse_header, read_label_names
from cbkit.datasets.formats.arff_rows import read_dense, read_sparse
from cbkit.datasets.formats.text import FormatError, Line, read_lines, shorten
from cbkit.datasets.multilabel import MultilabelDataset


def read_arff(
    path: str | Path, labels: str | Path | Sequence[str], *, name: str | None = None
) -> MultilabelDataset:
    """Read a multilabel ARFF file as the Mulan collection publishes them.

    Parameters
    ----------
    path : str or Path
        Rows are all dense (`0.5,1,0`) or all sparse (`{3 1,7 0.5}`); the features become an array
        in the first case and a CSR array in the second. Attributes are numeric, or nominal with
        numbers for values.
    labels : str, Path or sequence of str
        The XML file that names the label attributes, or their names. Labels may stand anywhere
        among the attributes; arms come in the order of this list.
    name : str, optional
        Name of the data set; default: the file's name without its ending.

    Raises
    ------
    FormatError
        Naming the file and the line, if anything is not as the format asks.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "tiny.arff")
    ...     _ = file.write_text('''@relation tiny
    ... @attribute cat {0,1}
    ... @attribute height numeric
    ... @attribute dog {0,1}
    ... @data
    ... {1 2.5, 2 1}
    ... {0 1}
    ... ''')
    ...     data = read_arff(file, ["cat", "dog"])
    >>> data.labels.toarray().tolist(), data.features.toarray().tolist()
    ([[0, 1], [1, 0]], [[2.5], [0.0]])
    """
    path = Path(path)
    names = read_label_names(labels) if isinstance(labels, (str, Path)) else tuple(labels)
    lines = read_lines(path)
    declared, start = parse_header(path, lines)
    label_columns = _find_labels(path, declared, names)
    attributes = list(declared)
    for column in label_columns:
        attributes[column] = _as_label(path, declared[column])
    if len(label_columns) == len(attributes):
        raise FormatError(path, None, "every attribute is a label", "at least one feature")
    rows = [
        Line(line.number, text)
        for line in lines[start:]
        if (text := line.text.strip(" \t")) and not text.startswith("%")
    ]
    if not rows:
        raise FormatError(path, None, "no rows after @data", "at least one observation")
    read_rows = read_sparse if rows[0].text.startswith("{") else read_dense
    values = read_rows(path, rows, attributes)
    return MultilabelDataset(
        features=values[:, np.setdiff1d(np.arange(len(attributes)), label_columns)],
        labels=values[:, label_columns],
        arm_names=names,
        name=name or path.stem,
        provenance=f"read from {path.name}",
    )


def _find_labels(path: Path, attributes: list[Attribute], names: tuple[str, ...]) -> list[int]:
    """Return the column of each label, in the order of their names."""
    columns = {attribute.name: column for column, attribute in enumerate(attributes)}
    missing = [name for name in names if name not in columns]
    if missing:
        raise FormatError(
            path,
            None,
            f"no attribute for {len(missing)} of {len(names)} labels, "
            f"the first {shorten(missing[0])}",
            "an @attribute for each label",
        )
    return [columns[name] for name in names]


def _as_label(path: Path, attribute: Attribute) -> Attribute:
    """Return a label attribute, of zeros and ones however it is declared; raise on others."""
    if attribute.nominal is None:
        return replace(attribute, nominal=(0.0, 1.0))
    if not set(attribute.nominal) <= {0.0, 1.0}:
        raise FormatError(
            path,
            attribute.line,
            f"label {shorten(attribute.name)} with values {attribute.shown_values}",
            "{0,1}",
        )
    return attribute
