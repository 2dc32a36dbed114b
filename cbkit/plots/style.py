"""One look for every figure: colour by family, line style by variant, deterministic files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from cbkit.paths import figures_dir

# Okabe and Ito's colours, told apart with any common form of colour blindness.
FAMILIES = {
    "greedy": "#0072B2",
    "UCB": "#D55E00",
    "Thompson sampling": "#009E73",
    "active": "#CC79A7",
    "adaptive greedy": "#E69F00",
    "softmax": "#56B4E9",
    "baseline": "#7F7F7F",
    "MAB-first": "#0072B2",
    "smoothing": "#D55E00",
    "no cold start": "#000000",
}
OTHER_COLOUR = "#000000"  # a policy of one's own
LINESTYLES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))

# policy name, or cold start where these are compared -> (family, position in LINESTYLES)
STYLES = {
    "Greedy": ("greedy", 0),
    "EpsilonGreedy": ("greedy", 1),
    "ExploreThenExploit": ("greedy", 2),
    "AlternatingEpochs": ("greedy", 3),
    "BootstrappedUCB": ("UCB", 0),
    "OnlineBootstrappedUCB": ("UCB", 1),
    "BootstrappedTS": ("Thompson sampling", 0),
    "OnlineBootstrappedTS": ("Thompson sampling", 1),
    "ActiveExplorer": ("active", 0),
    "ActiveAdaptiveGreedy": ("active", 1),
    "ContextualAdaptiveGreedy": ("adaptive greedy", 0),
    "ContextualAdaptiveGreedy2": ("adaptive greedy", 1),
    "SoftmaxExplorer": ("softmax", 0),
    "BestArmInHindsight": ("baseline", 1),
    "BestArmOnline": ("baseline", 0),
    "RandomArm": ("baseline", 2),
    "MAB-first": ("MAB-first", 4),
    "smoothing": ("smoothing", 4),
    "no cold start": ("no cold start", 0),
}


def _style_of(label: str) -> tuple[str, int]:
    """Family and line style of a policy's name, or of a label that starts with one."""
    for name in sorted(STYLES, key=len, reverse=True):
        if label == name or (label.startswith(name) and not label[len(name)].isalnum()):
            return STYLES[name]
    return "other", 0


def colour_of(label: str) -> str:
    """Colour of a policy's family; a label may go on after the name, as in ``"Greedy, 5/k"``.

    Examples
    --------
    >>> colour_of("BootstrappedUCB") == colour_of("OnlineBootstrappedUCB, percentile 90")
    True
    """
    return FAMILIES.get(_style_of(label)[0], OTHER_COLOUR)


def linestyle_of(label: str) -> Any:
    """Line style of a policy within its family.

    Examples
    --------
    >>> linestyle_of("BootstrappedTS"), linestyle_of("OnlineBootstrappedTS")
    ('-', '--')
    """
    return LINESTYLES[_style_of(label)[1]]


def line_styles(labels: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Colour and line style per label, no two the same while a family has styles left.

    Examples
    --------
    >>> styles = line_styles(["Greedy", "Greedy, no prior"])
    >>> [style["linestyle"] for style in styles.values()]
    ['-', '--']
    """
    labels = list(labels)
    styles: dict[str, dict[str, Any]] = {}
    taken = {_style_of(label) for label in labels if label in STYLES}
    for label in labels:
        family, position = _style_of(label)
        if label not in STYLES:
            free = (i for i in range(len(LINESTYLES)) if (family, i) not in taken)
            position = next(free, position)
            taken.add((family, position))
        styles[label] = {"color": colour_of(label), "linestyle": LINESTYLES[position]}
    return styles


def use_style() -> None:
    """Set the look of every figure made from here on."""
    mpl.rcParams.update(
        {
            "figure.figsize": (8.0, 4.5),
            "figure.dpi": 100,
            "figure.constrained_layout.use": True,
            "font.size": 10,
            "axes.titlesize": 11,
            "axes.titlelocation": "left",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "grid.color": "#E6E6E6",
            "lines.linewidth": 1.5,
            "savefig.dpi": 150,
            "svg.hashsalt": "cbkit",
        }
    )


def save_figure(fig: Figure, name: str, *, notebook: str, profile: str) -> Path:
    """Write a figure as PNG and SVG; the same figure gives the same bytes.

    Parameters
    ----------
    fig : Figure
    name : str
        What the figure shows, such as ``"bibtex"``.
    notebook : str
        The notebook it comes from, such as ``"06_evaluation"``.
    profile : str
        ``"demo"`` or ``"paper"``.

    Returns
    -------
    Path
        The PNG file; the SVG lies beside it.
    """
    path = figures_dir(profile) / f"{notebook}_{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "cbkit"}):
        fig.savefig(path, dpi=150, metadata={"Software": None})
        fig.savefig(path.with_suffix(".svg"), metadata={"Date": None, "Creator": None})
    return path
