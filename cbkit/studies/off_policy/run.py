"""All tables of the study at full size."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from cbkit.datasets import load_dataset
from cbkit.studies.off_policy.approximations import run_approximations
from cbkit.studies.off_policy.clicks import clicks_table, rows_needed
from cbkit.studies.off_policy.coverage import SPLIT_SEED, run_all
from cbkit.studies.off_policy.learning import reduced, run_learning
from cbkit.studies.off_policy.populations import make_population
from cbkit.studies.off_policy.tables import cell_table, judge_diagnostics, rank_estimators

# Data set, rounds that the frozen MAB-first policy has played.
APPROXIMATED = (("yeast", 100), ("bibtex", 500))
# Data set, rounds to learn from, seeds.
LEARNED = (("yeast", 500, 10), ("tmc2007", 1000, 10), ("bibtex", 1000, 10), ("delicious", 500, 5))
N_AFTER = 500


def approximations(n_logs: int = 200) -> pd.DataFrame:
    """Return what approximate propensities do, over logs of 1,000 rounds."""
    return pd.concat(
        run_approximations(
            make_population(load_dataset(name), seed=SPLIT_SEED, n_played=n_played),
            n_rounds=1000,
            n_logs=n_logs,
        )
        for name, n_played in APPROXIMATED
    )


def learned() -> pd.DataFrame:
    """Return what was learned from logs and online, over seeds."""
    return pd.concat(
        run_learning(reduced(load_dataset(name)), n_rounds=n_rounds, n_after=N_AFTER, seed=seed)
        for name, n_rounds, n_seeds in LEARNED
        for seed in range(n_seeds)
    )


def load_runs(files: list[Path]) -> pd.DataFrame:
    """Read the logs of all cells as one table."""
    return pd.concat([pd.read_parquet(file) for file in files], ignore_index=True)


def full_tables(folder: Path) -> dict[str, pd.DataFrame]:
    """Return all tables of the study at full size, running whatever `folder` does not hold yet.

    Parameters
    ----------
    folder : Path
        For the logs of each cell, one file each.
    """
    cells = cell_table(load_runs(run_all(folder)))
    clicks = clicks_table()
    return {
        "cells": cells,
        "diagnostics": judge_diagnostics(cells),
        "ranks": rank_estimators(cells),
        "approximations": approximations(),
        "clicks": clicks,
        "rows_needed": rows_needed(clicks),
        "learning": learned(),
    }
