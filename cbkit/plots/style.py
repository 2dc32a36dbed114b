"""One look for every figure: a colour and dashes per policy, and the theme they are drawn in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import matplotlib as mpl
import seaborn as sns
from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart with any common form of colour blindness; the order keeps
# neighbours of a figure apart. Tol's muted ones follow where a figure has more labels.
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
PALETTE = (*OKABE_ITO, "#882255", "#999933", "#332288", "#44AA99")
GREY, LIGHT_GREY, DARK_GREY = "#7F7F7F", "#CFCFCF", "#4D4D4D"
SOLID, DASHED, DOTTED = "", (4, 1.6), (1, 1.3)
DASHES = (SOLID, DASHED, DOTTED, (5, 1.2, 1, 1.2))

# Policies by family: what shares a panel where there are more lines than one can hold.
FAMILIES = {
    "greedy and random exploration": (
        *("Greedy", "EpsilonGreedy", "ExploreThenExploit", "AlternatingEpochs", "SoftmaxExplorer"),
    ),
    "upper confidence bounds": ("BootstrappedUCB", "OnlineBootstrappedUCB"),
    "Thompson sampling": ("BootstrappedTS", "OnlineBootstrappedTS"),
    "adaptive greedy": ("ContextualAdaptiveGreedy", "ContextualAdaptiveGreedy2"),
    "active learning": ("ActiveExplorer", "ActiveAdaptiveGreedy"),
    "without context": ("BestArmInHindsight", "BestArmOnline", "RandomArm"),
    "beyond the paper": ("SmoothedGreedy", "FullInformation"),
}

# Within a family all colours differ; references are grey in every figure.
LOOKS: dict[str, tuple[str, tuple[float, ...] | str]] = {
    "Greedy": ("#0072B2", SOLID),
    "EpsilonGreedy": ("#E69F00", SOLID),
    "ExploreThenExploit": ("#009E73", SOLID),
    "AlternatingEpochs": ("#CC79A7", SOLID),
    "SoftmaxExplorer": ("#56B4E9", SOLID),
    "BootstrappedUCB": ("#D55E00", SOLID),
    "OnlineBootstrappedUCB": ("#332288", DASHED),
    "BootstrappedTS": ("#44AA99", SOLID),
    "OnlineBootstrappedTS": ("#882255", DASHED),
    "ContextualAdaptiveGreedy": ("#999933", SOLID),
    "ContextualAdaptiveGreedy2": ("#882255", DOTTED),
    "ActiveExplorer": ("#CC79A7", DASHED),
    "ActiveAdaptiveGreedy": ("#332288", DOTTED),
    "BestArmInHindsight": (GREY, DASHED),
    "BestArmOnline": (DARK_GREY, SOLID),
    "RandomArm": (GREY, DOTTED),
    "SmoothedGreedy": ("#0072B2", DASHED),
    "FullInformation": (DARK_GREY, DOTTED),
}


def looks(labels: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return a colour and dashes per label, no two alike; those of a policy's name are its own.

    Examples
    --------
    >>> both = looks(["Greedy", "mine", "mine too"])
    >>> both["Greedy"]["color"], both["mine"]["color"] != both["mine too"]["color"]
    ('#0072B2', True)
    """
    labels = list(dict.fromkeys(labels))
    found = {label: LOOKS[label] for label in labels if label in LOOKS}
    taken = {colour for colour, _ in found.values()}
    fresh = [colour for colour in PALETTE if colour not in taken]
    pairs: list[tuple[str, Any]] = [(colour, SOLID) for colour in fresh]
    pairs += [(colour, dashes) for dashes in DASHES[1:] for colour in PALETTE]
    free = (pair for pair in pairs if pair not in found.values())
    for label in labels:
        if label not in found:
            found[label] = next(free)
    return {label: {"color": found[label][0], "dashes": found[label][1]} for label in labels}


def line_style(look: dict[str, Any]) -> dict[str, Any]:
    """Return a look as the keywords of a matplotlib line."""
    dashes = look["dashes"]
    return {"color": look["color"], "linestyle": (0, dashes) if dashes else "-"}


def figure_title(fig: Figure, title: str, *, below_legend: bool = False) -> None:
    """Draw a figure's title at the left, on the second line where a legend has the first."""
    if title:
        fig.suptitle("\n" * below_legend + title, x=0.01, ha="left", size=11, linespacing=1.7)


def use_style() -> None:
    """Set the look of every figure made from here on."""
    sns.set_theme(style="ticks", palette=list(PALETTE))
    mpl.rcParams.update(
        {
            "figure.figsize": (8.0, 4.5),
            "figure.dpi": 90,
            "figure.constrained_layout.use": True,
            "font.size": 10,
            "axes.labelsize": 10,
            "axes.titlesize": 11,
            "axes.titlelocation": "left",
            "xtick.labelsize": 9,
            "ytick.labelsize": 9,
            "legend.fontsize": 9,
            "legend.frameon": False,
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
