"""Who wins under which prior: one for all, the author's, or each policy's best."""

from __future__ import annotations

import pandas as pd

from cbkit.experiments.stats import intervals, paired_difference
from cbkit.studies.evaluation.experiment import AUTHORS, FIRST_SEED, PAPERS, VARIANTS
from cbkit.studies.evaluation.tables import ADDED, choosing, compared

BEST = "each policy's best prior"
# The versions that differ in their prior alone.
PRIORS = tuple(name for name, v in VARIANTS.items() if v.chooses and name != AUTHORS)
SETTINGS = (*PRIORS, AUTHORS, BEST)
_KEYS = ["dataset", "policy"]
_MEAN = "mean_reward"


def best_priors(finals: pd.DataFrame) -> pd.DataFrame:
    """Return the prior under which each policy earned most on the choosing seeds.

    Parameters
    ----------
    finals : DataFrame
        Runs of all data sets and variants.

    Returns
    -------
    DataFrame
        ``dataset``, ``policy``, ``variant``; policies without a prior have the paper's.
    """
    runs = choosing(finals)
    means = runs[runs["variant"].isin(PRIORS)].groupby([*_KEYS, "variant"], sort=False)[_MEAN]
    best = means.mean().groupby(_KEYS, sort=False).idxmax()
    return pd.DataFrame(best.tolist(), columns=[*_KEYS, "variant"])


def by_setting(finals: pd.DataFrame) -> pd.DataFrame:
    """Return all runs with the setting they belong to; in `BEST` each policy has its best prior.

    A policy without a prior, such as ExploreThenExploit, has the same runs under every prior. Seeds
    that compare are those that all policies of a setting have.
    """
    parts = []
    for setting in SETTINGS:
        if setting == BEST:
            runs = finals.merge(best_priors(finals), on=[*_KEYS, "variant"])
        else:
            runs = finals[finals["variant"] == setting]
            if setting in PRIORS:
                runs = pd.concat([runs, _without_prior(finals, runs)])
        parts.append(_on_shared_seeds(runs).assign(setting=setting))
    return pd.concat(parts, ignore_index=True)


def _on_shared_seeds(runs: pd.DataFrame) -> pd.DataFrame:
    """Leave out the compared seeds of a data set that some of its policies have not played."""
    n_policies = runs.groupby("dataset")["policy"].transform("nunique")
    n_of_seed = runs.groupby(["dataset", "seed"])["policy"].transform("nunique")
    return runs[(n_of_seed == n_policies) | (runs["seed"] < FIRST_SEED)]


def _without_prior(finals: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the paper's runs of policies that are not in `runs`, on its data sets."""
    papers = finals[(finals["variant"] == PAPERS) & finals["dataset"].isin(runs["dataset"])]
    return papers[~papers["policy"].isin(runs["policy"])]


def winners(finals: pd.DataFrame, names: tuple[str, ...] = ()) -> pd.DataFrame:
    """Return who wins each setting on each data set, against the second and against Greedy.

    First and second are chosen by their means on the choosing seeds and compared on the others.

    Parameters
    ----------
    finals : DataFrame
        Runs of all data sets and variants.
    names : tuple of str, optional
        Policies that take part; by default the paper's, Greedy among them.

    Returns
    -------
    DataFrame
        Per data set and setting: ``first``, its ``mean``, ``low``, ``high``; ``against`` (the
        second, or Greedy), ``difference``, ``low``, ``high`` and ``n`` of the paired comparison.
    """
    labelled = by_setting(finals)
    left_out = set(ADDED) - {"Greedy"}
    chosen = labelled["policy"].isin(names) if names else ~labelled["policy"].isin(left_out)
    rows = []
    for (dataset, setting), runs in labelled[chosen].groupby(["dataset", "setting"], sort=False):
        order = choosing(runs).groupby("policy", sort=False)[_MEAN].mean()
        first, second = order.sort_values(ascending=False, kind="stable").index[:2]
        of = {name: part for name, part in compared(runs).groupby("policy")}
        level = intervals(of[first], ["policy"])[["mean", "low", "high"]].iloc[0]
        for rival in dict.fromkeys([second, "Greedy"]):
            if rival == first:
                continue
            found = paired_difference(of[first], of[rival], names=(first, rival))
            kept = {name: found[name] for name in ("difference", "n")}
            bounds = {f"difference_{name}": found[name] for name in ("low", "high")}
            labels = {"dataset": dataset, "setting": setting, "first": first}
            rows.append(labels | level.to_dict() | {"against": rival} | kept | bounds)
    return pd.DataFrame(rows)
