"""Find the numbers that prose states, and those that a notebook's assertions check.

A number in prose is guarded if it stands as a literal in an ``assert`` of the same notebook, which
compares it with a committed table or with a run; an estimate and its interval have to stand in one
list there. Whether they are the right ones for their sentence is left to readers.
``prose_numbers.py notebooks/*.ipynb`` lists the numbers without a guard.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from operator import itemgetter

import nbformat

from cbkit.workbook.publish import study_of

Groups = list[set[Decimal]]

# What states no result: code, mathematics, quotations of the paper, references, addresses.
NO_PROSE = re.compile(
    r"^```.*?^```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|^>.*?$|^\*\*References\.\*\*.*?(?=\n\n|\Z)"
    r"|(?<=\])\([^)]*\)|https?://\S+|arXiv:\S+",
    flags=re.DOTALL | re.MULTILINE,
)
# And what is a name: dates, notebooks, algorithms, places in an order, versions, the level of
# intervals, constants in parentheses as of Gamma(2, 2) and the prior (3/k, 4, 2).
NAMES = re.compile(
    r"(?:\b\d{1,2} [A-Z][a-z]+ )?\b(?:19|20)\d\d\b|\bnotebooks? \d\d(?:(?:, | and | to )\d\d)*"
    r"|\bAlgorithms? \d+(?:(?:, | and )\d+)*"
    r"|^#* ?\d\d\. |\[\d\d[.\]]|\d(?:st|nd|rd|th)\b|\bPython \d\.\d+|\b95% (?:\w+ )?intervals?"
    r"|\((?:[\d.]+(?:/\w+)?, ?)+[\d.]+\)",
    flags=re.MULTILINE,
)
NUMBER = re.compile(
    r"(?<![\w.,/])(?<![A-Za-z]-)(?:(?<=[\s(\[])(?P<sign>[-+]))?"
    r"(?P<digits>\d{1,3}(?:,\d{3})+|\d*\.\d+|\d+)(?![\w/]|\.\d)(?P<percent>%)?"
)
INTERVAL = re.compile(r"(?:(?<=[\d%]) )?\[[-+\d., ]*\d[-+\d., ]*\]")
RANGE_OF_PERCENT = re.compile(r",? (?:to |and |or )?[-+]?[\d.]+%")
COUNT = re.compile(r"(?: (?:to|and|or) [\d.]+)? (?:times|points)\b")


@dataclass(frozen=True)
class Number:
    """A number as prose writes it.

    Attributes
    ----------
    value : Decimal
        Its size, in percent if it is one.
    sign : str
        "+" or "-" where prose writes one, "+" in estimates with an interval, else "".
    percent : bool
        Whether it is a percentage, or a bound of the interval of one.
    context : str
        It and the words around it.
    """

    value: Decimal
    sign: str
    percent: bool
    context: str

    def agrees(self, literal: Decimal) -> bool:
        """Return whether a literal, rounded to this number's digits, is this number.

        A fraction may stand for a percentage. Signs count where prose writes them.
        """
        if self.sign and self.value and (literal < 0) != (self.sign == "-"):
            return False
        half = Decimal("0.5").scaleb(self.value.as_tuple().exponent)
        size = abs(literal)
        if self.percent and abs(100 * size - self.value) <= half:
            return True
        return size == self.value or (half < Decimal("0.5") and abs(size - self.value) <= half)


Claim = tuple[Number, ...]  # one number, or an estimate and the bounds of its interval


def claims(text: str, *, results: bool = False) -> list[Claim]:
    """Return the numbers of a text in Markdown, but single digits that are no part of a result.

    Parameters
    ----------
    text : str
        Markdown.
    results : bool, default=False
        Only those written as results are: with decimals, thousands, "%", "times" or an interval.

    Examples
    --------
    >>> found = claims("Of 112 arms, `k=12`, those in 5 sets earn 4% [-2, 6] more than .25.")
    >>> [[f"{number.sign}{number.value}" for number in claim] for claim in found]
    [['112'], ['+4', '-2', '+6'], ['0.25']]
    """
    text = f" {NAMES.sub(' ', NO_PROSE.sub(' ', text))} ".replace("\u2212", "-")
    matches = list(NUMBER.finditer(text))
    found = []
    for interval in INTERVAL.finditer(text):
        start, end = interval.span()
        group = [m for m in matches if start <= m.end() <= end and m.start() < end]
        matches = [match for match in matches if match not in group]
        percent = bool(group and group[0]["percent"])
        found.append((start, tuple(_number(match, percent, "+") for match in group)))
    for match in matches:
        percent = bool(match["percent"] or RANGE_OF_PERCENT.match(text, match.end()))
        result = percent or COUNT.match(text, match.end()) or not match["digits"].isdigit()
        if result or (len(match["digits"]) > 1 and not results):
            found.append((match.start(), (_number(match, percent),)))
    return [claim for _, claim in sorted(found, key=itemgetter(0))]


def _number(match: re.Match[str], percent: bool, sign: str = "") -> Number:
    context = " ".join(match.string[max(0, match.start() - 30) : match.end() + 20].split())
    value = Decimal(match["digits"].replace(",", ""))
    return Number(value, match["sign"] or sign, percent, context)


def asserted(sources: Iterable[str]) -> Groups:
    """Return the numbers in each list and tuple of the assertions of code, then each by itself.

    Those in strings count, as labels of a table. An assertion without a name compares nothing with
    anything and does not count.

    Examples
    --------
    >>> sources = ["assert table.round(3).loc['width=0.1'].tolist() == [-4, 2]", "assert 7"]
    >>> [sorted(map(str, group)) for group in asserted(sources)]
    [['-4', '2'], ['0.1'], ['-4'], ['2']]
    """
    trees = (node for source in sources for node in ast.walk(ast.parse(source)))
    checks = [node.test for node in trees if isinstance(node, ast.Assert)]
    named = [test for test in checks if any(isinstance(n, ast.Name) for n in ast.walk(test))]
    nodes = [node for test in named for node in ast.walk(test)]
    lists = [set(_literals(node)) for node in nodes if isinstance(node, ast.List | ast.Tuple)]
    return [*lists, *({number} for test in named for number in _literals(test))]


def _literals(node: ast.AST) -> Iterator[Decimal]:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            yield -Decimal(str(value))
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as value):
            yield Decimal(str(value))
        case ast.Constant(value=str() as label):
            yield from map(Decimal, re.findall(r"\d+\.\d+|\d+", label))
        case ast.Call(func=ast.Attribute(attr="round")):  # its digits are no result
            yield from _literals(node.func)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _literals(child)


def _missing(stated: Iterable[Claim], known: Groups) -> list[str]:
    """Return the words around each claim in no group; an estimate's signs may all be turned."""
    turned = [{-number for number in group} for group in known]
    return [
        claim[0].context
        for claim in stated
        if not any(
            all(any(map(number.agrees, group)) for number in claim)
            for group in (known + turned if len(claim) > 1 else known)
        )
    ]


