"""How much reward depends on each constant: variance over its values, without the runs' noise."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from cbkit.experiments.stats import CONFIDENCE, mean_interval
from cbkit.studies.sensitivity.grid import CENTRE, PRIOR

N_BOOTSTRAP = 2000
_GROUP = ["dataset", "policy"]


def changes(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs with how much more each earned than the centre did on the same rows.

    Parameters
    ----------
    runs : DataFrame
        From `cbkit.studies.sensitivity.runs.runs_of`; one or more data sets.

    Returns
    -------
    DataFrame
        With ``change_pct``: in percent of the mean reward at the centre, of the same policy on the
        same data set.

    Raises
    ------
    ValueError
        If a run has no partner at the centre that played the same rows.
    """
    at_centre = (runs["constant"] == CENTRE[0]) & (runs["value"] == CENTRE[1])
    pair = [*_GROUP, "seed", "checksum", "row_order", "n_rounds"]
    centre = runs.loc[at_centre, [*pair, "mean_reward"]].rename(columns={"mean_reward": "centre"})
    both = runs.merge(centre, how="left", on=pair, validate="many_to_one")
    if both["centre"].isna().any():
        lost = both[both["centre"].isna()].iloc[0]
        raise ValueError(
            f"no run at the centre has the rows of {dict(lost[[*_GROUP, 'seed']])}; play every "
            "constant on the same replicates"
        )
    level = both.groupby(_GROUP)["centre"].transform("mean")
    return both.assign(change_pct=100 * (both["mean_reward"] - both["centre"]) / level)


def change_table(runs: pd.DataFrame, *, by_set: bool = True) -> pd.DataFrame:
    """Return the mean change of each value against the centre, with a 95% t interval.

    Parameters
    ----------
    runs : DataFrame
        As for `changes`.
    by_set : bool, default=True
        Per data set; otherwise the mean over those that have the value, each counting the same,
        on the replicates that all of them have.

    Returns
    -------
    DataFrame
        ``dataset`` (if by set), ``policy``, ``constant``, ``value``, ``mean``, ``low``, ``high``,
        ``n``: in percent of the mean reward at the centre.
    """
    keys = [*(["dataset"] if by_set else []), "policy", "constant", "value"]
    rows = []
    for names, own in changes(runs).groupby(keys, sort=False):
        by_seed = own.pivot(index="seed", columns="dataset", values="change_pct").dropna()
        found = mean_interval(by_seed.mean(axis=1).to_numpy())
        rows.append(dict(zip(keys, names, strict=True)) | found._asdict())
    return pd.DataFrame(rows)


def noise(rewards: np.ndarray) -> np.ndarray:
    """Compute the variance that mean rewards would have over values that are all equal.

    Parameters
    ----------
    rewards : ndarray, shape (..., n_replicates, n_values)
        At least two of both. Replicates are paired: one plays the same rows under all values.

    Returns
    -------
    ndarray, shape (...)

    Examples
    --------
    >>> float(noise(np.array([[0.0, 2.0], [2.0, 2.0]])))
    0.5
    """
    n, n_values = rewards.shape[-2:]
    rest = rewards - rewards.mean(axis=-1, keepdims=True) - rewards.mean(axis=-2, keepdims=True)
    rest = rest + rewards.mean(axis=(-2, -1), keepdims=True)
    return (rest**2).sum(axis=(-2, -1)) / ((n - 1) * (n_values - 1) * n)


def effect(rewards: np.ndarray) -> np.ndarray:
    """Compute the variance of mean rewards over values, less what noise alone would give.

    Parameters
    ----------
    rewards : ndarray, shape (..., n_replicates, n_values)
        As for `noise`.

    Returns
    -------
    ndarray, shape (...)
        Its expectation is 0 where all values are equal, so that an estimate may lie below.

    Notes
    -----
    The variance component of a two-way analysis of n replicates and V values: with e what is left
    of the rewards after the means of both, ``Var_v(mean_v) - sum(e^2) / ((n - 1) (V - 1) n)``.

    Examples
    --------
    >>> float(effect(np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]])))     # no noise
    1.0
    >>> float(effect(np.array([[0.0, 2.0], [2.0, 2.0]])))               # nothing but noise
    0.0
    """
    return rewards.mean(axis=-2).var(axis=-1, ddof=1) - noise(rewards)


