"""Figures of the evaluation, one data set each, and the titles of data sets."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cbkit.datasets.presets import PLANTED_NAMES
from cbkit.experiments.stats import intervals, paired_differences
from cbkit.plots.curves import family_panels, n_range
from cbkit.plots.dots import difference_dots, dots, interval_dots, marker_legend
from cbkit.plots.style import GREY
from cbkit.studies.evaluation.experiment import (
    AUTHORS,
    LAPLACE,
    PAPERS,
    SGD,
    SKYLINE,
    TUNED,
)
from cbkit.studies.evaluation.levels import mean_ranks
from cbkit.studies.evaluation.priors import PRIORS, SETTINGS, by_setting
from cbkit.studies.evaluation.tables import BASELINES, compared

SHOWN = (
    *("Greedy", "ContextualAdaptiveGreedy", "BootstrappedUCB", "BootstrappedTS"),
    "ExploreThenExploit",
)
RANKED = (PAPERS, AUTHORS, TUNED)
WIDEST_TITLE = 80  # letters that a figure of one panel has room for


def is_planted(name: str) -> bool:
    """Return whether a data set, or the one that it is a subset of, was generated, not observed.

    Examples
    --------
    >>> is_planted("mediamill-like"), is_planted("bibtex-like[arms=40]"), is_planted("bibtex")
    (True, True, False)
    """
    return name.partition("[")[0] in PLANTED_NAMES


def on_real_sets(finals: pd.DataFrame) -> pd.DataFrame:
    """Return the runs on data that was observed: those that ranks and comparisons are of.

    Examples
    --------
    >>> on_real_sets(pd.DataFrame({"dataset": ["bibtex", "bibtex-like"]}))["dataset"].tolist()
    ['bibtex']
    """
    return finals[~finals["dataset"].map(is_planted).astype(bool)]


def title_of(name: str) -> str:
    """Return a data set's name for figures and tables, which says what is planted.

    Examples
    --------
    >>> title_of("bibtex"), title_of("mediamill-like")
    ('bibtex', 'mediamill-like (planted; stands in for mediamill)')
    """
    if not is_planted(name):
        return name
    real = name.replace("-like", "")
    return f"{name} (planted; stands in for {real})" if real != name else f"{name} (planted)"


def _title(table: pd.DataFrame) -> str:
    return title_of(table["dataset"].iloc[0])


def papers_curves(curves: pd.DataFrame) -> Figure:
    """Draw the mean reward so far of every policy in the paper's setting, and the skyline."""
    shown = curves[curves["variant"].isin([PAPERS, SKYLINE])].assign(variant=PAPERS)
    return family_panels(shown, title=f"{_title(curves)}: full refits, the paper's constants")


def tuned_curves(curves: pd.DataFrame) -> Figure:
    """Draw the mean reward so far of every policy with full refits and the tuned prior."""
    title = f"{_title(curves)}: full refits, {TUNED}"
    return family_panels(curves[curves["variant"] == TUNED], title=title)


def _variant_dots(finals: pd.DataFrame, variants: tuple[str, ...]) -> Figure:
    runs = compared(finals)
    runs = runs[runs["variant"].isin(variants) & ~runs["policy"].isin(BASELINES)]
    n_variants = runs["variant"].nunique()
    runs = runs[runs.groupby("policy")["variant"].transform("nunique") == n_variants]
    label = {"mean_reward": "mean reward per round"}
    level = _best_arm(finals)
    titles = [_title(finals), f"(dashed: best arm in hindsight {level:.3f})"]
    wide = len(" ".join(titles)) > WIDEST_TITLE
    fig = interval_dots(runs, label, sort=True, title=("\n" if wide else " ").join(titles))
    _draw_level(fig.axes[0], level)
    return fig


def _best_arm(finals: pd.DataFrame) -> float:
    """Return the mean reward of the best arm in hindsight, on one data set."""
    return compared(finals[finals["policy"] == "BestArmInHindsight"])["mean_reward"].mean()


def _draw_level(ax: Axes, level: float) -> None:
    """Draw a dashed line, and widen the axis to reach it."""
    ax.axvline(level, color=GREY, linestyle=(0, (4, 1.6)), lw=1, zorder=1)
    ax.set_xlim(right=max(ax.get_xlim()[1], 1.05 * level))


