"""Where each item of the paper is in the workbook, for the index notebook and the site's page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

LEFT_OUT = "left out: "
VERDICTS = ("07_verdicts", "The eighteen verdicts on a page")


@dataclass(frozen=True, kw_only=True)
class Item:
    """An item of the paper and its place.

    Parameters
    ----------
    section : str
        Of the paper, with its number.
    what : str
        The item's caption, or what the paper's text is about.
    item : str, optional
        Its kind and number in the paper, ``"Algorithm 1"``.
    notebooks : dict of str to str
        Notebooks, each with one of its headings; an empty heading stands for the whole notebook.
    code : tuple of str
        Dotted names that can be imported.
    figures, tables : tuple of str
        Committed ones, ``"study/name"``.
    claims : tuple of int
        Numbers of the claims that notebook 07 judges.
    note : str, optional
        What else to know; where the workbook leaves the item out, that and why.
    """

    section: str
    what: str
    item: str = ""
    notebooks: dict[str, str] = field(default_factory=dict)
    code: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    claims: tuple[int, ...] = ()
    note: str = ""

    @property
    def is_left_out(self) -> bool:
        """Whether nothing of the workbook belongs to the item."""
        return self.note.startswith(LEFT_OUT)


def paper_index() -> list[Item]:
    """Return the items of the paper in its order, then what is beyond it.

    Examples
    --------
    >>> [item.what for item in paper_index() if item.item == "Algorithm 1"]
    ['MAB-first']
    """
    text = Path(__file__).with_name("paper_to_code.yaml").read_text(encoding="utf-8")
    return [
        Item(
            section=section["section"],
            notebooks={name: heading or "" for name, heading in part.pop("notebooks", {}).items()},
            **_with_tuples(part),
        )
        for section in yaml.safe_load(text)
        for part in section["parts"]
    ]


def _with_tuples(part: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(v) if isinstance(v, list) else v for key, v in part.items()}


def index_table(
    items: Iterable[Item],
    *,
    folder: str = "",
    code: str = "`{}`",
    figure: str = "`{}`",
) -> str:
    """Write items as a Markdown table, a row each.

    Parameters
    ----------
    items : iterable of Item
    folder : str, optional
        Of the notebooks, from where the table is shown, ``"notebooks/"``.
    code, figure : str
        How a name is written, ``{}`` being the name.

    Examples
    --------
    >>> ties = Item(section="6", what="ties", notebooks={"02_baselines": ""}, note="at random")
    >>> print(index_table([ties]))
    | in the paper | notebook | code | figures and tables | claims |
    |:--|:--|:--|:--|:--|
    | ties | [02](02_baselines.ipynb); at random |  |  |  |
    """
    lines = ["| in the paper | notebook | code | figures and tables | claims |", "|:--" * 5 + "|"]
    for item in items:
        places = [_link(name, heading, folder) for name, heading in item.notebooks.items()]
        results = [figure.format(name) for name in item.figures]
        if item.tables:
            results.append("table " + ", ".join(f"`{name}`" for name in item.tables))
        cells = [
            f"**{item.item}**: {item.what}" if item.item else item.what,
            "; ".join([*places, *([item.note] if item.note else [])]),
            ", ".join(code.format(name) for name in item.code),
            ", ".join(results),
            ", ".join(_link(VERDICTS[0], VERDICTS[1], folder, str(n)) for n in item.claims),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _link(notebook: str, heading: str, folder: str, label: str = "") -> str:
    """Return a link to a notebook's heading, by the anchor that Jupyter gives it."""
    number = notebook.split("_")[0]
    label = label or (f"{number}, {heading}" if heading else number)
    anchor = "#" + heading.replace(" ", "-") if heading else ""
    return f"[{label}]({folder}{notebook}.ipynb{anchor})"