def _effects(runs: pd.DataFrame, rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the constants of each policy, and their effects: estimates first, then bootstrap.

    The replicates of a data set are drawn once for all. As the drawn ones carry the noise of the
    sample and their own, the sample's is subtracted a second time.
    """
    rows, effects = [], []
    for dataset, of_set in changes(runs).groupby("dataset", sort=False):
        seeds = np.sort(of_set["seed"].unique())
        drawn = rng.integers(len(seeds), size=(N_BOOTSTRAP, len(seeds)))
        for (policy, constant), own in of_set.groupby(["policy", "constant"], sort=False):
            table = own.pivot(index="seed", columns="value", values="change_pct").loc[seeds]
            if table.isna().any(axis=None):
                raise ValueError(f"{policy} on {dataset}: {constant} lacks replicates\n{table}")
            values = table.to_numpy()
            resampled = effect(values[drawn]) - noise(values)
            rows.append((dataset, policy, constant, table.shape[1], len(seeds)))
            effects.append(np.append(effect(values), resampled))
    columns = [*_GROUP, "constant", "n_values", "n"]
    return pd.DataFrame(rows, columns=columns), np.maximum(effects, 0)


def _tail(n: int) -> float:
    """Return what a bootstrap interval of n replicates leaves out at either end.

    Percentiles of few replicates are too narrow, as a normal interval with the standard deviation
    of the sample is. Hesterberg (2015), "What teachers should know about the bootstrap", widens
    them as Student's t would.
    """
    quantile = stats.t.ppf((1 + CONFIDENCE) / 2, n - 1)
    return float(stats.norm.cdf(-np.sqrt(n / (n - 1)) * quantile))


def variance_shares(
    runs: pd.DataFrame, rng: np.random.Generator, *, by_set: bool = True
) -> pd.DataFrame:
    """Compute what share of the variance over all constants each constant has.

    Parameters
    ----------
    runs : DataFrame
        As for `changes`, at least two replicates.
    rng : numpy.random.Generator
        Source of the bootstrap's draws of replicates.
    by_set : bool, default=True
        Per data set; otherwise the mean of the shares over data sets.

    Returns
    -------
    DataFrame
        ``dataset`` (if by set), ``policy``, ``constant``; ``n_values``, ``n``; ``sd_pct``, the
        standard deviation over values in percent of the reward at the centre, without noise;
        ``share_pct`` with ``low`` and ``high``, a 95% bootstrap interval over replicates. The
        shares of all constants but the prior add to 100; the prior's is of the total with it.
    """
    labels, effects = _effects(runs, rng)
    table = pd.DataFrame(effects)
    is_prior = labels["constant"] == PRIOR
    others = table.mask(is_prior, 0.0)
    total = others.groupby([labels[name] for name in _GROUP]).transform("sum")
    total += table.where(is_prior, 0.0)
    shares = 100 * table / total.where(total > 0)
    keys = [*(["dataset"] if by_set else []), "policy", "constant"]
    by = [labels[name] for name in keys]
    shares = shares.groupby(by, sort=False).mean()
    found = labels.groupby(keys, sort=False)[["n_values", "n"]].max()
    found["sd_pct"] = np.sqrt(table[0].groupby(by, sort=False).mean())
    found["share_pct"] = shares[0]
    tail = _tail(int(labels["n"].min()))
    drawn = shares.to_numpy()[:, 1:]
    found["low"], found["high"] = np.nanquantile(drawn, [tail, 1 - tail], axis=1)
    return found.reset_index()
