"""The head of a Mulan data set: attribute declarations, and the XML file that names the labels."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from cbkit.datasets.formats.text import FormatError, Line, is_number, read_lines, shorten

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(
    rf"@attribute[ \t]++({_QUOTED}|[^ \t{{'\"][^ \t{{]*+)[ \t]*+(.*)", re.IGNORECASE
)
_NUMERIC_TYPES = ("numeric", "real", "integer")


@dataclass(frozen=True)
class Attribute:
    """A column of an ARFF file; `nominal` holds the numbers it may take, in their order."""

    name: str
    nominal: tuple[float, ...] | None
    line: int

    @property
    def shown_values(self) -> str:
        """The declared values as the file would write them, the first ten of many."""
        values = self.nominal or ()
        shown = [f"{value:g}" for value in values[:10]] + ["..."] * (len(values) > 10)
        return "{" + ",".join(shown) + "}"


def parse_header(path: Path, lines: list[Line]) -> tuple[list[Attribute], int]:
    """Parse the declarations up to `@data`.

    Returns
    -------
    attributes : list of Attribute
    start : int
        Position in `lines` of the first line after `@data`.
    """
    attributes: list[Attribute] = []
    for position, line in enumerate(lines):
        text = line.text.strip(" \t")
        keyword = text[:10].lower()
        if keyword == "@attribute":
            attributes.append(_parse_attribute(path, Line(line.number, text)))
        elif text.lower() == "@data":
            _check_attributes(path, attributes, line)
            return attributes, position + 1
        elif text and not text.startswith("%") and not keyword.startswith("@relation"):
            raise FormatError(
                path, line.number, f"{shorten(text)} before @data", "@attribute declarations"
            )
    raise FormatError(path, None, f"no @data in {len(lines)} lines", "an ARFF file")


def read_label_names(path: str | Path) -> tuple[str, ...]:
    """Read the names of the labels from a Mulan XML file, in their order.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "labels.xml")
    ...     _ = file.write_text('<labels><label name="a"/><label name="b"/></labels>')
    ...     read_label_names(file)
    ('a', 'b')
    """
    path = Path(path)
    text = "\n".join(line.text for line in read_lines(path))
    if "<!DOCTYPE" in text:
        raise FormatError(path, None, "a document type declaration", "a plain Mulan label file")
    try:
        # As text: a declared encoding is not looked up, since the file was read as UTF-8.
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise FormatError(
            path, error.position[0], f"not well-formed XML ({error})", "a Mulan label file"
        ) from error
    names = []
    for element in root.iter():
        if element.tag.rpartition("}")[2] == "label":
            name = element.get("name")
            if name is None:
                raise FormatError(path, None, "a label without a name", '<label name="...">')
            names.append(name)
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise FormatError(path, None, f"label {shorten(repeated[0])} twice", "distinct label names")
    if len(names) < 2:
        raise FormatError(path, None, f"{len(names)} labels", "at least 2 <label> elements")
    return tuple(names)


def _parse_attribute(path: Path, line: Line) -> Attribute:
    match = _ATTRIBUTE.fullmatch(line.text)
    if match is None:
        raise FormatError(path, line.number, shorten(line.text), "@attribute <name> <type>")
    name, kind = _unquote(match[1]), match[2].strip(" \t")
    if kind.startswith("{"):
        return Attribute(name, _parse_nominal(path, line.number, name, kind), line.number)
    if kind.lower() not in _NUMERIC_TYPES:
        raise FormatError(
            path,
            line.number,
            f"attribute {shorten(name)} of type {shorten(kind)}",
            "numeric, real, integer or {0,1}; turn other columns into numbers before exporting",
        )
    return Attribute(name, None, line.number)


def _parse_nominal(path: Path, number: int, name: str, kind: str) -> tuple[float, ...]:
    if not kind.endswith("}"):
        raise FormatError(
            path, number, f"values {shorten(kind)} of {shorten(name)}", "a closing brace"
        )
    values = []
    for token in kind[1:-1].split(","):
        value = _unquote(token.strip(" \t"))
        if not is_number(value):
            raise FormatError(
                path,
                number,
                f"value {shorten(value)} of attribute {shorten(name)}",
                "numbers such as {0,1}; turn text categories into numbers before exporting",
            )
        values.append(float(value))
    return tuple(values)


def _check_attributes(path: Path, attributes: list[Attribute], data: Line) -> None:
    if not attributes:
        raise FormatError(path, data.number, "@data before any @attribute", "declarations first")
    seen: dict[str, int] = {}
    for attribute in attributes:
        if attribute.name in seen:
            raise FormatError(
                path,
                attribute.line,
                f"attribute {shorten(attribute.name)} again (first in line {seen[attribute.name]})",
                "distinct names",
            )
        seen[attribute.name] = attribute.line


def _unquote(token: str) -> str:
    if len(token) >= 2 and token[0] in "'\"" and token[-1] == token[0]:
        return re.sub(r"\\(.)", r"\1", token[1:-1])
    return token
