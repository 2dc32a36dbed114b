"""Figures of the evaluation, one data set each, and the titles of data sets."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from cbkit.datasets.presets import PLANTED_NAMES
from cbkit.experiments.stats import paired_differences
from cbkit.plots.curves import family_panels
from cbkit.plots.dots import difference_dots, interval_dots
from cbkit.plots.heatmap import reward_heatmap
from cbkit.studies.evaluation.tables import BASELINES


def is_planted(name: str) -> bool:
    """Return whether a data set, or the one that it is a subset of, was generated, not observed.

    Examples
    --------
    >>> is_planted("mediamill-like"), is_planted("bibtex-like[arms=40]"), is_planted("bibtex")
    (True, True, False)
    """
    return name.partition("[")[0] in PLANTED_NAMES


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


def full_refit_curves(curves: pd.DataFrame) -> Figure:
    """Draw the mean reward so far of every policy with full refits and the paper's constants."""
    title = f"{_title(curves)}: full refits, the paper's constants"
    return family_panels(curves[curves["variant"] == "full refit"], title=title)


def tuned_curves(curves: pd.DataFrame) -> Figure:
    """Draw the mean reward so far of every policy with full refits and the tuned prior."""
    title = f"{_title(curves)}: full refits, tuned prior (5/k, 4, 2)"
    return family_panels(curves[curves["variant"] == "tuned prior"], title=title)


def variant_dots(finals: pd.DataFrame) -> Figure:
    """Draw the final rewards of all policies under the three variants."""
    label = {"mean_reward": "mean reward per round"}
    return interval_dots(finals, label, sort=True, title=_title(finals))


def exploration_dots(finals: pd.DataFrame) -> Figure:
    """Draw how often choosers explored, and how often the cold start scored the chosen arm."""
    refits = finals[finals["variant"].isin(["full refit", "tuned prior"])]
    refits = refits[~refits["policy"].isin(BASELINES)]
    labels = {
        "explored_share": "share of rounds in which\nthe chooser explored",
        "cold_start_share": "share of rounds whose arm\nthe cold start scored",
    }
    return interval_dots(refits, labels, sort=True, title=_title(finals))


def greedy_differences(finals: pd.DataFrame) -> Figure:
    """Draw each policy's paired difference from Greedy, a panel per variant."""
    compared = paired_differences(finals[finals["policy"] != "RandomArm"], "Greedy")
    return difference_dots(compared, title=f"{_title(finals)}: against Greedy on the same rows")


def reward_map(finals: pd.DataFrame, variant: str = "full refit") -> Figure:
    """Draw the final rewards of all policies on all data sets, full refits."""
    planted = {
        name: f"{name}\n(planted)" for name in finals["dataset"].unique() if is_planted(name)
    }
    chosen = finals[finals["variant"] == variant].replace({"dataset": planted})
    return reward_heatmap(chosen, title=f"Final rewards, {variant}")
