"""Policies beside fixed levels and beside each other: regret, late rewards, ranks."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from cbkit.experiments.stats import paired_difference
from cbkit.studies.evaluation.experiment import PAPERS, SKYLINE
from cbkit.studies.evaluation.priors import by_setting
from cbkit.studies.evaluation.tables import BASELINES, compared, shown_curves

LATE = 0.2  # share of the rounds, the last ones
_KEYS = ["dataset", "variant", "policy"]
_MEAN = "mean_reward"


def late_rewards(curves: pd.DataFrame, share: float = LATE) -> pd.DataFrame:
    """Return the mean reward of each run over its last rounds alone.

    Parameters
    ----------
    curves : DataFrame
        Mean rewards so far of each run, at some of its rounds, the last among them.
    share : float, default=0.2
        Of the rounds; they begin after the mark that is closest to it.

    Returns
    -------
    DataFrame
        ``dataset``, ``variant``, ``policy``, ``seed``, ``late_reward``.

    Examples
    --------
    >>> run = {"dataset": "demo", "variant": "", "policy": "Greedy", "seed": 0}
    >>> curves = pd.DataFrame({"round": [80, 100], "mean_reward": [0.1, 0.2]}).assign(**run)
    >>> late_rewards(curves)["late_reward"].round(3).tolist()
    [0.6]
    """
    rows = []
    for keys, run in curves.groupby([*_KEYS, "seed"], sort=False):
        end = run.loc[run["round"].idxmax()]
        before = run.loc[(run["round"] - (1 - share) * end["round"]).abs().idxmin()]
        if before["round"] == end["round"]:
            raise ValueError(f"the curve of {keys} has no mark before its last round")
        total = end["round"] * end[_MEAN] - before["round"] * before[_MEAN]
        rows.append((*keys, total / (end["round"] - before["round"])))
    return pd.DataFrame(rows, columns=[*_KEYS, "seed", "late_reward"])


def beside_levels(finals: pd.DataFrame, curves: pd.DataFrame) -> pd.DataFrame:
    """Return what policies earn beside the best arm in hindsight and beside full information.

    Parameters
    ----------
    finals, curves : DataFrame
        Runs of one data set, the variants and the skyline among them.

    Returns
    -------
    DataFrame
        Indexed by variant and policy: ``mean``; ``above best arm`` with ``low``, ``high`` and
        ``n``, paired by replicate; ``regret`` per round to the skyline, over the replicates that
        it has; ``late``, the mean reward of the last fifth of the rounds, over the replicates and
        variants whose curves are shown (`shown_curves`).
    """
    runs = compared(finals)
    best = runs[(runs["policy"] == "BestArmInHindsight") & (runs["variant"] == PAPERS)]
    skyline = runs[runs["variant"] == SKYLINE].set_index("seed")[_MEAN]
    late = late_rewards(shown_curves(curves)).groupby(_KEYS[1:], sort=False)["late_reward"].mean()
    rows = []
    for keys, part in runs.groupby(_KEYS[1:], sort=False):
        both = best["seed"].isin(part["seed"]), part["seed"].isin(best["seed"])
        above = paired_difference(part[both[1]], best[both[0]])
        regret = (skyline - part.set_index("seed")[_MEAN]).dropna()
        rows.append(
            dict(zip(_KEYS[1:], keys, strict=True))
            | {"mean": part[_MEAN].mean(), "above best arm": above["difference"]}
            | {name: above[name] for name in ("low", "high", "n")}
            | {"regret": regret.mean()}
        )
    return pd.DataFrame(rows).set_index(_KEYS[1:]).join(late.rename("late"))


def mean_ranks(
    finals: pd.DataFrame, settings: tuple[str, ...], *, n_draws: int = 2000
) -> pd.DataFrame:
    """Rank the policies on each data set, average the ranks, and resample sets and replicates.

    Parameters
    ----------
    finals : DataFrame
        Runs of all data sets and variants.
    settings : tuple of str
        As in `by_setting`; each is ranked by itself, over the policies that play in all of them
        and on all data sets, on the replicates that they share.
    n_draws : int, default=2000
        Resamples, of data sets with replacement and of the replicates within each.

    Returns
    -------
    DataFrame
        ``setting``, ``policy``, ``mean`` (1 is best), ``low``, ``high`` (95% percentile interval),
        ``n_datasets``.
    """
    runs = by_setting(finals)
    runs = compared(runs[runs["setting"].isin(settings) & ~runs["policy"].isin(BASELINES)])
    played = runs.groupby("policy")[["dataset", "setting"]].value_counts().unstack("policy")
    runs = runs[runs["policy"].isin(played.dropna(axis="columns").columns)]
    tables = []
    for setting, part in runs.groupby("setting", sort=False):
        rng = np.random.default_rng(0)  # the same draws whatever other settings are asked for
        wide = part.pivot(index=["dataset", "seed"], columns="policy", values=_MEAN)
        sets = [rewards.to_numpy() for _, rewards in wide.groupby("dataset", sort=False)]
        found = _ranks(np.array([rewards.mean(axis=0) for rewards in sets]))
        means = np.empty((n_draws, len(sets), wide.shape[1]))
        for draw in means:
            for at, i in enumerate(rng.integers(len(sets), size=len(sets))):
                draw[at] = sets[i][rng.integers(len(sets[i]), size=len(sets[i]))].mean(axis=0)
        low, high = np.quantile(_ranks(means), [0.025, 0.975], axis=0)
        columns = {"setting": setting, "policy": wide.columns, "mean": found}
        bounds = {"low": low, "high": high, "n_datasets": len(sets)}
        tables.append(pd.DataFrame(columns | bounds).sort_values("mean", kind="stable"))
    return pd.concat(tables, ignore_index=True)


def _ranks(means: np.ndarray) -> np.ndarray:
    """Return the mean ranks of columns, over the axis before them."""
    return rankdata(-means, axis=-1).mean(axis=-2)
