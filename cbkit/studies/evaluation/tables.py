"""What the evaluation's runs show, as tables."""

from __future__ import annotations

import pandas as pd

from cbkit.experiments.results import CPU_SECONDS, RUN, Results
from cbkit.experiments.stats import intervals, paired_differences
from cbkit.studies.evaluation.experiment import AUTHORS, FIRST_SEED, PAPERS, SKYLINE, TUNED

# Not policies of the paper's comparison: the levels to beat, and plain greedy, which it lacks.
BASELINES = ("RandomArm", "BestArmInHindsight", "BestArmOnline")
ADDED = ("Greedy", "SmoothedGreedy", "AlternatingEpochs", *BASELINES)
N_CURVES = 10  # replicates whose curves are kept
_COLUMNS = ["checksum", "row_order", "n_rounds", "mean_reward", "explored_share"]
_COLUMNS += ["cold_start_share", "n_fitted_arms"]

# Policies that differ in their resample weights alone: drawn anew at each refit, or kept.
_WEIGHTS = {
    "BootstrappedUCB": ("UCB", "fresh"),
    "OnlineBootstrappedUCB": ("UCB", "kept"),
    "BootstrappedTS": ("TS", "fresh"),
    "OnlineBootstrappedTS": ("TS", "kept"),
}
_FACTS = {"explored_share": "explored", "cold_start_share": "cold start"}


def with_cost(results: Results) -> pd.DataFrame:
    """Return the final rewards of runs that went well, with the CPU seconds of each run."""
    if len(results.failures):
        raise ValueError(f"{len(results.failures)} runs failed\n{results.summary()}")
    spent = results.timings.set_index(list(RUN))[list(CPU_SECONDS)].sum(axis=1)
    finals = results.finals[[*RUN, *_COLUMNS]]
    return finals.join(spent.rename("cpu_seconds"), on=list(RUN))


def compared(finals: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that comparisons are made on: seeds that have chosen nothing."""
    return finals[finals["seed"] >= FIRST_SEED]


def choosing(finals: pd.DataFrame) -> pd.DataFrame:
    """Return the runs on which constants and rivals are chosen."""
    return finals[finals["seed"] < FIRST_SEED]


def shown_curves(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the curves that are drawn: of the two settings and the tuned prior, few replicates."""
    first = curves["seed"].between(FIRST_SEED, FIRST_SEED + N_CURVES - 1)
    return curves[first & curves["variant"].isin([PAPERS, AUTHORS, TUNED, SKYLINE])]


def final_table(finals: pd.DataFrame) -> pd.DataFrame:
    """Return the final reward of each policy and variant, and what its runs did and cost.

    Parameters
    ----------
    finals : DataFrame
        From `with_cost`, one data set.

    Returns
    -------
    DataFrame
        Indexed by variant and policy: mean, low, high (95% t interval), n; the shares of rounds in
        which the chooser explored and in which the chosen arm was scored by the cold start, the
        number of arms that have an oracle, and CPU seconds per run, means over replicates.
    """
    by = ["variant", "policy"]
    facts = _FACTS | {"n_fitted_arms": "fitted arms", "cpu_seconds": "CPU seconds"}
    means = finals.groupby(by, sort=False)[list(facts)].mean()
    return intervals(finals, by).set_index(by).join(means.rename(columns=facts))


def beside_greedy(finals: pd.DataFrame, policies: list[str]) -> pd.DataFrame:
    """Return how often policies explored beside how they differ from Greedy.

    Returns
    -------
    DataFrame
        Per data set, variant and policy: ``explored_share`` (mean), ``n_equal`` (replicates with
        Greedy's reward to the digit), difference from Greedy with low, high and n. No rows where
        there are no runs.
    """
    columns = ["explored_share", "n_equal", "difference", "low", "high", "n"]
    keys = ["dataset", "variant", "policy"]
    if finals.empty:
        return pd.DataFrame(columns=keys + columns)
    chosen = finals[finals["policy"].isin(["Greedy", *policies]) & (finals["variant"] != SKYLINE)]
    against = paired_differences(chosen, "Greedy")
    rewards = chosen.pivot(index=["dataset", "variant", "seed"], columns="policy")["mean_reward"]
    equal = rewards.drop(columns="Greedy").eq(rewards["Greedy"], axis=0).stack()
    facts = pd.DataFrame(
        {
            "explored_share": chosen.groupby(keys)["explored_share"].mean(),
            "n_equal": equal.groupby(keys).sum(),
        }
    )
    table = against[[*keys, "difference", "low", "high", "n"]].join(facts, on=keys)
    table["n_equal"] = table["n_equal"].astype(int)
    return table[keys + columns]


def kept_against_fresh(finals: pd.DataFrame) -> pd.DataFrame:
    """Compare resample weights kept per observation with weights drawn anew at each refit.

    Returns
    -------
    DataFrame
        Per data set, variant with both and policy (UCB, TS): reward with kept Gamma(1,1) weights
        minus that with fresh multinomial ones, with low, high, n and ``p_holm``. No rows where
        there are no runs.
    """
    columns = ["dataset", "variant", "policy", "difference", "low", "high", "n", "p_holm"]
    if finals.empty:
        return pd.DataFrame(columns=columns)
    both = finals.loc[finals["policy"] == "BootstrappedUCB", "variant"].unique()
    runs = finals[finals["policy"].isin(list(_WEIGHTS)) & finals["variant"].isin(both)]
    named = pd.DataFrame(runs["policy"].map(_WEIGHTS).tolist(), index=runs.index)
    named.columns = ["policy", "weights"]
    against = paired_differences(runs.assign(**named), "fresh", by="weights")
    return against[columns]
