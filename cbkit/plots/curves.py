"""Figures from tidy tables of runs; every function takes and returns axes."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from cbkit.experiments.stats import INTERVAL, intervals, keys_of
from cbkit.experiments.tables import by_dataset
from cbkit.plots.end_labels import add_end_labels
from cbkit.plots.style import colour_of, line_styles, linestyle_of, save_figure, use_style

__all__ = [
    "colour_of",
    "exploration_share",
    "learning_curve_panels",
    "learning_curves",
    "linestyle_of",
    "policy_dataset_heatmap",
    "policy_lines",
    "save_figure",
    "use_style",
]

IN_HINDSIGHT = "BestArmInHindsight"


def caption(n: pd.Series, what: str = "bands") -> str:
    """Say what the bands are and over how many replicates.

    Examples
    --------
    >>> caption(pd.Series([10, 10]))
    'bands: 95% t interval over replicates, n = 10'
    >>> caption(pd.Series([1, 1]))
    'n = 1 replicate, hence no interval'
    """
    low, high = int(n.min()), int(n.max())
    if high == 1:
        return "n = 1 replicate, hence no interval"
    return f"{what}: {INTERVAL}, n = {low}" + (f" to {high}" if high > low else "")


def paired_caption(n: pd.Series) -> str:
    """Say what the lines of paired differences are and over how many replicates.

    Examples
    --------
    >>> paired_caption(pd.Series([10, 4]))
    'lines: 95% t interval of the paired differences, n = 4 to 10'
    """
    return caption(n, "lines").replace("over replicates", "of the paired differences")


def _one_panel(table: pd.DataFrame, needed: set[str]) -> None:
    """Refuse a table that does not belong in one panel."""
    missing = sorted(needed - set(table.columns))
    if missing:
        raise ValueError(f"the table needs the columns {missing}; it has {list(table.columns)}")
    for column in ("dataset", "variant"):
        found = list(table[column].unique()) if column in table.columns else []
        if len(found) > 1:
            raise ValueError(
                f"one panel shows one {column}, got {found}; "
                f"select one: table[table[{column!r}] == {found[0]!r}]"
            )
    if table.empty:
        raise ValueError("there is nothing to draw: the table has no rows")


def policy_lines(curves: pd.DataFrame, value: str, ax: Axes | None = None) -> Axes:
    """Draw mean and band of the column `value` per policy, labelled at the right end."""
    _one_panel(curves, {"policy", "seed", "round", value})
    ax = plt.subplots(layout="constrained")[1] if ax is None else ax  # room for the labels
    table = intervals(curves, ["policy", "round"], value)
    styles = line_styles(table["policy"].unique())
    last_round = int(table["round"].max())
    ends = []
    for policy, line in table.groupby("policy", sort=False):
        line = line.sort_values("round")
        style = styles[policy]
        if policy == IN_HINDSIGHT:  # a constant: the level it reaches, not its way there
            line = line.iloc[[-1, -1]].assign(round=[0, last_round])
        ax.plot(line["round"], line["mean"], **style, zorder=1 if policy == IN_HINDSIGHT else 2)
        if (line["n"] > 1).any():
            ax.fill_between(
                line["round"], line["low"], line["high"], color=style["color"], alpha=0.1, lw=0
            )
        ends.append(line["mean"].iloc[-1])
    ax.set_xlim(0, last_round)
    ax.set_xlabel(f"round\n{caption(table['n'])}")
    return add_end_labels(ax, last_round, ends, list(styles), list(styles.values()))


def _top(curves: pd.DataFrame) -> float:
    """Upper end of the reward axis: room above the lines, whatever the noisy start's bands do."""
    settled = curves[curves["round"] > curves["round"].max() / 10]
    return min(1.0, 1.3 * settled.groupby(["policy", "round"])["mean_reward"].mean().max()) or 1.0


