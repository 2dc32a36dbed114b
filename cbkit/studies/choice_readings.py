"""Sentences for the figures of notebooks 04 and 05, computed from the numbers that they show."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cbkit.experiments.stats import CONFIDENCE

Traces = dict[tuple[str, str], pd.DataFrame]


def threshold_reading(traces: Traces, *, window: int, percentile: float, decay: float) -> list[str]:
    """Say, per prior, how low the best index came and in how many rounds each threshold explored.

    Parameters
    ----------
    traces : dict of (prior, chooser) to DataFrame
        From `record_choices`; the choosers are ``"threshold"``, ``"moving window"`` and
        ``"fixed window"``.
    window : int
        The windows' length.
    percentile, decay : float
        The windows' percentile at first, and its factor per round.

    Returns
    -------
    list of str
        A sentence per prior.
    """
    lines = []
    for prior in dict.fromkeys(prior for prior, _ in traces):
        given = traces[prior, "threshold"]
        counts = {kind: int(traces[prior, kind]["explored"].sum()) for _, kind in traces}
        n_rounds, later = len(given), len(given) - window
        mean_decay = np.mean(decay ** np.arange(later))
        after = "; ".join(
            f"the {kind} in {counts[kind]:,}, {counts[kind] / later:.0%} of those after the first "
            "window"
            for kind in ("moving window", "fixed window")
        )
        lines.append(
            f"With {prior} the lowest of all best indices is {given['best_index'].min():.3f}, and "
            f"the paper's threshold starts at {given['threshold'].iloc[0]:.3f}: it explored in "
            f"**{counts['threshold']:,}** of {n_rounds:,} rounds; {after}. The percentile decays "
            f"from {percentile:g} to {percentile * decay**later:.1f}: if scores did not change "
            f"with time, {percentile * mean_decay:.0f}% would explore."
        )
    return lines


def reward_reading(finals: pd.DataFrame) -> list[str]:
    """Say, per prior, which policies earned most and least; those that tie are all named."""
    lines = []
    for prior, runs in finals.groupby("variant", sort=False):
        reward = runs.groupby("policy", sort=False)["mean_reward"].mean()
        best, worst = (
            " and ".join(reward.index[reward == end]) for end in (reward.max(), reward.min())
        )
        lines.append(
            f"With {prior}, the highest mean reward is that of {best} ({reward.max():.3f}), the "
            f"lowest that of {worst} ({reward.min():.3f})."
        )
    return lines


def exploration_reading(finals: pd.DataFrame, policies: list[str]) -> list[str]:
    """Say, per prior, how often the choosers of `policies` explored, and the cold start's share."""
    lines = []
    for prior, runs in finals.groupby("variant", sort=False):
        means = runs.groupby("policy")[["explored_share", "cold_start_share"]].mean()
        shares = ", ".join(f"{means.loc[name, 'explored_share']:.2%} ({name})" for name in policies)
        cold = means["cold_start_share"]
        lines.append(
            f"With {prior}, the choosers explored in {shares} of the rounds; the cold start scored "
            f"the chosen arm in {cold.min():.0%} to {cold.max():.0%}."
        )
    return lines


def clear_reading(table: pd.DataFrame) -> list[str]:
    """Name the paired differences that are clear at 5% after Holm's correction, and count them."""
    clear = table[table["p_holm"] < 1 - CONFIDENCE]
    lines = [
        f"{row.policy}, {row.variant}: {row.difference:+.3f} [{row.low:+.3f}, {row.high:+.3f}], "
        f"clearly {'better' if row.difference > 0 else 'worse'}."
        for row in clear.itertuples()
    ]
    return [
        *lines,
        f"{len(clear)} of {len(table)} comparisons are clear at 5% after Holm's correction "
        f"(n = {int(table['n'].max())}).",
    ]


def same_choices(first: pd.DataFrame, second: pd.DataFrame, names: tuple[str, str]) -> str:
    """Say in how many rounds two runs over the same rows chose different arms, and since when.

    Parameters
    ----------
    first, second : DataFrame
        Rounds of the two runs, with the columns ``round``, ``row`` and ``arm``.
    names : tuple of str
        What to call the two.

    Returns
    -------
    str
        The sentence.

    Raises
    ------
    ValueError
        If the two saw different rows.

    Examples
    --------
    >>> run = pd.DataFrame({"round": [1, 2], "row": [5, 3], "arm": [0, 1]})
    >>> same_choices(run, run.assign(arm=[0, 2]), ("Greedy", "mine"))
    'Greedy and mine chose different arms in **1 of 2** rounds, first in round 2.'
    """
    if not (first["row"] == second["row"]).all():
        raise ValueError("the two runs saw different rows; give them the same seed")
    differ = first["arm"] != second["arm"]
    since = f", first in round {first.loc[differ.idxmax(), 'round']:,}" if differ.any() else ""
    return (
        f"{names[0]} and {names[1]} chose different arms in **{differ.sum():,} of "
        f"{len(differ):,}** rounds{since}."
    )


def same_rewards(finals: pd.DataFrame, pairs: list[tuple[str, str]]) -> list[str]:
    """Say for pairs of policies in how many replicates they earned exactly the same."""
    wide = finals.pivot(index=["variant", "seed"], columns="policy", values="mean_reward")
    lines = []
    for one, other in pairs:
        counts = (wide[one] == wide[other]).groupby("variant", sort=False).agg(["sum", "size"])
        found = " and ".join(
            f"{row['sum']} of {row['size']} replicates with {prior}"
            for prior, row in counts.iterrows()
        )
        lines.append(f"{one} and {other} earned exactly the same in {found}.")
    return lines


def picks_table(picked: Traces) -> pd.DataFrame:
    """What the exploring rounds of each run picked.

    Parameters
    ----------
    picked : dict of (prior, way to explore) to DataFrame
        The explored rounds of `cbkit.studies.chooser_traces.record_choices`.

    Returns
    -------
    DataFrame
        Per prior and way: number of exploring rounds, percent that picked the best arm and an arm
        in its cold start, median index and mean reward of the picked arms.
    """
    facts = {
        key: {
            "exploring rounds": len(rounds),
            "best arm (%)": 100 * (rounds["index"] == rounds["best_index"]).mean(),
            "cold arm (%)": 100 * rounds["cold_start"].mean(),
            "median index": rounds["index"].median(),
            "mean reward": rounds["reward"].mean(),
        }
        for key, rounds in picked.items()
    }
    return pd.DataFrame(facts).T.rename_axis(["prior", "explores"])


def picks_reading(table: pd.DataFrame) -> list[str]:
    """Say, per prior, how often each way to explore picked the best arm itself."""
    lines = []
    for prior, rows in table["best arm (%)"].groupby("prior", sort=False):
        shares = rows.droplevel("prior")
        lines.append(
            f"With {prior}, the best arm itself was picked in **{shares['weighted']:.0f}%** of the "
            f"exploring rounds by the weighted criterion, in {shares['max']:.0f}% by max and in "
            f"{shares['at random']:.0f}% at random."
        )
    return lines
