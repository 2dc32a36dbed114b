"""A simulated shop: offers come and go while traffic drifts, and rewards are late."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from scipy.special import expit

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.experiments.stats import mean_interval
from cbkit.policies.cold_start import MABFirst
from cbkit.policies.named.bootstrapped import BootstrappedUCB
from cbkit.policies.named.greedy import Greedy
from cbkit.policies.named.without_context import BestArmOnline, RandomArm
from cbkit.policies.policy import Policy
from cbkit.simulate import simulate

PRIOR = MABFirst(a=1, b=3, m=2)
CONTENDERS = {
    "RandomArm": RandomArm,
    "BestArmOnline": partial(BestArmOnline, cold_start=PRIOR),
    "Greedy": partial(Greedy, cold_start=PRIOR),
    "BootstrappedUCB": partial(BootstrappedUCB, n_resamples=5, cold_start=PRIOR),
}
DELAYS = {"at once": 0, "1 to 500 rounds late": (1, 500)}
_LEVEL = -1.6  # log odds of an offer that is to nobody's taste in particular


def shop(
    seed: int, n_rounds: int = 2000, n_arms: int = 20, n_features: int = 8
) -> tuple[MultilabelDataset, np.ndarray]:
    """Draw a shop's visitors, in the order in which they come, and its offers' times.

    Half of the offers are there at the start, the others arrive in the first four fifths of the
    time; each stays for a fifth to a half of it, but for two that never leave. The visitors' mean
    context turns once around a circle.

    Parameters
    ----------
    seed : int
        Of everything.
    n_rounds, n_arms, n_features : int
        Numbers of visitors, of offers that are ever made, and of the visitors' features.

    Returns
    -------
    dataset : MultilabelDataset
        Visitors and what they would take.
    arrivals : ndarray of int, shape (n_arms, 2)
        First round of each offer, and the one from which it is gone.

    Examples
    --------
    >>> dataset, arrivals = shop(0, n_rounds=500)
    >>> dataset.n_arms, int((arrivals[:, 0] == 1).sum())
    (20, 10)
    """
    rng = np.random.default_rng([seed, 9])
    turn = 2 * np.pi * np.arange(n_rounds) / n_rounds
    visitors = rng.normal(size=(n_rounds, n_features))
    visitors[:, :2] += 2 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    tastes = rng.normal(size=(n_features, n_arms)) / np.sqrt(n_features / 3)
    takes = rng.random((n_rounds, n_arms)) < expit(_LEVEL + visitors @ tastes)
    first = np.ones(n_arms, dtype=np.int64)
    first[n_arms // 2 :] = rng.integers(2, int(0.8 * n_rounds), size=n_arms - n_arms // 2)
    gone = first + rng.integers(n_rounds // 5, n_rounds // 2, size=n_arms)
    gone[:2] = n_rounds + 1
    dataset = MultilabelDataset.from_arrays(visitors, takes, name="shop")
    return dataset, np.stack([first, gone], axis=1)


def play(
    policies: Mapping[str, Callable[[int], Policy]],
    delays: Mapping[str, int | tuple[int, int]],
    *,
    n_replicates: int,
    n_rounds: int,
    seed: int,
    window: int = 200,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Play shops with each policy under each delay; a replicate's shop is the same for all.

    Parameters
    ----------
    policies : mapping of str to callable
        Functions from a number of arms to a fresh policy.
    delays : mapping of str to int or pair of int
        How many rounds rewards are late, see `cbkit.simulate.simulate`.
    n_replicates, n_rounds, seed : int
        Number of shops, of visitors in each, and the first shop's seed.
    window : int, default=200
        Number of rounds of which the second table has means.

    Returns
    -------
    finals : DataFrame
        One row per run: ``dataset, variant, policy, seed, checksum``, ``n_rounds, mean_reward`` and
        ``n_pending``.
    recent : DataFrame
        The first four of these, ``round`` and ``reward``, the mean over the `window` rounds up to
        there.
    """
    finals, recent = [], []
    for replicate in range(seed, seed + n_replicates):
        dataset, arrivals = shop(replicate, n_rounds)
        for variant, delay in delays.items():
            for name, make in policies.items():
                log = simulate(
                    make(dataset.n_arms),
                    dataset,
                    seed=replicate,
                    shuffle=False,
                    refit="geometric",
                    delay=delay,
                    arrivals=arrivals,
                )
                run = {"dataset": "shop", "variant": variant, "policy": name, "seed": replicate}
                kept = ("checksum", "n_rounds", "mean_reward", "n_pending")
                finals.append(run | {key: log.facts[key] for key in kept})
                by_window = log.rounds["reward"].groupby((log.rounds["round"] - 1) // window).mean()
                rounds = np.minimum((by_window.index + 1) * window, n_rounds)
                recent.append(pd.DataFrame(run | {"round": rounds, "reward": by_window}))
    return pd.DataFrame(finals), pd.concat(recent, ignore_index=True)


def _bounds(values: pd.Series) -> tuple[float, float]:
    interval = mean_interval(values.to_numpy())
    return interval.low, interval.high


def _caption(table: pd.DataFrame, what: str) -> str:
    return f"{what}: 95% t intervals over {table['seed'].nunique()} shops, the same for all"


def reward_dots(finals: pd.DataFrame) -> Figure:
    """Draw mean rewards with intervals, best policy first; parameters as `play` returns them."""
    order = finals.groupby("policy")["mean_reward"].mean().sort_values(ascending=False).index
    fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
    sns.pointplot(
        finals,
        x="mean_reward",
        y="policy",
        hue="variant",
        order=order,
        errorbar=_bounds,
        dodge=0.3,
        linestyle="none",
        markers=["o", "s"],
        ax=ax,
    )
    ax.set(xlim=(0, None), ylabel="", xlabel="mean reward per round")
    ax.legend(title="rewards come", frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    fig.supxlabel(_caption(finals, "lines"), size=9)
    return fig


def recent_lines(recent: pd.DataFrame) -> Figure:
    """Draw rewards of the last rounds over time, a panel per delay; as `play` returns them."""
    variants = list(recent["variant"].unique())
    fig, axes = plt.subplots(
        1, len(variants), figsize=(4.6 * len(variants), 3.4), sharey=True, layout="constrained"
    )
    for variant, ax in zip(variants, np.atleast_1d(axes), strict=True):
        table = recent[recent["variant"] == variant]
        sns.lineplot(table, x="round", y="reward", hue="policy", errorbar=_bounds, ax=ax)
        ax.set(title=f"rewards come {variant}", ylim=(0, None), ylabel="reward per round, lately")
        ax.get_legend().remove()
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    fig.supxlabel(_caption(recent, "bands"), size=9)
    return fig