def learning_curves(curves: pd.DataFrame, ax: Axes | None = None, *, title: str = "") -> Axes:
    """Cumulative mean reward over rounds, one line per policy with its 95% band.

    Parameters
    ----------
    curves : DataFrame
        One row per policy, seed and round: columns ``policy``, ``seed``, ``round``,
        ``mean_reward``; one dataset and one variant.
    ax : Axes, optional
        Made if missing.
    title : str, optional

    Returns
    -------
    Axes
    """
    ax = policy_lines(curves, "mean_reward", ax)
    ax.set_ylim(0, _top(curves))
    ax.set_ylabel("mean reward per round so far")
    ax.set_title(title)
    return ax


def learning_curve_panels(curves: pd.DataFrame, axes: np.ndarray | None = None) -> np.ndarray:
    """The paper's panels side by side: one per variant, such as full refit and mini-batch.

    Parameters
    ----------
    curves : DataFrame
        As for `learning_curves`, with a column ``variant``; one dataset.
    axes : ndarray of Axes, shape (n_variants,), optional
        Made if missing, with one reward axis for all.

    Returns
    -------
    ndarray of Axes, shape (n_variants,)
    """
    variants = list(curves["variant"].unique())
    if axes is None:
        axes = plt.subplots(
            ncols=len(variants), figsize=(6.6 * len(variants), 4.8), sharey=True, squeeze=False
        )[1][0]
    tops = []
    for variant, ax in zip(variants, axes, strict=True):
        learning_curves(curves[curves["variant"] == variant], ax, title=variant).label_outer()
        tops.append(ax.get_ylim()[1])
    for ax in axes:
        ax.set_ylim(0, max(tops))
    return axes


def exploration_share(curves: pd.DataFrame, ax: Axes | None = None, *, title: str = "") -> Axes:
    """Share of the rounds so far in which each policy explored, with its 95% band.

    Parameters
    ----------
    curves : DataFrame
        As for `learning_curves`, with a column ``explored_share``.
    ax : Axes, optional
    title : str, optional

    Returns
    -------
    Axes
    """
    ax = policy_lines(curves[curves["policy"] != IN_HINDSIGHT], "explored_share", ax)
    ax.set_ylim(0, 1)
    ax.set_ylabel("share of rounds explored so far")
    ax.set_title(title)
    return ax


def policy_dataset_heatmap(
    finals: pd.DataFrame, ax: Axes | None = None, *, value: str = "mean_reward", title: str = ""
) -> Axes:
    """Final mean reward of each policy on each dataset, coloured by its share of the best one's.

    Parameters
    ----------
    finals : DataFrame
        One row per run: ``policy``, ``dataset``, ``seed``, `value`, and ``variant`` if several.
    ax : Axes, optional
    value : str, default="mean_reward"
    title : str, optional

    Returns
    -------
    Axes
    """
    table = intervals(finals, keys_of(finals), value)
    table["half"] = table["high"] - table["mean"]
    means, halves = by_dataset(table, "mean"), by_dataset(table, "half")
    n_policies, n_datasets = means.shape
    labels = means.columns.str.replace(", ", "\n")
    if ax is None:
        longest = max(len(line) for label in labels for line in label.split("\n"))
        width = max(1.5, 0.085 * longest)  # inches that a column's cells and its label take
        ax = plt.subplots(figsize=(3.2 + width * n_datasets, 1.8 + 0.3 * n_policies))[1]
    shares = (means / means.max()).to_numpy()
    image = ax.imshow(shares, cmap="cividis", vmin=0, vmax=1, aspect="auto")
    for row, column in np.argwhere(~np.isnan(shares)):
        half = halves.iat[row, column]
        text = f"{means.iat[row, column]:.3f}" + (f" ± {half:.3f}" if half == half else "")
        colour = "white" if shares[row, column] < 0.5 else "black"
        ax.text(column, row, text, ha="center", va="center", size=8, color=colour)
    ax.set_xticks(range(n_datasets), labels)
    ax.set_yticks(range(n_policies), means.index)
    ax.grid(False)
    ax.set_xlabel(f"mean reward per round\n{caption(table['n'], '±')}")
    ax.figure.colorbar(image, ax=ax, label="share of the column's best policy")
    ax.set_title(title)
    return ax
