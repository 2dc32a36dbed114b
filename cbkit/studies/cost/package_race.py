"""The paper's own package against this one: the same rows, block by block, in turns.

It is ``contextualbandits`` on the package index, which has to be compiled; nothing else here needs
it. Without it, notebook D shows what was measured with it.
"""

from __future__ import annotations

import time
import warnings
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.simulate import row_order
from cbkit.studies.cost.costs import Contender, play
from cbkit.studies.cost.plain_race import ratios

PACKAGE = "contextualbandits"
POLICIES = ("EpsilonGreedy", "BootstrappedUCB")
SOLVERS = ("lbfgs", "liblinear")  # scikit-learn's default; the other penalises the intercept too


def is_installed() -> bool:
    """Return whether the paper's package can be imported."""
    return find_spec(PACKAGE) is not None


def play_package(
    dataset: MultilabelDataset,
    *,
    seed: int,
    policy: str,
    solver: str = "lbfgs",
    mended: bool = False,
    n_rounds: int | None = None,
    refit_every: int = 50,
) -> dict[str, float]:
    """Return what a run of the paper's package takes, refit to all history after each block.

    Parameters
    ----------
    dataset : MultilabelDataset
        Contexts and rewards.
    seed : int
        Seed of the replicate; the rows come in the order of `simulate` with this seed.
    policy : str
        Name of the class in ``contextualbandits.online``. It gets MAB-first's (3, 7, 2).
    solver : str, default="lbfgs"
        Of scikit-learn's ``LogisticRegression(C=1.0)``, its classifier.
    mended : bool, default=False
        Whether to revive its dead resamples before each fit: one that once sees a single reward
        is a constant of the package's for good.
    n_rounds : int, optional
        At most (default) the number of rows.
    refit_every : int, default=50
        Rounds between refits. The first block is played at random: the package has nothing to
        choose by before its first fit.

    Returns
    -------
    dict
        ``mean_reward``, ``seconds`` of CPU time on one thread, and ``n_rounds``.

    Raises
    ------
    ModuleNotFoundError
        If the package is not installed.
    """
    online = import_module(f"{PACKAGE}.online")
    k = dataset.n_arms
    jobs = {"njobs": 1} if policy == "EpsilonGreedy" else {"njobs_arms": 1}
    classifier = LogisticRegression(C=1.0, solver=solver)
    player = getattr(online, policy)(
        classifier,
        nchoices=k,
        beta_prior=((3, 7), 2),
        random_state=seed + 1,  # 0 would be taken for no seed
        **jobs,
    )
    order = row_order(dataset.n_rows, seed)[:n_rounds]
    X, labels = dataset.features[order], dataset.labels[order].toarray()
    X = sparse.csr_matrix(X) if sparse.issparse(X) else X
    arms = np.random.default_rng([seed, 2]).integers(k, size=len(order))
    rewards = np.empty(len(order))
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scikit-learn, about arguments and convergence
        for first in range(0, len(order), refit_every):
            block = slice(first, first + refit_every)
            if first:
                arms[block] = player.predict(X[block])
            rewards[block] = labels[block][np.arange(len(arms[block])), arms[block]]
            if mended and first:
                _revive(player, classifier)
            player.fit(X[: block.stop], arms[: block.stop], rewards[: block.stop])
    return {
        "mean_reward": float(rewards.mean()),
        "seconds": time.process_time() - start,
        "n_rounds": len(order),
    }


def _revive(player: Any, classifier: LogisticRegression) -> None:
    for arm in player._oracles.algos:
        resamples = getattr(arm, "bs_algos", [])
        for i, resample in enumerate(resamples):
            if not isinstance(resample, LogisticRegression):
                resamples[i] = clone(classifier)


def contenders(*, n_rounds: int | None = None) -> dict[str, Contender]:
    """Return `POLICIES` and the package's: with each solver, and with live resamples (lbfgs).

    Examples
    --------
    >>> print(*list(contenders())[:3], sep="; ")
    EpsilonGreedy; EpsilonGreedy of the package, lbfgs; EpsilonGreedy of the package, liblinear
    """
    found: dict[str, Contender] = {}
    for policy in POLICIES:
        theirs = partial(play_package, policy=policy, n_rounds=n_rounds)
        found[policy] = partial(play, policy=policy, n_rounds=n_rounds)
        for solver in SOLVERS:
            found[f"{policy} of the package, {solver}"] = partial(theirs, solver=solver)
    mended = partial(play_package, policy="BootstrappedUCB", mended=True, n_rounds=n_rounds)
    found["BootstrappedUCB of the package, mended"] = mended
    return found


def against_package(raced: pd.DataFrame) -> pd.DataFrame:
    """Divide the package's CPU seconds by ours, on the seeds that both have played.

    Parameters
    ----------
    raced : DataFrame
        From `race`, of `contenders`.

    Returns
    -------
    DataFrame
        As from `ratios`, and the mean rewards of both, ``fast_reward`` and
        ``slow_reward``.
    """
    labels = raced["contender"].unique()
    pairs = [(label.split(" of ")[0], label) for label in labels if " of " in label]
    table = ratios(raced.assign(n_refits=1), pairs).drop(columns="ratio_per_refit")
    rewards = raced.groupby("contender")["mean_reward"].mean()
    for side in ("fast", "slow"):
        table[f"{side}_reward"] = rewards[table[side]].to_numpy()
    return table
