"""The paper's claims on cold starts, many arms, gradient norms and shared rewards.

They are tested on tables of the appendix notebooks, one row per run: ``policy``, ``variant``,
``seed``, ``mean_reward``; that on gradient norms has ``algorithm`` and ``criterion``, that on cold
starts ``family``, that on many arms ``n_arms``.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from cbkit.experiments.stats import mean_interval
from cbkit.studies.claims.comparisons import (
    UntestableError,
    by_seed,
    compare,
    comparison,
    elsewhere,
    mean_of,
    taken,
)
from cbkit.studies.claims.evaluation import MUCH, Rows
from cbkit.studies.claims.verdicts import Claim
from cbkit.studies.cold_start.study import EXCLUSIVE, FAMILIES, NEITHER, PLAIN, SUGGESTED
from cbkit.studies.evaluation.experiment import PAPERS, TUNED

ABOUT_ONE = 1.5  # labels per row, up to which about one arm per round is rewarded
_UNIFORM = "EpsilonGreedy"  # explores by choosing uniformly at random
_BOUNDS = ("BootstrappedUCB", "BootstrappedTS")


def _cold_start_helps(table: pd.DataFrame) -> Rows:
    rows = []
    for policy, runs in table[table["policy"] != _UNIFORM].groupby("policy", sort=False):
        rewards = by_seed(runs, "variant")
        best, mean = [], []
        for family in FAMILIES:
            names = list(runs.loc[runs["family"] == family, "variant"].unique())
            suggested = [name for name in names if name in SUGGESTED]
            best.append(taken(rewards, elsewhere(rewards, names)))
            mean.append(mean_of(rewards, suggested, f"mean of suggested {family}"))
            for first, what, share in (
                (taken(rewards, elsewhere(rewards, names, worst=True)), "worst", 0.0),
                (mean[-1], "suggested", MUCH),
            ):
                labels: dict[str, Any] = {"question": f"{what} constants, minus no cold start"}
                labels["who"] = f"{policy}, {family}"
                rows.append(compare(rewards, first, NEITHER, "above", share=share, **labels))
        for (first, second), what in ((mean, "suggested"), (best, "best")):
            labels = {"question": f"{what} constants, MAB-first minus smoothing", "who": policy}
            rows.append(compare(rewards, first, second, "above", **labels))
    return rows


def variance_gap(rewards: np.ndarray) -> np.ndarray:
    """Return, per replicate, by how much constants vary the mean reward more than policies do.

    The variance of the constants' effects is the mean product of their deviations in two different
    replicates, to which noise adds nothing: were both estimated from one, the noise of few policies
    would count as an effect of many constants. Likewise for policies. What is returned are the
    jackknife's pseudo-values of the difference.

    Parameters
    ----------
    rewards : ndarray, shape (n_replicates, n_constants, n_policies)
        At least three replicates.

    Returns
    -------
    ndarray, shape (n_replicates,)
        Their mean is the difference of the variances.

    Examples
    --------
    >>> variance_gap(np.array([[[0.0, 0.0], [2.0, 2.0]]] * 3))
    array([2., 2., 2.])
    """
    n = len(rewards)
    gaps = np.zeros(n)
    for axis, sign in ((2, 1), (1, -1)):
        effects = rewards.mean(axis=axis)
        effects = effects - effects.mean(axis=1, keepdims=True)
        k = effects.shape[1] - 1
        total, squares = effects.sum(axis=0), (effects**2).sum(axis=1)
        products = total @ total - squares.sum()  # over all pairs of different replicates
        whole = products / (n * (n - 1) * k)
        without = (products - 2 * (effects @ total - squares)) / ((n - 1) * (n - 2) * k)
        gaps += sign * (n * whole - (n - 1) * without)
    return gaps


def _constants_matter(table: pd.DataFrame) -> Rows:
    runs = table[table["variant"] != NEITHER]
    cells = runs.pivot(index="seed", columns=["variant", "policy"], values="mean_reward")
    cells = cells.dropna().sort_index(axis=1)
    if len(cells) < 3:
        raise UntestableError(f"spreads need three replicates, got {len(cells)}")
    shape = (len(cells), runs["variant"].nunique(), runs["policy"].nunique())
    return [
        comparison(
            mean_interval(variance_gap(cells.to_numpy().reshape(shape))),
            "above",
            reference=float(cells.mean().var()),
            question="variance over constants minus that over policies",
            who="constants",
            first="constants",
            second="policies",
        )
    ]


def _more_arms_help(table: pd.DataFrame, policies: tuple[str, ...] = _BOUNDS) -> Rows:
    rows = []
    for policy, runs in table[table["policy"].isin(policies)].groupby("policy", sort=False):
        sizes = sorted(runs["n_arms"].unique())
        if len(sizes) == 1:
            raise UntestableError(f"{policy} was run with {sizes[0]} arms only")
        rewards = {n: by_seed(part, "variant") for n, part in runs.groupby("n_arms")}
        whole = rewards[sizes[-1]]
        good = elsewhere(whole, list(whole))
        for n, question in {sizes[-2]: "minus half of them", sizes[0]: "minus the fewest"}.items():
            few = taken(rewards[n], good).rename(f"{n} arms")
            labels = {"question": f"all arms, {question}", "who": policy}
            rows.append(compare(whole, taken(whole, good), few, "above", **labels))
    return rows


def _weighted_norm_is_better(table: pd.DataFrame) -> Rows:
    rows = []
    table = table[table["criterion"].notna()]  # Greedy has none
    for (prior, policy), runs in table.groupby(["variant", "algorithm"], sort=False):
        norms = by_seed(runs, "criterion")
        setting = PAPERS if prior == "prior 3, 7, 2" else TUNED
        for other in ("min", "max"):
            labels = {"question": f"weighted minus {other}", "who": policy, "setting": setting}
            row = compare(norms, "weighted", other, "above", **labels)
            rows.append(row | {"small": 0.0})  # "slightly better"
    return rows


def _sharing_rewards(table: pd.DataFrame) -> Rows:
    rows = []
    claimed = "above" if table["labels_per_row"].iloc[0] <= ABOUT_ONE else "below"
    for policy, runs in table.groupby("policy", sort=False):
        rewards = by_seed(runs, "variant")
        labels = {"question": "exclusive rewards minus plain", "who": policy}
        row = compare(rewards, EXCLUSIVE, PLAIN, claimed, **labels)
        rows.append(row | {"small": 0.0})  # "helps a little"
    return rows


_B, _C = "cold_start_and_many_arms", "gradient_norms"

APPENDIX_CLAIMS = (
    Claim(
        number=6,
        text="MAB-first and smoothing both improve greatly on neither when the policy does not "
        "choose uniformly at random; MAB-first has the edge.",
        test="Per policy other than EpsilonGreedy, against no cold start: each family's worst "
        "constants (chosen on other replicates) above 0, the mean of its suggested ones above 10%; "
        "MAB-first against smoothing, suggested and best constants, above 0.",
        needs=f"{_B}/grid",
        compare=_cold_start_helps,
    ),
    Claim(
        number=7,
        text="The constants of the cold start matter as much as the choice of policy, perhaps "
        "more.",
        test="The variance of mean rewards over constants minus that over policies, each free of "
        "noise (products of two replicates, jackknife); above 0.",
        needs=f"{_B}/grid",
        compare=_constants_matter,
    ),
    Claim(
        number=8,
        text="With good constants, more arms give better results for UCB and Thompson sampling, "
        "in spite of few rounds.",
        test="All arms against half of them and against the smallest random subset, with the "
        "constants that are best for all arms; above 0.",
        needs=f"{_B}/many_arms",
        compare=_more_arms_help,
    ),
    Claim(
        number=9,
        text="The weighted gradient norm is slightly better than the smallest or the largest.",
        test="Weighted against min and against max, per policy; above 0, however little.",
        needs=f"{_C}/finals",
        compare=_weighted_norm_is_better,
    ),
    Claim(
        number=11,
        text="Adding rewarded observations as non-rewards elsewhere helps a little when about one "
        "arm per round is rewarded, and harms otherwise.",
        test="With against without; above 0 on data with at most 1.5 labels per row, below 0 on "
        "others, however little.",
        needs=f"{_B}/exclusive_rewards",
        compare=_sharing_rewards,
    ),
    Claim(
        number=16,
        text="EpsilonGreedy gains from more arms, too.",
        test="As for claim 8.",
        needs=f"{_B}/many_arms",
        compare=partial(_more_arms_help, policies=(_UNIFORM,)),
    ),
)
