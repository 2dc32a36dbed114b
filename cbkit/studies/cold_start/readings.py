"""Sentences on cold starts, many arms and exclusive rewards, computed from their tables."""

from __future__ import annotations

import pandas as pd

from cbkit.experiments.stats import CONFIDENCE
from cbkit.studies.cold_start.study import FAMILIES, NEITHER
from cbkit.workbook.notebook import listed


def _signed(row: pd.Series) -> str:
    return f"{row['difference']:+.3f} [{row['low']:+.3f}, {row['high']:+.3f}]"


def direction(row: pd.Series) -> str:
    """Say on which side of 0 a difference's interval lies.

    Examples
    --------
    >>> direction(pd.Series({"low": 0.1, "high": 0.2}))
    'above'
    >>> direction(pd.Series({"low": -0.1, "high": 0.2}))
    'unclear'
    """
    if row["low"] > 0:
        return "above"
    return "below" if row["high"] < 0 else "unclear"


def grid_reading(finals: pd.DataFrame, compared: pd.DataFrame) -> list[str]:
    """Name the best and worst cold starts per policy, and say which family has the edge."""
    lines = []
    means = finals.groupby(["policy", "variant"], sort=False)["mean_reward"].mean()
    for policy in finals["policy"].unique():
        own = means[policy]
        place = int((own > own[NEITHER]).sum())
        edge = compared[
            (compared["policy"] == policy) & compared["question"].str.contains(" - bes")
        ]
        edge = edge.iloc[0]
        verdict = {"above": "MAB-first has the edge", "below": "smoothing has the edge"}
        lines.append(
            f"- **{policy}**: from {own.min():.3f} ({own.idxmin()}) to {own.max():.3f} "
            f"({own.idxmax()}); {NEITHER} {own[NEITHER]:.3f}, which {place} of "
            f"{len(own) - 1} cold starts beat. Best MAB-first minus best smoothing: "
            f"{_signed(edge)}, {verdict.get(direction(edge), 'neither has a clear edge')}."
        )
    for family in FAMILIES:
        worst = compared[compared["question"] == f"worst {family} - none"]
        harmed = worst["policy"][worst["high"] < 0]
        lines.append(
            f"- The worst constants of {family} are clearly below {NEITHER} with: {listed(harmed)}."
        )
    return lines


def variance_reading(table: pd.DataFrame) -> list[str]:
    """Say whether constants or the policy account for more of the variance."""
    lines = []
    for scope, row in table.iterrows():
        constants, policy = row["constants_pct"], row["policy_pct"]
        more = "the constants" if constants > policy else "the policy"
        lines.append(
            f"- **{scope}** ({row['sets']:.0f} sets): constants {constants:.0f}%, policy "
            f"{policy:.0f}%, interaction {row['interaction_pct']:.0f}%; {more} account for more. "
            f"Noise between replicates alone would give {row['noise_pct']:.1f}%."
        )
    return lines


def arms_reading(gains: pd.DataFrame) -> list[str]:
    """Say under which cold starts all arms are better than few, and where they are worse."""
    first = gains.iloc[0]
    sides = gains.apply(direction, axis=1)
    lines = [
        f"All {first['many']} arms against {first['few']} random ones, same rows: clearly better "
        f"in {(sides == 'above').sum()} of {len(gains)} cases, clearly worse in "
        f"{(sides == 'below').sum()}."
    ]
    for variant, rows in gains.groupby("variant", sort=False):
        text = "; ".join(f"{row['policy']} {_signed(row)}" for _, row in rows.iterrows())
        lines.append(f"- {variant}: {text}.")
    return lines


def sharing_reading(gains: pd.DataFrame) -> list[str]:
    """Say, per data set, what exclusive rewards gain and whether it is clear."""
    lines = []
    for (dataset, per_row), rows in gains.groupby(["dataset", "labels_per_row"], sort=False):
        parts = [
            f"{row['policy']} {_signed(row)} on {row['plain_mean']:.3f}"
            + (" (clear)" if row["p_holm"] < 1 - CONFIDENCE else "")
            for _, row in rows.iterrows()
        ]
        with_oracle = rows[["plain_fitted", "exclusive_fitted"]].mean()
        lines.append(
            f"- **{dataset}**, {per_row:.2f} labels per row: {'; '.join(parts)}. Arms with an "
            f"oracle in the end: {with_oracle.iloc[0]:.1f} without, {with_oracle.iloc[1]:.1f} with."
        )
    return lines


def extent_reading(finals: pd.DataFrame) -> str:
    """Say how many rounds and replicates of each data set a table holds.

    Examples
    --------
    >>> runs = pd.DataFrame({"dataset": ["a", "a", "b"], "seed": [0, 1, 0], "n_rounds": 2000})
    >>> extent_reading(runs)
    'a: 2,000 rounds, n = 2; b: 2,000 rounds, n = 1'
    """
    extents = finals.groupby("dataset", sort=False).agg(
        rounds=("n_rounds", "max"), n=("seed", "nunique")
    )
    return "; ".join(
        f"{row.Index}: {row.rounds:,} rounds, n = {row.n}" for row in extents.itertuples()
    )
