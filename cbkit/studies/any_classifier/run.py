"""All runs of the study, as tables."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import pandas as pd

from cbkit.datasets import load_dataset
from cbkit.experiments.run import run_experiment
from cbkit.experiments.stats import intervals, paired_differences
from cbkit.studies.any_classifier.calibration import calibration
from cbkit.studies.any_classifier.contenders import ORACLES, any_classifier_experiment
from cbkit.studies.any_classifier.few_labels import few_labels
from cbkit.studies.oracles.experiment import finals_with_seconds

PLAIN = ORACLES[0]
COLUMNS = ["dataset", "rule", "oracle", "seed", "checksum", "n_rounds", "mean_reward", "seconds"]
COLUMNS += ["cold_start_share", "explored_share", "n_refits", "n_fitted_arms"]


def played(
    datasets: Sequence[str],
    *,
    folder: str,
    n_replicates: int,
    n_rounds: int,
    seed: int,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Play every oracle under every policy, and the best fixed arm, on data sets.

    Parameters
    ----------
    datasets : sequence of str
        Names for `load_dataset`.
    folder, n_replicates, n_rounds, seed
        As for `any_classifier_experiment`.
    n_jobs : int, optional
        As for `run_experiment`.

    Returns
    -------
    DataFrame
        One row per run: ``dataset``, ``rule`` (the policy), ``oracle``, ``seed``, ``checksum``,
        ``n_rounds``, ``mean_reward``, CPU ``seconds``, shares of rounds that the cold start scored
        and that were explored, ``n_refits`` and ``n_fitted_arms``.
    """
    sizes = {"n_replicates": n_replicates, "n_rounds": n_rounds, "seed": seed}
    tables = []
    for name in datasets:
        experiment = any_classifier_experiment(name, folder=folder, **sizes)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*too few for")
            tables.append(finals_with_seconds(run_experiment(experiment, n_jobs=n_jobs)))
    return pd.concat(tables, ignore_index=True)[COLUMNS]


def score_tables(
    datasets: Sequence[str], *, n_replicates: int, n_rounds: int, seed: int
) -> dict[str, pd.DataFrame]:
    """Return ``losses``, ``bins`` and ``few_labels`` of data sets, see the functions of these.

    Parameters
    ----------
    datasets : sequence of str
        Names for `load_dataset`.
    n_replicates, n_rounds, seed : int
        Logs that oracles are taught, their rounds at most, and the first one's seed.
    """
    losses, bins, few = [], [], []
    for name in datasets:
        dataset = load_dataset(name)
        for replicate in range(n_replicates):
            n = min(n_rounds, dataset.n_rows)
            both = calibration(dataset, seed=seed + replicate, n_rounds=n)
            losses.append(both[0])
            bins.append(both[1])
        few.append(few_labels(dataset, seed=seed))
    return {"losses": pd.concat(losses), "bins": pd.concat(bins), "few_labels": pd.concat(few)}


def reward_table(finals: pd.DataFrame) -> pd.DataFrame:
    """Return each oracle's reward with its 95% t interval, and median CPU seconds.

    Returns
    -------
    DataFrame
        Indexed by data set, policy and oracle: ``mean``, ``low``, ``high``, ``n``, ``seconds``.
    """
    by = ["dataset", "rule", "oracle"]
    seconds = finals.groupby(by)["seconds"].median()
    return intervals(finals, by).set_index(by).join(seconds)


def against_logistic(finals: pd.DataFrame) -> pd.DataFrame:
    """Compare each oracle with logistic regression, on the same rows and under the same policy.

    Returns
    -------
    DataFrame
        Per data set, policy and oracle the columns of `paired_differences`, and ``cost``, median
        CPU seconds as a multiple of logistic regression's.
    """
    runs = finals[finals["oracle"] != "none"].assign(policy=finals["rule"])
    compared = paired_differences(runs, PLAIN, by="oracle")
    seconds = runs.groupby(["dataset", "policy", "oracle"])["seconds"].median()
    plain = seconds.xs(PLAIN, level="oracle")
    cost = (seconds / plain).rename("cost")
    return compared.join(cost, on=["dataset", "policy", "oracle"])
