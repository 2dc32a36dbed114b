"""Play the grid of constants on several data sets, and what its runs earned."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from cbkit.experiments.results import Results
from cbkit.studies.evaluation.experiment import run_all
from cbkit.studies.sensitivity.grid import CONSTANTS, POLICIES, sensitivity_experiments


def play(
    datasets: Sequence[str],
    *,
    large: Sequence[str] = (),
    folder: str,
    n_replicates: int = 10,
    n_rounds: int | None = None,
    policies: Sequence[str] = POLICIES,
    n_jobs: int | None = None,
) -> tuple[pd.DataFrame, float]:
    """Play every value of every constant.

    Parameters
    ----------
    datasets : sequence of str
        Names for `load_dataset`.
    large : sequence of str, optional
        Further sets, on which the first policy alone plays.
    folder, n_replicates, n_rounds, policies
        As for `sensitivity_experiments`.
    n_jobs : int, optional
        As for `run_experiment`.

    Returns
    -------
    DataFrame, float
        See `runs_of`, and the CPU seconds of all runs, each counted once.
    """
    parts, spent = [], 0.0
    for name in (*datasets, *large):
        players = policies if name in datasets else policies[:1]
        experiments = sensitivity_experiments(
            name,
            folder=folder,
            n_replicates=n_replicates,
            n_rounds=n_rounds,
            policies=players,
        )
        results = run_all(experiments, n_jobs=n_jobs)
        parts.append(runs_of(results))
        spent += results.cpu_seconds
    return pd.concat(parts, ignore_index=True), spent


def runs_of(results: Results) -> pd.DataFrame:
    """Return one row per run that went well: policy, constant, value, seed and mean reward.

    Raises
    ------
    ValueError
        If a run failed.
    """
    if len(results.failures):
        raise ValueError(f"{len(results.failures)} runs failed\n{results.summary()}")
    runs = results.finals.drop(columns="policy").rename(columns={"player": "policy"})
    keys = ["dataset", "policy", "constant", "value", "seed"]
    runs = runs[[*keys, "checksum", "row_order", "n_rounds", "mean_reward"]]
    order = {constant.name: at for at, constant in enumerate(CONSTANTS)}
    by = runs["constant"].map(order)
    return runs.iloc[by.argsort(kind="stable")].reset_index(drop=True)
