"""What every notebook does beside its subject: write tables and figures, show committed ones."""

from __future__ import annotations

import ast
import inspect
import platform
import textwrap
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from IPython.display import Image, Markdown, display
from matplotlib.figure import Figure

from cbkit.paths import figures_dir, outputs_dir
from cbkit.workbook.gallery import drawing
from cbkit.workbook.tables import load_table, read_table, thinned, write_table

__all__ = ["Study", "load_table", "markdown", "show_figure", "show_versions", "source", "thinned"]

PACKAGES = ("cbkit", "numpy", "scipy", "scikit-learn", "pandas", "matplotlib", "seaborn")
N_COLOURS = 256


class Study:
    """One study's tables and figures in a run of its notebook, all below ``outputs/<run>/``.

    No committed file changes: ``python -m cbkit results`` alone writes these.

    Parameters
    ----------
    name : str
        The notebook's, without its number.
    run : str
        Name of the run, the notebooks' parameter ``profile``.
    dataset : str, optional
        The data set that is played, where there is one; tables keep those of others beside it.

    Attributes
    ----------
    folder : Path
        For the tables of experiments.
    tasks : Path
        For their runs, which studies share.
    """

    def __init__(self, name: str, run: str, dataset: str = "") -> None:
        self.name, self.dataset, self.root = name, dataset, outputs_dir(run)
        self.folder = self.root / "runs" / name
        self.tasks = self.root / "runs" / "tasks"

    def save_table(
        self, name: str, table: pd.DataFrame, *, cpu_seconds: float | pd.Series | None = None
    ) -> Path:
        """Write a table, see `cbkit.workbook.tables.write_table`."""
        root = self.root / "tables"
        return write_table(root, self.name, name, table, cpu_seconds=cpu_seconds)

    def save_figure(self, name: str, fig: Figure, *, formats: Sequence[str] = ("png",)) -> Path:
        """Write a figure, see `save_figure`."""
        return save_figure(self.root / "figures" / self.name, name, fig, formats=formats)

    def draw(self, name: str) -> None:
        """Draw a figure of the gallery from the tables that this run has written, and save it.

        Parameters
        ----------
        name : str
            The figure's, without study and data set.
        """
        how = drawing(self.name, name)
        root = self.root / "tables"
        tables = [read_table(root, self.name, table) for table in how.tables]
        for picture, fig in how.figures(tables, name, self.dataset):
            self.save_figure(picture, fig)


def save_figure(folder: Path, name: str, fig: Figure, *, formats: Sequence[str] = ("png",)) -> Path:
    """Write a figure; the same figure gives the same bytes.

    Parameters
    ----------
    folder : Path
        Made if it is missing.
    name : str
        What the figure shows.
    fig : Figure
    formats : sequence of str, default=("png",)
        Endings; PNG files have 256 colours.

    Returns
    -------
    Path
        The first file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.{ending}" for ending in formats]
    plain = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}
    plain["pdf"] = {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None}
    with mpl.rc_context({"svg.hashsalt": "cbkit"}):
        for path, ending in zip(paths, formats, strict=True):
            fig.savefig(path, dpi=150, metadata=plain.get(ending))
            if ending == "png":
                _quantise(path)
    return paths[0]


def _quantise(path: Path) -> None:
    """Rewrite a picture with 256 colours, a quarter of its size."""
    from PIL import Image as Picture

    with Picture.open(path) as picture:
        few = picture.convert("RGB").quantize(N_COLOURS, dither=Picture.Dither.NONE)
    few.save(path, optimize=True)


def show_figure(name: str) -> Image:
    """Return a committed figure, such as ``"evaluation/bibtex"``, to be shown in a notebook.

    Raises
    ------
    FileNotFoundError
        If there is none; the message lists the study's figures.

    Examples
    --------
    >>> show_figure("evaluation/bibtex").format
    'png'
    """
    path = figures_dir() / f"{name}.png"
    if not path.exists():
        known = sorted(found.stem for found in path.parent.glob("*.png"))
        raise FileNotFoundError(
            f"no committed figure {name}; those of {path.parent.name} are: "
            f"{', '.join(known) or 'none'}"
        )
    return Image(data=path.read_bytes(), format="png", width=900)


def source(code: Callable[..., Any] | type) -> Markdown:
    """Return the lines of a function, method or class, without its docstring.

    Examples
    --------
    >>> def double(x):
    ...     return 2 * x
    >>> print(source(thinned).data.splitlines()[1])
    def thinned(curves: pd.DataFrame) -> pd.DataFrame:
    """
    lines = textwrap.dedent(inspect.getsource(code))
    kept = lines.splitlines()
    if code.__doc__:
        [definition] = ast.parse(lines).body
        docstring = definition.body[0]  # type: ignore[attr-defined]  # a function or class
        del kept[docstring.lineno - 1 : docstring.end_lineno]
    lines = "\n".join(line for line in kept if line.strip())
    return Markdown(f"```python\n{lines.strip()}\n```")


def markdown(*paragraphs: str) -> None:
    """Display paragraphs of Markdown, such as f-strings that quote the numbers above them.

    Examples
    --------
    >>> markdown(f"The best arm gives **{0.12:.3f}**.")
    <IPython.core.display.Markdown object>
    """
    display(Markdown("\n\n".join(paragraphs)))


def show_versions() -> None:
    """Print the versions of Python and of the packages that results depend on.

    Examples
    --------
    >>> show_versions()
    Python ..., cbkit ..., numpy ..., scipy ..., scikit-learn ..., pandas ..., matplotlib ...
    """
    packages = [f"{package} {version(package)}" for package in PACKAGES]
    print(", ".join([f"Python {platform.python_version()}", *packages]))
