"""All runs of the study, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from cbkit.datasets import load_dataset
from cbkit.experiments.run import run_experiment
from cbkit.studies.cost.costs import fit_every_arm, isolated, play
from cbkit.studies.oracles.experiment import finals_with_seconds, oracle_experiment
from cbkit.studies.oracles.log_losses import log_losses

# Rounds at most of the policies that explore, so that the widest sets end; all rows of the others.
EXPLORE_ROUNDS = {"bibtex": 3000, "delicious": 1500, "corel5k": 2000, "tmc2007": 3000}
LOSS_ROUNDS = 2000
# How many times as many runs as the others: sets whose runs take little, and two whose runs differ
# most from one another.
TIMES = {"mediamill-2000": 2, "enron": 2, "yeast": 2, "medical": 2, "bibtex": 5, "corel5k": 5}
COLUMNS = ["dataset", "policy", "seed", "checksum", "n_rounds", "mean_reward", "seconds"]
COLUMNS += ["explored_share", "cold_start_share", "n_refits", "n_fitted_arms"]

_SMOOTHING = {"Smoothing": {"a": 1, "b": 2}}
_PRICED: dict[str, dict[str, Any]] = {
    "LinUCB": {"policy": "LinUCB"},
    "UCB, resamples": {"policy": "OnlineBootstrappedUCB", "cold_start": _SMOOTHING},
    "UCB, posterior": {"policy": "LogisticUCB", "streaming": False, "cold_start": _SMOOTHING},
    "UCB, streaming posterior": {"policy": "LogisticUCB", "cold_start": _SMOOTHING},
}
_OF_EURLEX_SIZE = ("LinUCB", "UCB, resamples", "UCB, streaming posterior")


def played(
    datasets: Sequence[str],
    policies: Mapping[str, Any],
    *,
    folder: str,
    n_replicates: int,
    n_rounds: int | Mapping[str, int],
    seed: int,
) -> pd.DataFrame:
    """Play policies on data sets.

    Parameters
    ----------
    datasets : sequence of str
        Names for `load_dataset`.
    policies, folder, seed
        As for `oracle_experiment`.
    n_replicates : int
        Runs per policy, times those of `TIMES`.
    n_rounds : int, or mapping of str to int
        Rounds at most, of each set or of some by name; all rows of the others.

    Returns
    -------
    DataFrame
        One row per run: ``dataset``, ``policy``, ``seed``, ``checksum``, ``n_rounds``,
        ``mean_reward``, CPU ``seconds``, and what its rounds were like.
    """
    tables = []
    for name in datasets:
        most = n_rounds if isinstance(n_rounds, int) else n_rounds.get(name)
        n_runs = n_replicates * TIMES.get(name, 1)
        sizes: dict[str, Any] = {"n_replicates": n_runs, "n_rounds": most, "seed": seed}
        results = run_experiment(oracle_experiment(name, policies, folder=folder, **sizes))
        tables.append(finals_with_seconds(results))
    return pd.concat(tables, ignore_index=True)[COLUMNS]


def losses(datasets: Sequence[str], *, n_replicates: int, n_rounds: int, seed: int) -> pd.DataFrame:
    """Return `log_losses` of data sets, with ``dataset`` and ``seed``."""
    tables = []
    for name in datasets:
        dataset = load_dataset(name)
        for run in range(seed, seed + n_replicates):
            table = log_losses(dataset, seed=run, n_rounds=min(n_rounds, dataset.n_rows))
            table.insert(0, "dataset", name)
            table.insert(1, "seed", run)
            tables.append(table)
    return pd.concat(tables, ignore_index=True)


def posterior_costs(seed: int = 0) -> pd.DataFrame:
    """Return seconds and memory of bounds on BibTeX, on Delicious and at planted EURLex size.

    BibTeX is played in full, Delicious for 1,500 rounds; of the planted set each arm is taught 20
    rows, all at once, and a block is scored. Each in a process of its own.

    Parameters
    ----------
    seed : int, default=0
        Of the run.

    Returns
    -------
    DataFrame
        ``dataset``, ``policy``, ``seed`` and the columns of `isolated`.
    """
    tables = []
    for dataset, n_rounds in (("bibtex", None), ("delicious", 1500), ("eurlex-like", None)):
        for name, parameters in _PRICED.items():
            contender = partial(play, n_rounds=n_rounds, **parameters)
            if dataset == "eurlex-like":
                if name not in _OF_EURLEX_SIZE:
                    continue
                contender = partial(fit_every_arm, policy=parameters["policy"])
            table = isolated(dataset, contender, [seed])
            table.insert(0, "dataset", dataset)
            table.insert(1, "policy", name)
            tables.append(table)
    return pd.concat(tables, ignore_index=True)