def stated(notebook: nbformat.NotebookNode) -> list[Claim]:
    """Return the numbers that a notebook's prose states."""
    prose = (cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return [claim for text in prose for claim in claims(text)]


def unguarded(notebook: nbformat.NotebookNode) -> list[str]:
    """Return the numbers of a notebook's prose that no assertion checks, with the words around."""
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return _missing(stated(notebook), asserted(code))


def without_source(page: str, notebooks: Mapping[str, nbformat.NotebookNode]) -> list[str]:
    """Return the results in a page's text that no notebook's prose states.

    In a section that names notebooks, or shows pictures of theirs, these are the ones that count.
    """
    said = {study_of(name): stated(notebook) for name, notebook in notebooks.items()}
    missing = []
    for section in re.split(r"^(?=## )", page, flags=re.MULTILINE):
        near = [study for study in said if re.search(rf"[/_]{study}\b", section)]
        known = [set(map(_signed, claim)) for study in near or said for claim in said[study]]
        missing += _missing(claims(section, results=True), known)
    return missing


def _signed(number: Number) -> Decimal:
    size = number.value / 100 if number.percent else number.value
    return -size if number.sign == "-" else size


def main(paths: list[str]) -> int:
    """Print the numbers of each notebook that have no guard; return 1 if there are any."""
    found = [f"{path}: {n}" for path in paths for n in unguarded(nbformat.read(path, as_version=4))]
    print(*found, sep="\n", end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
