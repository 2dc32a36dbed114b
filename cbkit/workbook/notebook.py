"""What every notebook does beside its subject: show computed text, save tables, name versions."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from IPython.display import Markdown, display

from cbkit.paths import output_root, outputs_dir

PACKAGES = ("cbkit", "numpy", "scipy", "scikit-learn", "pandas", "matplotlib")


def markdown(*paragraphs: str) -> None:
    """Show paragraphs of Markdown, such as f-strings that quote the numbers above them.

    Examples
    --------
    >>> markdown(f"The best arm gives **{0.12:.3f}**.")
    <IPython.core.display.Markdown object>
    """
    display(Markdown("\n\n".join(paragraphs)))


def listed(items: Iterable[object], empty: str = "none") -> str:
    """Write things one after another, or say that there are none.

    Examples
    --------
    >>> listed(["Greedy", "RandomArm"]), listed([])
    ('Greedy, RandomArm', 'none')
    """
    return ", ".join(map(str, items)) or empty


def save_table(table: pd.DataFrame, name: str, *, notebook: str, profile: str) -> Path:
    """Write a table of results as CSV: the paper profile's to ``data/results``, to be committed.

    Parameters
    ----------
    table : DataFrame
        Its columns and rows are written, its index is not.
    name : str
        What the table holds, such as ``"finals"``.
    notebook, profile : str
        As for `cbkit.plots.curves.save_figure`.

    Returns
    -------
    Path
        The file.
    """
    committed = output_root() / "data" / "results"
    folder = committed if profile == "paper" else outputs_dir(profile)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{notebook}_{name}.csv"
    table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")
    return path


def show_versions() -> None:
    """Print the versions of Python and of the packages that results depend on.

    Examples
    --------
    >>> show_versions()
    Python ..., cbkit ..., numpy ..., scipy ..., scikit-learn ..., pandas ..., matplotlib ...
    """
    packages = [f"{package} {version(package)}" for package in PACKAGES]
    print(", ".join([f"Python {platform.python_version()}", *packages]))
