"""Mulan ARFF: one row per observation, label columns named by an XML file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy import sparse

from cbkit.formats.arff_header import Attribute, parse_header, read_label_names
from cbkit.formats.text import (
    BLANK,
    NUMBER,
    FormatError,
    Line,
    build_csr,
    is_number,
    is_whole_number,
    parse_numbers,
    read_lines,
    shorten,
)
from cbkit.multilabel import MultilabelDataset

_ENTRY = rf"{BLANK}*+[0-9]++{BLANK}++{NUMBER}{BLANK}*+"
_SPARSE_ROW = re.compile(rf"\{{(?:{BLANK}*+|{_ENTRY}(?:,{_ENTRY})*+)\}}")
_VALUE = rf"{BLANK}*+{NUMBER}{BLANK}*+"
_DENSE_ROW = re.compile(rf"{_VALUE}(?:,{_VALUE})*+")
_QUOTED_NUMBER = re.compile(rf"(['\"])({NUMBER})\1")


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
    attributes, start = parse_header(path, lines)
    is_label = _find_labels(path, attributes, names)
    rows = [
        Line(line.number, stripped)
        for line in lines[start:]
        if (stripped := line.text.strip(" \t")) and not stripped.startswith("%")
    ]
    if not rows:
        raise FormatError(path, None, "no rows after @data", "at least one observation")
    read_rows = _read_sparse if rows[0].text.startswith("{") else _read_dense
    values = read_rows(path, rows, attributes)
    positions = {attribute.name: column for column, attribute in enumerate(attributes)}
    return MultilabelDataset(
        features=values[:, np.flatnonzero(~is_label)],
        labels=values[:, [positions[label] for label in names]],
        arm_names=names,
        name=name or path.stem,
        provenance=f"read from {path.name}",
    )


def _find_labels(path: Path, attributes: list[Attribute], names: tuple[str, ...]) -> np.ndarray:
    declared = {attribute.name for attribute in attributes}
    missing = [name for name in names if name not in declared]
    if missing:
        raise FormatError(
            path,
            None,
            f"no attribute for {len(missing)} of {len(names)} labels, the first {missing[0]!r}",
            "an @attribute for each label of the XML file",
        )
    wanted = set(names)
    return np.array([attribute.name in wanted for attribute in attributes])


def _read_sparse(path: Path, rows: list[Line], attributes: list[Attribute]) -> sparse.csr_array:
    for attribute in attributes:
        if attribute.nominal is not None and attribute.nominal[0] != 0:
            raise FormatError(
                path,
                attribute.line,
                f"nominal attribute {attribute.name!r} whose first value is "
                f"{attribute.nominal[0]:g}, which sparse rows leave out",
                "0 as the first value of nominal attributes in a file with sparse rows",
            )
    texts = _match_rows(path, rows, _SPARSE_ROW, lambda line: _explain_sparse(path, line))
    numbers = parse_numbers(texts).reshape(-1, 2)
    lengths = [text.count(",") + 1 if text[1:-1].strip(" \t") else 0 for text in texts]
    row_of = np.repeat(np.arange(len(rows)), lengths)
    columns, values = numbers[:, 0], numbers[:, 1]

    def fail(row: int, found: str, expected: str) -> FormatError:
        return FormatError(path, rows[row].number, found, expected)

    matrix = build_csr(row_of, columns, values, (len(rows), len(attributes)), fail)
    for column, attribute in enumerate(attributes):
        if attribute.nominal is not None and attribute.nominal != (0.0, 1.0):
            here = columns == column
            _check_nominal(path, rows, row_of[here], values[here], attribute)
    binary = np.array([attribute.nominal == (0.0, 1.0) for attribute in attributes])
    wrong = np.flatnonzero(binary[columns.astype(np.int64)] & (values != 0) & (values != 1))
    if wrong.size:
        at = wrong[:1]
        attribute = attributes[int(columns[at[0]])]
        _check_nominal(path, rows, row_of[at], values[at], attribute)
    return matrix


def _read_dense(path: Path, rows: list[Line], attributes: list[Attribute]) -> np.ndarray:
    texts = _match_rows(path, rows, _DENSE_ROW, lambda line: _explain_dense(path, line))
    for line, text in zip(rows, texts, strict=True):
        if text.count(",") + 1 != len(attributes):
            raise FormatError(
                path,
                line.number,
                f"{text.count(',') + 1} values",
                f"{len(attributes)}, one per attribute",
            )
    values = parse_numbers(texts).reshape(len(rows), len(attributes))
    wrong = np.argwhere(~np.isfinite(values))
    if wrong.size:
        row, column = wrong[0]
        raise FormatError(
            path,
            rows[row].number,
            f"the value of {attributes[column].name!r} is too large",
            "a finite number",
        )
    for column, attribute in enumerate(attributes):
        if attribute.nominal is not None:
            _check_nominal(path, rows, np.arange(len(rows)), values[:, column], attribute)
    return values


def _match_rows(path, rows, pattern, explain) -> list[str]:
    texts = []
    for line in rows:
        text = line.text
        if "'" in text or '"' in text:
            text = _QUOTED_NUMBER.sub(r"\2", text)
        if pattern.fullmatch(text) is None:
            raise explain(Line(line.number, text))
        texts.append(text)
    return texts


def _check_nominal(path, rows, row_of, values, attribute: Attribute) -> None:
    wrong = np.flatnonzero(~np.isin(values, attribute.nominal))
    if wrong.size:
        at = wrong[0]
        allowed = ",".join(f"{value:g}" for value in attribute.nominal)
        raise FormatError(
            path,
            rows[row_of[at]].number,
            f"{attribute.name!r} is {values[at]:g}",
            f"one of the declared values {{{allowed}}}",
        )


def _explain_sparse(path: Path, line: Line) -> FormatError:
    text = line.text
    if not text.startswith("{"):
        expected = "a sparse row {index value, ...} like the first row (do not mix both forms)"
        return FormatError(path, line.number, f"row {shorten(text)}", expected)
    if not text.endswith("}") or "}" in text[:-1]:
        return FormatError(
            path,
            line.number,
            f"row ending in {shorten(text[-20:])}",
            "one closing brace at its end",
        )
    for entry in text[1:-1].split(","):
        parts = entry.split()
        if len(parts) != 2 or not is_whole_number(parts[0]) or not is_number(parts[1]):
            return FormatError(
                path,
                line.number,
                f"entry {shorten(entry.strip())}",
                "index and number, such as '12 0.5' (missing values are not supported)",
            )
    return FormatError(path, line.number, f"row {shorten(text)}", "{index value, ...}")


def _explain_dense(path: Path, line: Line) -> FormatError:
    text = line.text
    if text.startswith("{"):
        expected = "comma-separated values like the first row (do not mix both forms)"
        return FormatError(path, line.number, f"row {shorten(text)}", expected)
    for position, token in enumerate(text.split(","), start=1):
        if not is_number(token.strip(" \t")):
            return FormatError(
                path,
                line.number,
                f"value {position} is {shorten(token.strip())}",
                "a number (missing values are not supported)",
            )
    return FormatError(path, line.number, f"row {shorten(text)}", "comma-separated numbers")
