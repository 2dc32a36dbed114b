"""What all readers share: strict numbers, lines with their numbers, one kind of error."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

# Possessive quantifiers keep matching linear in the length of the line, whatever it holds. Groups
# have none: before Python 3.11.5 one that matches in part is not taken back.
NUMBER = r"[+-]?+(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?"
BLANK = r"[ \t]"
MAX_COLUMNS = 10_000_000

_NUMBER_ONLY = re.compile(NUMBER)
_WHOLE_NUMBER_ONLY = re.compile(r"[0-9]++")


class FormatError(ValueError):
    """A file is not what its format asks for; names the file and the line.

    Examples
    --------
    >>> print(FormatError("a.arff", 12, "value 'x' is not a number", "a finite number"))
    a.arff, line 12: value 'x' is not a number; expected a finite number
    """

    def __init__(self, source: str | Path, line: int | None, found: str, expected: str) -> None:
        self.source, self.line = str(source), line
        where = f"{source}, line {line}" if line is not None else f"{source}"
        super().__init__(f"{where}: {found}; expected {expected}")


class Line(NamedTuple):
    """A line of a file and its number, counted from 1."""

    number: int
    text: str


def read_lines(path: Path) -> list[Line]:
    """Read a UTF-8 text file into lines without their ends (LF, CRLF or CR)."""
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # Positions are of the decoder's own object, which lacks a byte order mark.
        before, bad = error.object[: error.start], error.object[error.start]
        line = len(re.split(rb"\r\n|\r|\n", before))
        raise FormatError(
            path, line, f"byte 0x{bad:02x} is not UTF-8 text", "a UTF-8 text file"
        ) from error
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [Line(number, line) for number, line in enumerate(lines, start=1)]


def is_number(token: str) -> bool:
    """Return whether a token is a plain decimal number (no nan, inf, hexadecimal, underscores)."""
    return _NUMBER_ONLY.fullmatch(token) is not None


def is_whole_number(token: str) -> bool:
    """Return whether a token is a non-negative whole number in plain digits."""
    return _WHOLE_NUMBER_ONLY.fullmatch(token) is not None


def parse_numbers(texts: list[str], separators: str = ",:{}") -> np.ndarray:
    """Parse all numbers of texts that a pattern has already found to hold nothing else."""
    joined = " ".join(texts).translate({ord(character): " " for character in separators})
    return np.fromstring(joined, dtype=np.float64, sep=" ") if joined.strip() else np.empty(0)


def shorten(text: str, width: int = 60) -> str:
    """Quote a piece of a file for an error message."""
    return repr(text if len(text) <= width else text[: width - 3] + "...")


def build_csr(
    rows: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    shape: tuple[int, int],
    fail: Callable[[int, str, str], FormatError],
    what: str = "index",
    first: int = 0,
) -> sparse.csr_array:
    """Build a CSR array from the entries of a whole file, refusing what cannot be one.

    Parameters
    ----------
    rows, columns, values : ndarray, (n_entries,)
        `columns` as parsed (float64), so that an absurd index is seen and not wrapped around.
    shape : tuple of int
    fail : callable
        Makes the error from (row, found, expected).
    what : str
        What a column number is called in messages.
    first : int
        The number of the first column in the file.
    """

    def refuse(wrong: np.ndarray, found: str, expected: str) -> None:
        if wrong.size:
            raise fail(int(rows[wrong[0]]), f"{what} {columns[wrong[0]]:.0f} {found}", expected)

    last = shape[1] - 1 + first
    outside = np.flatnonzero(~((columns >= first) & (columns <= last)))
    refuse(outside, "is out of range", f"{first} to {last}")
    refuse(np.flatnonzero(~np.isfinite(values)), "has too large a value", "a finite number")
    places = columns.astype(np.int64) - first
    keys = rows.astype(np.int64) * shape[1] + places
    order = np.argsort(keys, kind="stable")
    repeated = order[1:][np.diff(keys[order]) == 0]
    refuse(np.sort(repeated), "appears twice", f"each {what} at most once per row")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    matrix = sparse.csr_array((values[order], places[order], indptr), shape=shape)
    matrix.eliminate_zeros()
    return matrix
