"""Figures and sentences of the appendix on cold starts, many arms and exclusive rewards."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from cbkit.experiments.stats import (
    CONFIDENCE,
    Interval,
    holm,
    intervals,
    mean_interval,
    paired_difference,
)
from cbkit.plots.curves import caption, paired_caption
from cbkit.plots.style import colour_of, line_styles
from cbkit.studies.cold_start.study import (
    EXCLUSIVE,
    FAMILIES,
    NEITHER,
    PLAIN,
    SUGGESTED,
    variance_shares,
)

_PARTS = ("constants", "policy", "interaction")


def family_of(label: str) -> str:
    """Family of a cold start's label.

    Examples
    --------
    >>> family_of("smoothing (1, 10)"), family_of("no cold start")
    ('smoothing', 'no cold start')
    """
    return next((name for name in FAMILIES if label.startswith(name)), NEITHER)


def grid_dots(finals: pd.DataFrame) -> np.ndarray:
    """Draw the mean reward of every cold start, a panel per policy, with 95% intervals.

    Parameters
    ----------
    finals : DataFrame
        Of `cbkit.studies.cold_start.study.grid_experiment`, one data set.

    Returns
    -------
    ndarray of Axes, shape (n_policies,)
    """
    table = intervals(finals, ["policy", "variant"])
    labels, policies = list(table["variant"].unique()), list(table["policy"].unique())
    labels.sort(key=lambda label: [NEITHER, *FAMILIES].index(family_of(label)))
    heights = {label: -place for place, label in enumerate(labels)}
    size = (3 + 3.3 * len(policies), 1.6 + 0.27 * len(labels))
    fig, axes = plt.subplots(1, len(policies), figsize=size, sharex=True, sharey=True)
    for policy, ax in zip(policies, np.atleast_1d(axes), strict=True):
        for row in table[table["policy"] == policy].itertuples():
            look = {"color": colour_of(row.variant)}
            face = look["color"] if row.variant in SUGGESTED else "white"
            ax.plot([max(0, row.low), row.high], [heights[row.variant]] * 2, **look)
            ax.plot(row.mean, heights[row.variant], "o", mfc=face, **look, zorder=3)
        ax.set_title(policy)
    axes[0].set_yticks(list(heights.values()), labels)
    axes[0].set_xlim(0, min(1.0, 1.02 * table[["mean", "high"]].max(axis=None)) or 1.0)
    axes[0].locator_params(axis="x", nbins=5)
    fig.supxlabel(
        "mean reward per round; filled: suggested for MAB-first, and their like for smoothing\n"
        f"{caption(table['n'], 'lines')}",
        size=10,
    )
    return np.atleast_1d(axes)


def _difference(runs: pd.DataFrame, policy: str, first: str, second: str) -> dict[str, object]:
    own = runs[runs["policy"] == policy]
    one, two = (own[own["variant"] == name] for name in (first, second))
    labels = {"policy": policy, "variant": first, "reference": second}
    return labels | paired_difference(one, two, names=(first, second))


def cold_start_comparisons(finals: pd.DataFrame) -> pd.DataFrame:
    """Compare, per policy, the best and worst constants of each family with each other and none.

    Returns
    -------
    DataFrame
        ``question``, ``policy``, ``variant``, ``reference``, the columns of
        `paired_difference`, and ``p_holm`` over the whole table. The best and worst are
        chosen on the runs they are compared on, which flatters the best.
    """
    means = finals.groupby(["policy", "variant"], sort=False)["mean_reward"].mean()
    rows = []
    for policy in finals["policy"].unique():
        own = {family: means[policy].filter(regex=f"^{family}") for family in FAMILIES}
        pairs = [("best MAB-first - best smoothing", *(own[name].idxmax() for name in FAMILIES))]
        for family in FAMILIES:
            pairs.append((f"best {family} - none", own[family].idxmax(), NEITHER))
            pairs.append((f"worst {family} - none", own[family].idxmin(), NEITHER))
        rows += [
            {"question": question} | _difference(finals, policy, first, second)
            for question, first, second in pairs
        ]
    table = pd.DataFrame(rows)
    return table.assign(p_holm=holm(table["p_t"]))


def variance_table(finals: pd.DataFrame) -> pd.DataFrame:
    """Split the variance for all constants, the suggested ones and each family by itself."""
    labels = pd.Series(finals["variant"].unique())
    labels = labels[labels != NEITHER]
    scopes = {"all constants": labels, "suggested sets": labels[labels.isin(list(SUGGESTED))]}
    scopes |= {family: labels[labels.str.startswith(family)] for family in FAMILIES}
    rows = {
        scope: {"sets": len(kept)} | variance_shares(finals[finals["variant"].isin(kept)])
        for scope, kept in scopes.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").astype({"sets": int})


def variance_bars(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the shares of `variance_table`, a bar per scope."""
    ax = plt.subplots(figsize=(8, 2.6))[1] if ax is None else ax
    left = np.zeros(len(table))
    colours = ("#0072B2", "#E69F00", "#BBBBBB")
    for part, colour in zip(_PARTS, colours, strict=True):
        width = table[f"{part}_pct"].to_numpy()
        ax.barh(table.index, width, left=left, color=colour, label=part)
        left = left + width
    ax.invert_yaxis()
    ax.set(xlim=(0, 100), xlabel="share of the variance of mean final rewards, %")
    ax.grid(axis="y", visible=False)
    ax.figure.legend(loc="outside upper right", ncols=3, frameon=False)
    return ax


