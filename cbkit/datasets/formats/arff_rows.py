"""The rows of an ARFF file, dense or sparse, into a matrix with one column per attribute."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from scipy import sparse

from cbkit.datasets.formats.arff_header import Attribute
from cbkit.datasets.formats.text import (
    BLANK,
    NUMBER,
    FormatError,
    Line,
    build_csr,
    is_number,
    is_whole_number,
    parse_numbers,
    shorten,
)

_ENTRY = rf"{BLANK}*+[0-9]++{BLANK}++{NUMBER}{BLANK}*+"
_SPARSE_ROW = re.compile(rf"\{{(?:{BLANK}*+|{_ENTRY}(?:,{_ENTRY})*)\}}")
_VALUE = rf"{BLANK}*+{NUMBER}{BLANK}*+"
_DENSE_ROW = re.compile(rf"{_VALUE}(?:,{_VALUE})*")
_QUOTED_NUMBER = re.compile(rf"(['\"])({NUMBER})\1")


def read_sparse(path: Path, rows: list[Line], attributes: list[Attribute]) -> sparse.csr_array:
    """Read rows such as `{3 1,7 0.5}`: attribute numbers from 0, and values."""
    for attribute in attributes:
        if attribute.nominal is not None and attribute.nominal[0] != 0:
            raise FormatError(
                path,
                attribute.line,
                f"attribute {shorten(attribute.name)} with values {attribute.shown_values}, "
                "of which sparse rows leave out the first",
                "0 as the first value in a file with sparse rows",
            )
    texts = _match_rows(rows, _SPARSE_ROW, lambda line: _explain_sparse(path, line))
    lengths = [text.count(",") + 1 if text[1:-1].strip(" \t") else 0 for text in texts]
    row_of = np.repeat(np.arange(len(rows)), lengths)
    columns, values = parse_numbers(texts).reshape(-1, 2).T

    def fail(row: int, found: str, expected: str) -> FormatError:
        return FormatError(path, rows[row].number, found, expected)

    matrix = build_csr(row_of, columns, values, (len(rows), len(attributes)), fail)
    columns = columns.astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=len(attributes)))])
    by_column = np.argsort(columns, kind="stable")
    for allowed, members in _nominal_groups(attributes):
        entries = np.concatenate([by_column[starts[j] : starts[j + 1]] for j in members])
        for at in entries[~np.isin(values[entries], allowed)][:1]:
            raise _not_declared(path, rows[row_of[at]], attributes[columns[at]], values[at])
    return matrix


def read_dense(path: Path, rows: list[Line], attributes: list[Attribute]) -> np.ndarray:
    """Read rows such as `0.5,1,0`: one value per attribute."""
    texts = _match_rows(rows, _DENSE_ROW, lambda line: _explain_dense(path, line))
    for line, text in zip(rows, texts, strict=True):
        n_values = text.count(",") + 1
        if n_values != len(attributes):
            raise FormatError(
                path, line.number, f"{n_values} values", f"{len(attributes)}, one per attribute"
            )
    values = parse_numbers(texts).reshape(len(rows), len(attributes))
    for row, column in np.argwhere(~np.isfinite(values))[:1]:
        name = attributes[column].name
        raise FormatError(
            path, rows[row].number, f"{shorten(name)} has too large a value", "a finite number"
        )
    for allowed, members in _nominal_groups(attributes):
        for row, member in np.argwhere(~np.isin(values[:, members], allowed))[:1]:
            column = members[member]
            raise _not_declared(path, rows[row], attributes[column], values[row, column])
    return values


def _nominal_groups(
    attributes: list[Attribute],
) -> Iterable[tuple[tuple[float, ...], list[int]]]:
    """Return each set of declared values, and the columns that share it."""
    groups: dict[tuple[float, ...], list[int]] = {}
    for column, attribute in enumerate(attributes):
        if attribute.nominal is not None:
            groups.setdefault(attribute.nominal, []).append(column)
    return groups.items()


def _not_declared(path: Path, line: Line, attribute: Attribute, value: float) -> FormatError:
    found = f"{shorten(attribute.name)} is {value:g}"
    return FormatError(path, line.number, found, f"one of {attribute.shown_values}")


def _match_rows(
    rows: list[Line], pattern: re.Pattern[str], explain: Callable[[Line], FormatError]
) -> list[str]:
    """Return the rows' texts without quotes around numbers; all match the pattern."""
    texts = []
    for line in rows:
        text = line.text
        if "'" in text or '"' in text:
            text = _QUOTED_NUMBER.sub(r"\2", text)
        if pattern.fullmatch(text) is None:
            raise explain(Line(line.number, text))
        texts.append(text)
    return texts


def _explain_sparse(path: Path, line: Line) -> FormatError:
    text = line.text
    if not text.startswith("{"):
        expected = "a sparse row {index value, ...} like the first row (do not mix both forms)"
        return FormatError(path, line.number, f"row {shorten(text)}", expected)
    if not text.endswith("}") or "}" in text[:-1]:
        end = shorten(text[-20:])
        return FormatError(path, line.number, f"row ending in {end}", "one brace, at the end")
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