def prior_dots(finals: pd.DataFrame) -> Figure:
    """Draw the final rewards of all policies that have a prior under four of them."""
    return _variant_dots(finals, PRIORS)


def update_dots(finals: pd.DataFrame) -> Figure | None:
    """Draw the final rewards with full refits and with two kinds of updates by mini-batches.

    None where no policy played with mini-batches.
    """
    if not finals["variant"].isin([LAPLACE, SGD]).any():
        return None
    return _variant_dots(finals, (PAPERS, LAPLACE, SGD))


def setting_dots(finals: pd.DataFrame) -> Figure:
    """Draw the final rewards as the paper's text and as its author's code have the evaluation."""
    return _variant_dots(finals, (PAPERS, AUTHORS))


def exploration_dots(finals: pd.DataFrame) -> Figure:
    """Draw how often choosers explored, and how often the cold start scored the chosen arm."""
    refits = compared(finals)
    refits = refits[refits["variant"].isin([PAPERS, TUNED])]
    refits = refits[~refits["policy"].isin(BASELINES)]
    labels = {
        "explored_share": "share of rounds in which\nthe chooser explored",
        "cold_start_share": "share of rounds whose arm\nthe cold start scored",
    }
    return interval_dots(refits, labels, sort=True, title=_title(finals))


def greedy_differences(finals: pd.DataFrame) -> Figure:
    """Draw each policy's paired difference from Greedy, a panel per variant."""
    against = paired_differences(finals[finals["policy"] != "RandomArm"], "Greedy")
    return difference_dots(against, title=f"{_title(finals)}: against Greedy on the same rows")


def setting_differences(finals: pd.DataFrame) -> Figure:
    """Draw each policy's paired difference from Greedy in the paper's and its author's setting."""
    return greedy_differences(compared(finals[finals["variant"].isin([PAPERS, AUTHORS])]))


def winner_panels(finals: pd.DataFrame, policies: tuple[str, ...] = SHOWN) -> Figure:
    """Draw what some policies earn under each prior and setting, a panel per real data set.

    Parameters
    ----------
    finals : DataFrame
        Runs of all data sets and variants.
    policies : tuple of str, optional
        Which policies are shown.
    """
    real = on_real_sets(finals)
    runs = compared(by_setting(real))
    runs = runs[runs["policy"].isin(policies)]
    names = list(runs["dataset"].unique())
    n_columns = min(4, len(names))
    n_rows = -(-len(names) // n_columns)
    size = (2.0 + 2.6 * n_columns, 1.2 + 2.9 * n_rows)
    fig, axes = plt.subplots(n_rows, n_columns, figsize=size, sharey=True, squeeze=False)
    for ax in axes.flat[len(names) :]:
        ax.set_visible(False)
    for name, ax in zip(names, axes.flat, strict=False):
        part = runs[runs["dataset"] == name]
        table = intervals(part, ["setting", "policy"])
        present = [policy for policy in policies if policy in set(table["policy"])]
        table = table.set_index("policy").loc[present].reset_index()
        dots(table, ax, row="setting", hue="policy", order=SETTINGS)
        ax.set_xlim(0, 1.05 * table["high"].max())
        _draw_level(ax, _best_arm(real[real["dataset"] == name]))
        ax.set_title(f"{name} ({n_range(table['n'])})")
    fig.supxlabel(
        "mean reward per round; lines: 95% t intervals over replicates; "
        "dashed: best arm in hindsight",
        size=10,
    )
    marker_legend(axes[0, 0], list(policies))
    return fig


def rank_dots(finals: pd.DataFrame) -> Figure:
    """Draw the mean rank of each policy over the real data sets, a mark per setting."""
    ranks = mean_ranks(on_real_sets(finals), RANKED)
    order = list(ranks.groupby("policy")["mean"].mean().sort_values().index)
    fig, ax = plt.subplots(figsize=(7.5, 1.2 + 0.42 * len(order)))
    dots(ranks, ax, hue="setting", order=order)
    ax.set_xlim(left=1)
    ax.set_xticks(range(1, len(order) + 1))
    ax.set_xlabel(f"mean rank over {ranks['n_datasets'].max()} real data sets (1 is best)")
    fig.supxlabel("lines: 95% intervals by resampling data sets and replicates", size=10)
    marker_legend(ax, list(ranks["setting"].unique()))
    return fig