def arm_lines(table: pd.DataFrame) -> np.ndarray:
    """Draw final mean reward against the number of arms, a panel per cold start.

    Parameters
    ----------
    table : DataFrame
        From `cbkit.studies.cold_start.study.many_arms_table`, one data set.

    Returns
    -------
    ndarray of Axes, shape (n_variants,)
    """
    variants = list(table["variant"].unique())
    shape = {"figsize": (2 + 3.6 * len(variants), 3.8), "sharey": True, "squeeze": False}
    fig, axes = plt.subplots(1, len(variants), **shape)
    styles = line_styles(table["policy"].unique())
    found = intervals(table, ["variant", "policy", "n_arms"])
    for variant, ax in zip(variants, axes[0], strict=True):
        for policy, style in styles.items():
            line = found[(found["variant"] == variant) & (found["policy"] == policy)]
            ax.plot(line["n_arms"], line["mean"], marker="o", label=policy, **style)
            ax.fill_between(
                line["n_arms"], line["low"], line["high"], color=style["color"], alpha=0.1, lw=0
            )
        ax.set(title=variant, xlabel="arms")
        ax.set_xscale("log")
        ax.set_xticks(found["n_arms"].unique(), found["n_arms"].unique())
        ax.minorticks_off()
    axes[0, 0].set_ylim(0, min(1.0, 1.05 * found["high"].max()) or 1.0)
    axes[0, 0].set_ylabel("mean reward per round")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper right", ncols=len(labels), frameon=False)
    fig.supxlabel(caption(found["n"]), size=10)
    return axes[0]


def arm_gains(table: pd.DataFrame) -> pd.DataFrame:
    """Reward with all arms minus that with the fewest, replicate by replicate.

    Returns
    -------
    DataFrame
        Per cold start and policy: ``few``, ``many`` (numbers of arms), difference, low, high, n.
    """
    few, many = int(table["n_arms"].min()), int(table["n_arms"].max())
    rows = []
    for (variant, policy), runs in table.groupby(["variant", "policy"], sort=False):
        rewards = runs.pivot(index="seed", columns="n_arms", values="mean_reward")
        found = mean_interval((rewards[many] - rewards[few]).to_numpy())
        fields = dict(zip(("difference", *Interval._fields[1:]), found, strict=True))
        rows.append({"variant": variant, "policy": policy, "few": few, "many": many} | fields)
    return pd.DataFrame(rows)


def sharing_gains(table: pd.DataFrame) -> pd.DataFrame:
    """Reward with `exclusive_rewards` minus without, on the same rows.

    Returns
    -------
    DataFrame
        ``dataset``, ``labels_per_row``, ``policy``, ``plain_mean``, the mean numbers of arms with
        an oracle, ``plain_fitted`` and ``exclusive_fitted``, the columns of
        `cbkit.experiments.stats.paired_difference`, and ``p_holm`` over the table.
    """
    rows = []
    keys = ["dataset", "labels_per_row", "policy"]
    for values, runs in table.groupby(keys, sort=False):
        means = runs.groupby("variant")[["mean_reward", "n_fitted_arms"]].mean()
        facts = {
            "plain_mean": means.loc[PLAIN, "mean_reward"],
            "plain_fitted": means.loc[PLAIN, "n_fitted_arms"],
            "exclusive_fitted": means.loc[EXCLUSIVE, "n_fitted_arms"],
        }
        found = _difference(runs, values[-1], EXCLUSIVE, PLAIN)
        rows.append(dict(zip(keys, values, strict=True)) | facts | found)
    gains = pd.DataFrame(rows)
    return gains.assign(p_holm=holm(gains["p_t"]))


def sharing_dots(gains: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw what `exclusive_rewards` gains, a row per data set and policy.

    Parameters
    ----------
    gains : DataFrame
        From `sharing_gains`.
    ax : Axes, optional

    Returns
    -------
    Axes
    """
    ax = plt.subplots(figsize=(9.5, 1.8 + 0.45 * len(gains)))[1] if ax is None else ax
    labels = []
    for height, row in enumerate(gains.itertuples()):
        colour = colour_of(row.policy)
        ax.plot([row.low, row.high], [-height, -height], color=colour)
        face = colour if row.p_holm < 1 - CONFIDENCE else "white"
        ax.plot(row.difference, -height, "o", color=colour, mfc=face, zorder=3)
        labels.append(f"{row.policy}\n{row.dataset}, {row.labels_per_row:.1f} labels per row")
    ax.axvline(0, color="#7F7F7F", linestyle="--", lw=1, zorder=1)
    ax.set_yticks(-np.arange(len(gains)), labels)
    ax.locator_params(axis="x", nbins=5)  # small differences have long labels
    what = paired_caption(gains["n"])
    ax.set_xlabel(
        f"mean reward per round, with exclusive rewards minus without\n{what}\n"
        "filled: differs at 5% after Holm's correction"
    )
    return ax
