"""What approximate propensities do to estimates: left out, argmax, Monte Carlo, exact."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cbkit.off_policy.estimators import IPS, SNIPS
from cbkit.off_policy.evidence import Evidence
from cbkit.off_policy.intervals import NormalInterval
from cbkit.studies.off_policy.populations import Population

_LOG = "MAB-first UCB"
_EPSILON = 0.1  # explored uniformly beside the MAB-first policy, so that all arms have a chance
N_DRAWS = (10, 100, 1000)


def propensity_kinds(
    policy: np.ndarray, rows: np.ndarray, arms: np.ndarray, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Return propensities of logged arms as different users would know them.

    Parameters
    ----------
    policy : ndarray, shape (n_rows, n_arms)
        Exact probabilities of the policy, before it is mixed with uniform exploration.
    rows, arms : ndarray of int, shape (n_rounds,)
        What was logged.
    rng : numpy.random.Generator
        Source of the Monte Carlo draws.

    Returns
    -------
    dict of str to ndarray, shape (n_rounds,)
        ``exact``; ``Monte Carlo, n``: the share of n draws of the policy that gave the arm;
        ``argmax``: as if the policy always played its most probable arm; ``left out``: exact where
        the policy gives the arm at least half, NaN elsewhere, as if only choices that hardly depend
        on draws were known.
    """
    exact = policy[rows, arms]
    is_best = arms == policy[rows].argmax(axis=1)
    own = {"exact": exact}
    own |= {f"Monte Carlo, {n}": rng.binomial(n, np.clip(exact, 0, 1)) / n for n in N_DRAWS}
    own["argmax"] = is_best.astype(float)
    own["left out"] = np.where(exact >= 0.5, exact, np.nan)
    n_arms = policy.shape[1]
    return {kind: (1 - _EPSILON) * p + _EPSILON / n_arms for kind, p in own.items()}


def run_approximations(
    population: Population, *, n_rounds: int, n_logs: int, seed: int = 0
) -> pd.DataFrame:
    """Evaluate targets from logs whose propensities are known exactly, roughly or in part.

    Parameters
    ----------
    population : Population
        Its MAB-first policy logs, mixed with 10% uniform exploration.
    n_rounds, n_logs : int
        Size and number of the logs.
    seed : int, default=0
        Of all draws.

    Returns
    -------
    DataFrame
        One row per target, kind of propensity and estimator: truth, mean estimate, bias, root mean
        squared error, coverage of the normal 95% interval, and the mean weight.
    """
    policy = population.logging[_LOG]
    cumulative = np.cumsum((1 - _EPSILON) * policy + _EPSILON / population.n_arms, axis=1)
    labels = population.labels
    found = []
    for stream in np.random.SeedSequence(seed).spawn(n_logs):
        rng = np.random.default_rng(stream)
        rows = rng.integers(population.n_rows, size=n_rounds)
        drawn = rng.random(n_rounds) * cumulative[rows, -1]
        arms = (cumulative[rows] <= drawn[:, None]).sum(axis=1)
        rewards = np.asarray(labels[rows, arms], dtype=float).ravel()
        for kind, propensities in propensity_kinds(policy, rows, arms, rng).items():
            known = np.isfinite(propensities)
            if not known.any():
                continue
            for target, probabilities in population.targets.items():
                weights = probabilities[rows, arms][known] / propensities[known]
                evidence = Evidence(rewards=rewards[known], weights=weights)
                for estimator in (IPS(), SNIPS()):
                    low, high = NormalInterval().bounds(estimator, evidence)
                    found.append(
                        {"target": target, "propensities": kind}
                        | {"estimator": type(estimator).__name__}
                        | {"truth": population.value(probabilities)}
                        | {"estimate": estimator.parts(evidence).value}
                        | {"low": low, "high": high, "mean_weight": weights.mean()}
                    )
    table = pd.DataFrame(found)
    error = table["estimate"] - table["truth"]
    covered = (table["low"] <= table["truth"]) & (table["truth"] <= table["high"])
    table = table.assign(bias=error, squared=error**2, coverage=covered)
    by = ["target", "propensities", "estimator"]
    columns = ["truth", "estimate", "bias", "squared", "coverage", "mean_weight"]
    summary = table.groupby(by, sort=False)[columns].mean().reset_index()
    summary.insert(0, "dataset", population.name)
    return summary.assign(rmse=np.sqrt(summary.pop("squared")), n_rounds=n_rounds, n_logs=n_logs)
