"""Sentences for the figures of notebook 03, computed from the numbers that they show."""

from __future__ import annotations

import numpy as np
import pandas as pd

from cbkit.experiments.stats import CONFIDENCE


def resample_reading(
    scores: dict[str, np.ndarray], plain: np.ndarray, *, percentile: float
) -> list[str]:
    """Say how far resamples move from refit to refit, how they spread, and where the bound lies.

    Parameters
    ----------
    scores : dict of str to ndarray, shape (n_sizes, n_contexts, n_resamples)
        From `cbkit.studies.resample_scores.scores_as_history_grows`, per scheme.
    plain : ndarray, shape (n_sizes, n_contexts)
    percentile : float

    Returns
    -------
    list of str
        A sentence per scheme, and one for the plain fit.

    Examples
    --------
    >>> scores = {"kept": np.array([[[0.2, 0.4]], [[0.3, 0.5]]])}
    >>> resample_reading(scores, np.array([[0.3], [0.4]]), percentile=80)[1]
    'The plain fit itself moves by 0.100.'
    """
    lines = []
    for name, values in scores.items():
        jump = np.abs(np.diff(values, axis=0)).mean()
        spread = values.std(axis=2).mean(axis=1)
        above = np.percentile(values[-1], percentile, axis=1) - plain[-1]
        lines.append(
            f"**{name}**: a resample moves by {jump:.3f} from one refit to the next on average; "
            f"the standard deviation between resamples is {spread[0]:.3f} after the first refit, "
            f"{spread[-1]:.3f} after the last; the upper bound lies above the plain fit in "
            f"{np.mean(above > 0):.0%} of the contexts, by {above.mean():+.3f} on average."
        )
    moves = np.abs(np.diff(plain, axis=0)).mean()
    return [*lines, f"The plain fit itself moves by {moves:.3f}."]


def weights_reading(finals: pd.DataFrame) -> list[str]:
    """Say, per prior, between what the mean rewards lie and what streamed oracles earn.

    Parameters
    ----------
    finals : DataFrame
        Policies named ``"<policy>, <weights>"``; priors as variants.
    """
    lines = []
    means = finals.groupby(["variant", "policy"], sort=False)[["mean_reward", "cold_start_share"]]
    for prior, group in means.mean().groupby("variant", sort=False):
        reward = group["mean_reward"].droplevel("variant")
        streamed = reward[reward.index.str.contains("streamed")]
        refit = reward.drop(streamed.index)
        lines.append(
            f"With {prior}, mean rewards lie between {reward.min():.3f} ({reward.idxmin()}) and "
            f"{reward.max():.3f} ({reward.idxmax()}). Streamed oracles earn {streamed.mean():.3f} "
            f"on average, refit ones {refit.mean():.3f} (from {refit.min():.3f} to "
            f"{refit.max():.3f}). The cold start scored the chosen arm in "
            f"{group['cold_start_share'].mean():.0%} of the rounds."
        )
    return lines


def kept_reading(table: pd.DataFrame) -> list[str]:
    """Say what each fresh scheme earns less or more than kept weights, and what is clear of noise.

    Parameters
    ----------
    table : DataFrame
        From `paired_differences` with kept weights as the reference; policies named
        ``"<policy>, <weights>"``, priors as variants.
    """
    fresh = table[table["policy"].str.contains("fresh")]
    lines = [
        f"{row.policy}, {row.variant}: {row.difference:+.3f} [{row.low:+.3f}, {row.high:+.3f}], "
        f"p = {row.p_t:.2f}, after Holm's correction {row.p_holm:.2f}."
        for row in fresh.itertuples()
    ]
    clear = table[table["p_holm"] < 1 - CONFIDENCE]
    named = "; ".join(clear["policy"] + " (" + clear["variant"] + ")")
    lead = int((fresh["difference"] < 0).sum())
    lines.append(
        f"Kept weights lead in {lead} of these {len(fresh)} comparisons "
        f"(n = {int(table['n'].max())}). Clear at 5% after correction, streamed oracles included: "
        f"{named or 'none'}."
    )
    return lines


def sweep_reading(facts: pd.DataFrame, steps: dict[str, list[str]]) -> list[str]:
    """Say how reward and cold start move along each series of policies.

    Parameters
    ----------
    facts : DataFrame
        Means per policy: ``mean_reward``, ``cold_start_share``, ``n_fitted_arms``.
    steps : dict of str to list of str
        What is varied, and the policies in the order of the variation.

    Examples
    --------
    >>> columns = ["mean_reward", "cold_start_share", "n_fitted_arms"]
    >>> facts = pd.DataFrame([[0.1, 0.5, 3], [0.2, 0.4, 4]], index=["a", "b"], columns=columns)
    >>> sweep_reading(facts, {"A to B": ["a", "b"]})
    ['A to B: mean reward 0.100, 0.200; the cold start scores 50%, 40% of ...]
    """
    lines = []
    for what, policies in steps.items():
        part = facts.loc[policies]
        rewards = ", ".join(f"{value:.3f}" for value in part["mean_reward"])
        cold = ", ".join(f"{value:.0%}" for value in part["cold_start_share"])
        fitted = ", ".join(f"{value:.1f}" for value in part["n_fitted_arms"])
        lines.append(
            f"{what}: mean reward {rewards}; the cold start scores {cold} of the chosen arms; "
            f"{fitted} arms have an oracle at the end."
        )
    return lines


def fitting_reading(timings: pd.DataFrame) -> str:
    """Say what refits cost under each scheme, in CPU seconds per run.

    Parameters
    ----------
    timings : DataFrame
        Policies named ``"<policy>, <weights>"``, with ``seconds_fitting``.

    Examples
    --------
    >>> timings = pd.DataFrame({"policy": ["UCB, fresh", "UCB, kept"], "seconds_fitting": [4, 1]})
    >>> fitting_reading(timings)
    'Refits took 4.0 (fresh), 1.0 (kept) CPU seconds per run.'
    """
    scheme = timings["policy"].str.split(", ", n=1).str[1]
    seconds = timings.groupby(scheme, sort=False)["seconds_fitting"].mean()
    found = ", ".join(f"{value:.1f} ({name})" for name, value in seconds.items())
    return f"Refits took {found} CPU seconds per run."
