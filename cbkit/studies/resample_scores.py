"""How the resamples of one arm score contexts while its history grows: what notebook 03 draws."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cbkit._base.validation import Matrix
from cbkit.experiments.stats import holm, paired_differences
from cbkit.oracles.oracle import Oracle
from cbkit.plots.dots import difference_dots
from cbkit.plots.style import LOOKS

_RESAMPLE, _PLAIN, _BOUND = "#9E9E9E", "#000000", LOOKS["BootstrappedUCB"][0]


def scores_as_history_grows(
    oracle: Oracle,
    X: Matrix,
    rewards: np.ndarray,
    contexts: Matrix,
    sizes: Sequence[int],
    *,
    seed: int,
) -> np.ndarray:
    """Return how one arm's oracle scores the same contexts as its history grows.

    Parameters
    ----------
    oracle : Oracle
        Fresh. One that streams is handed the new rows alone, any other the whole history.
    X : csr_array or ndarray, shape (n_observations, n_features)
        The arm's contexts, in the order in which they come.
    rewards : ndarray, shape (n_observations,)
        Its rewards; both kinds must be among the first ``sizes[0]``.
    contexts : csr_array or ndarray, shape (n_contexts, n_features)
        What to score after each refit.
    sizes : sequence of int
        Lengths of the history at the refits, increasing.
    seed : int
        Seed of the resample weights.

    Returns
    -------
    ndarray, shape (n_sizes, n_contexts, n_resamples)
        Expected rewards.

    Examples
    --------
    >>> from cbkit import LogisticOracle, Resampling
    >>> oracle = LogisticOracle(resampling=Resampling(kind="gamma(1,1)", n_resamples=5, kept=True))
    >>> X, rewards = np.arange(20.0).reshape(-1, 1), np.tile([0.0, 1.0], 10)
    >>> scores_as_history_grows(oracle, X, rewards, X[:3], [10, 20], seed=0).shape
    (2, 3, 5)
    """
    if len(np.unique(rewards[: sizes[0]])) < 2:
        raise ValueError(f"the first {sizes[0]} rewards are all alike; start with more rows")
    rng = np.random.default_rng(seed)
    scores, seen = [], 0
    for size in sizes:
        first = seen if oracle.streaming else 0
        oracle.learn(0, X[first:size], rewards[first:size], rng)
        scores.append(oracle.score(contexts)[:, 0])
        seen = size
    return np.stack(scores)


def score_strips(
    scores: np.ndarray, plain: np.ndarray, *, percentile: float, ax: Axes, title: str = ""
) -> Axes:
    """Draw each context's resample scores, with the percentile that serves as its upper bound.

    Parameters
    ----------
    scores : ndarray, shape (n_contexts, n_resamples)
    plain : ndarray, shape (n_contexts,)
        Scores of a fit to the observations as they are; they set the order of the contexts.
    percentile : float
    ax : Axes
    title : str, optional

    Returns
    -------
    Axes
    """
    order = np.argsort(plain)
    places = np.arange(len(plain))
    flat = np.repeat(places, scores.shape[1]), scores[order].ravel()
    ax.plot(*flat, ".", color=_RESAMPLE, markersize=4, label="one resample")
    upper = np.percentile(scores[order], percentile, axis=1)
    ax.plot(places, upper, "^", color=_BOUND, markersize=5, label="upper bound")
    ax.plot(places, plain[order], "_", color=_PLAIN, markersize=9, label="plain fit")
    ax.set(ylim=(-0.02, 1.02), title=title, xlabel="contexts, by the plain fit")
    ax.set_xticks([])
    return ax


def score_paths(
    sizes: Sequence[int],
    scores: np.ndarray,
    plain: np.ndarray,
    *,
    percentile: float,
    ax: Axes,
) -> Axes:
    """Draw how the resample scores of one context move from refit to refit.

    Parameters
    ----------
    sizes : sequence of int, shape (n_sizes,)
    scores : ndarray, shape (n_sizes, n_resamples)
    plain : ndarray, shape (n_sizes,)
    percentile : float
    ax : Axes

    Returns
    -------
    Axes
    """
    upper = np.percentile(scores, percentile, axis=1)
    ax.plot(sizes, scores, color=_RESAMPLE, lw=0.7)
    ax.plot(sizes, upper, color=_BOUND, lw=2)
    ax.plot(sizes, plain, color=_PLAIN, lw=1.2, linestyle="--")
    ax.set(ylim=(-0.02, 1.02), xlim=(0, sizes[-1]), xlabel="observations of the arm")
    return ax


def resample_panels(
    sizes: Sequence[int],
    scores: dict[str, np.ndarray],
    plain: np.ndarray,
    *,
    percentile: float,
    context: int,
) -> Figure:
    """Draw strips at the last size above and the paths of one context below, a column per scheme.

    Parameters
    ----------
    sizes : sequence of int, shape (n_sizes,)
    scores : dict of str to ndarray, shape (n_sizes, n_contexts, n_resamples)
        From `scores_as_history_grows`, per resampling scheme.
    plain : ndarray, shape (n_sizes, n_contexts)
    percentile : float
    context : int
        The one whose paths are drawn.

    Returns
    -------
    Figure
    """
    width = 1.2 + 3.2 * len(scores)
    fig, axes = plt.subplots(2, len(scores), figsize=(width, 6.2), sharey=True, squeeze=False)
    for (scheme, values), (above, below) in zip(scores.items(), axes.T, strict=True):
        title = f"{scheme}\n{sizes[-1]} observations"
        score_strips(values[-1], plain[-1], percentile=percentile, ax=above, title=title)
        paths = values[:, context], plain[:, context]
        score_paths(sizes, *paths, percentile=percentile, ax=below)
    for ax in axes[:, 0]:
        ax.set_ylabel("expected reward")
    axes[1, 0].set_title("one context, refit by refit")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    labels[1] = f"upper bound ({percentile:g}th percentile)"
    fig.legend(handles, labels, loc="outside lower center", ncols=3)
    return fig


def against_kept(finals: pd.DataFrame, kept: str = "kept Gamma(1,1)") -> pd.DataFrame:
    """Compare each scheme of weights with kept ones, for the same algorithm and replicates.

    Parameters
    ----------
    finals : DataFrame
        One row per run, with ``algorithm`` and ``weights`` in the place of ``policy``.
    kept : str
        The weights that the others are compared with.

    Returns
    -------
    DataFrame
        As from `paired_differences`, corrected for all comparisons of the table; ``policy`` names
        algorithm and weights.
    """
    tables = [
        paired_differences(runs.assign(policy=runs["weights"]), kept).assign(algorithm=name)
        for name, runs in finals.groupby("algorithm", sort=False)
    ]
    table = pd.concat(tables, ignore_index=True)
    table["policy"] = table.pop("algorithm") + ", " + table["policy"]
    reference = f"the same policy with {kept} weights"
    return table.assign(p_holm=holm(table["p_t"]), reference=reference)


def kept_differences(finals: pd.DataFrame) -> Figure:
    """Draw what each scheme of weights earns more than kept ones, see `against_kept`."""
    return difference_dots(against_kept(finals))
