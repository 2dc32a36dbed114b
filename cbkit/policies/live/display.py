"""How a policy shows itself in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape


def html_table(title: str, rows: Mapping[str, object]) -> str:
    """Return a table of two columns as HTML, with a title above.

    Parameters
    ----------
    title : str
        Its caption.
    rows : mapping of str to object
        What each row is called, and what it shows.

    Returns
    -------
    str

    Examples
    --------
    >>> html_table("Greedy", {"arms": 3})
    '<table><caption>Greedy</caption><tr><th>arms</th><td>3</td></tr></table>'
    """
    cells = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(str(shown))}</td></tr>"
        for name, shown in rows.items()
    )
    return f"<table><caption>{escape(title)}</caption>{cells}</table>"
