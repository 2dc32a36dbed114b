"""What a run costs: CPU seconds and peak memory.

CPU seconds, not those on the clock, are what a busy machine leaves comparable. Contenders take
turns, seed by seed, so that a change of the machine's speed meets all of them.
"""

from __future__ import annotations

import gc
import pickle
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from threadpoolctl import threadpool_limits

from cbkit.datasets import load_dataset
from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.plots.dots import interval_dots
from cbkit.policies.policy import Policy
from cbkit.policies.registry import make_policy
from cbkit.simulate import simulate

MB = 1e6
PANELS = {
    "seconds": "CPU seconds per run",
    "policy_mb": "size of the policy, MB",
    "peak_mb": "peak memory of the process, MB",
}

Contender = Callable[..., dict[str, float]]


def size_of(policy: Policy) -> int:
    """Return the bytes that a policy takes on disk, counted without a copy of its arrays."""
    arrays: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(policy, protocol=5, buffer_callback=arrays.append)
    return len(rest) + sum(array.raw().nbytes for array in arrays)


def play(
    dataset: MultilabelDataset,
    *,
    seed: int,
    policy: str,
    n_rounds: int | None = None,
    refit_every: int = 50,
    **parameters: Any,
) -> dict[str, float]:
    """Return what a run of a registered policy takes.

    Parameters
    ----------
    dataset : MultilabelDataset
    seed, n_rounds, refit_every
        As for `simulate`.
    policy : str
        A name of `policy_names`.
    **parameters
        Those of the policy that differ from the paper's.

    Returns
    -------
    dict
        ``mean_reward``, ``seconds`` of CPU time, ``n_refits``, ``n_fitted_arms``, the sizes
        ``n_rounds``, ``n_arms`` and ``n_features``, and ``policy_mb``, the size of the policy on
        disk after the run: its histories, weights and coefficients.

    Examples
    --------
    >>> cost = play(load_dataset("digits"), seed=0, policy="Greedy", n_rounds=200)
    >>> cost["seconds"] > 0, cost["policy_mb"] < 1
    (True, True)
    """
    player = make_policy(policy, dataset, **parameters)
    start = time.process_time()
    log = simulate(player, dataset, seed=seed, n_rounds=n_rounds, refit_every=refit_every)
    return {
        "mean_reward": log.mean_reward,
        "seconds": time.process_time() - start,
        "n_refits": log.facts["n_refits"],
        "n_fitted_arms": log.facts["n_fitted_arms"],
        "n_rounds": log.facts["n_rounds"],
        "n_arms": dataset.n_arms,
        "n_features": dataset.n_features,
        "policy_mb": size_of(player) / MB,
    }


def fit_every_arm(
    dataset: MultilabelDataset, *, seed: int, policy: str, n_observations: int = 20
) -> dict[str, float]:
    """Return what it takes to fit an oracle to every arm and to score a block.

    Parameters
    ----------
    dataset : MultilabelDataset
    seed : int
        Of the observations and weights.
    policy : str
        A name of `policy_names`; it gets no cold start.
    n_observations : int, default=20
        Per arm: as many rows as there are, up to half of these, that have its label, and random
        others.

    Returns
    -------
    dict
        As from `play`, without a reward.

    Examples
    --------
    >>> fit_every_arm(load_dataset("digits"), seed=0, policy="Greedy")["n_fitted_arms"]
    10
    """
    rng = np.random.default_rng(seed)
    player = make_policy(policy, dataset, cold_start=None)
    by_arm = dataset.labels.tocsc()
    start = time.process_time()
    for arm in range(dataset.n_arms):
        labelled = by_arm.indices[by_arm.indptr[arm] : by_arm.indptr[arm + 1]]
        positives = rng.permutation(labelled)[: n_observations // 2]
        others = np.setdiff1d(rng.choice(dataset.n_rows, n_observations, replace=False), labelled)
        for rows, reward in ((positives, 1), (others[: n_observations - len(positives)], 0)):
            for row in rows.tolist():
                player.record(dataset.features, row, arm, reward)
    player.refit(rng)
    player.prepare(dataset.features[:50])
    return {
        "seconds": time.process_time() - start,
        "n_refits": player.n_refits_,
        "n_fitted_arms": player.n_fitted_arms,
        "n_rounds": n_observations * dataset.n_arms,
        "n_arms": dataset.n_arms,
        "n_features": dataset.n_features,
        "policy_mb": size_of(player) / MB,
    }


def race(
    dataset: str | MultilabelDataset, contenders: Mapping[str, Contender], seeds: Sequence[int]
) -> pd.DataFrame:
    """Run contenders in turns, seed by seed, each on one thread and after garbage collection.

    Parameters
    ----------
    dataset : str or MultilabelDataset
        Name for `load_dataset`, or a data set.
    contenders : mapping of str to callable
        Labels and functions ``f(dataset, seed=...) -> dict``, such as `play` or
        `plain_loop` with their other parameters bound by `functools.partial`.
    seeds : sequence of int

    Returns
    -------
    DataFrame
        ``contender``, ``seed``, then what the functions returned.
    """
    data = load_dataset(dataset) if isinstance(dataset, str) else dataset
    rows = []
    with threadpool_limits(1):
        for seed in seeds:
            for label, run in contenders.items():
                gc.collect()  # so that nobody pays for what another left behind
                rows.append({"contender": label, "seed": seed} | run(data, seed=seed))
    return pd.DataFrame(rows)


def peak_memory() -> float:
    """Return the most memory, in MB, that this process has held so far.

    On Linux it is read from ``/proc``: a child's ``ru_maxrss`` starts at its parent's peak there,
    which would count the memory of the notebook.

    Examples
    --------
    >>> 1 < peak_memory() < 1e6
    True
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024 / MB
    import resource  # absent on Windows, where nothing says a process's peak without more packages

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / MB if sys.platform == "darwin" else peak * 1024 / MB


def isolated(dataset: str, contender: Contender, seeds: Sequence[int]) -> pd.DataFrame:
    """Run one contender in a process of its own, so that the peak of its memory is its own.

    Parameters
    ----------
    dataset : str
        Name for `load_dataset`.
    contender : callable
        As for `race`.
    seeds : sequence of int
        One run each, one after another.

    Returns
    -------
    DataFrame
        What the contender returned per ``seed``, and of its process the peak of memory in MB:
        ``import_mb`` with the package loaded, ``loaded_mb`` with the data set, ``peak_mb`` at
        the end, after this run and those before it.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
        rows = fresh.submit(_alone, dataset, contender, list(seeds)).result()
    return pd.DataFrame(rows)


def _alone(dataset: str, contender: Contender, seeds: list[int]) -> list[dict[str, float]]:
    imported = peak_memory()
    data = load_dataset(dataset)
    facts = {"import_mb": imported, "loaded_mb": peak_memory()}
    rows = []
    with threadpool_limits(1):
        for seed in seeds:
            cost = contender(data, seed=seed)
            rows.append({"seed": seed} | cost | facts | {"peak_mb": peak_memory()})
    return rows


def cost_dots(costs: pd.DataFrame) -> Figure:
    """Draw the CPU seconds, size and peak memory of each policy.

    Parameters
    ----------
    costs : DataFrame
        From `isolated`, with the column ``policy``.

    Returns
    -------
    Figure
    """
    return interval_dots(costs.assign(variant="default"), PANELS)
