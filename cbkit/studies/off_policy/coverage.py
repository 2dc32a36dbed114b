"""Many logs per cell of data set, logging policy, target and size: what estimators make of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from cbkit.datasets import load_dataset
from cbkit.off_policy import (
    IPS,
    SNIPS,
    BernsteinInterval,
    BootstrapInterval,
    ClippedIPS,
    DirectMethod,
    DoublyRobust,
    Evidence,
    NormalInterval,
    Replay,
    RidgeRewards,
    SelfNormalizedDR,
    ShrunkDR,
    SwitchDR,
    cross_fitted,
    diagnose,
)
from cbkit.off_policy.estimators import Estimator
from cbkit.off_policy.intervals import group_sums
from cbkit.studies.off_policy.populations import LOGS, Population, make_population

DATASETS = ("yeast", "bibtex", "tmc2007", "delicious")
SIZES = (500, 2000, 0)  # 0 is as many rounds as the population has rows
CELL = ["dataset", "log", "size", "target"]
SPLIT_SEED = 20


def estimators(rng: np.random.Generator) -> dict[str, Estimator]:
    """Return every estimator under the name of its class."""
    every: list[Estimator] = [Replay(rng=rng), IPS(), ClippedIPS(), SNIPS(), DirectMethod()]
    every += [DoublyRobust(), SelfNormalizedDR(), SwitchDR(), ShrunkDR()]
    return {type(estimator).__name__: estimator for estimator in every}


def run_cells(
    population: Population, log: str, size: int, *, n_logs: int, n_resamples: int = 300
) -> pd.DataFrame:
    """Draw logs of one logging policy and size, and evaluate every target by every estimator.

    Parameters
    ----------
    population : Population
        What logs are drawn from.
    log : str
        Name of the logging policy.
    size : int
        Rounds per log; 0 is as many as the population has rows.
    n_logs : int
        Number of logs.
    n_resamples : int, default=300
        Of the bootstrap interval.

    Returns
    -------
    DataFrame
        One row per log, target and estimator: the estimate, the bounds of three intervals
        (``normal_low``, ...), the diagnostics, and the truth.
    """
    truths = {name: population.value(p) for name, p in population.targets.items()}
    largest = {name: _largest_weight(population, log, name) for name in population.targets}
    n_rounds = size or population.n_rows
    entropy = [SPLIT_SEED, LOGS.index(log), size]
    streams = np.random.SeedSequence(entropy).spawn(n_logs)
    # Single precision for what has a number per round and arm: 7 digits are more than enough.
    wanted = {name: p.astype(np.float32) for name, p in population.targets.items()}
    rows: list[dict[str, object]] = []
    for number, stream in enumerate(streams):
        rng = np.random.default_rng(stream)
        drawn, at = population.draw(log, n_rounds, rng)
        q = cross_fitted(drawn, RidgeRewards(), rng, n_folds=2)(np.arange(n_rounds))
        q = q.astype(np.float32)
        predicted = q[np.arange(n_rounds), drawn.arms].astype(float)
        bootstrap = BootstrapInterval(rng=rng, n_resamples=n_resamples)
        sums = []
        for target, probabilities in population.targets.items():
            evidence = Evidence(
                rewards=drawn.rewards.astype(float),
                weights=probabilities[at, drawn.arms] / drawn.propensities,
                predicted=predicted,
                expected=np.einsum("na,na->n", wanted[target][at], q).astype(float),
            )
            for name, estimator in estimators(rng).items():
                sums.append(group_sums(estimator.parts(evidence), evidence))
                row = {"target": target, "truth": truths[target], "estimator": name}
                bounds = _bounds(estimator, evidence, largest[target])
                rows.append(row | {"number": number} | bounds | vars(diagnose(estimator, evidence)))
        # All estimators see the same resamples, in one product.
        counts = bootstrap.draw_counts(n_rounds).astype(np.float32)
        resampled = np.split(counts @ np.hstack(sums, dtype=np.float32), len(sums), axis=1)
        for row, of_row in zip(rows[-len(sums) :], resampled, strict=True):
            row["bootstrap_low"], row["bootstrap_high"] = bootstrap.of_resamples(of_row)
    table = pd.DataFrame(rows)
    return table.assign(dataset=population.name, log=log, size=size)


def _bounds(estimator: Estimator, evidence: Evidence, largest: float) -> dict[str, float]:
    normal = NormalInterval().bounds(estimator, evidence)
    bernstein = (np.nan, np.nan)
    if estimator.spread is not None:
        bernstein = BernsteinInterval(largest_weight=largest).bounds(estimator, evidence)
    names = ("normal_low", "normal_high", "bernstein_low", "bernstein_high")
    estimate = estimator.parts(evidence).value
    return {"estimate": estimate} | dict(zip(names, (*normal, *bernstein), strict=True))


def _largest_weight(population: Population, log: str, target: str) -> float:
    logged, wanted = population.logging[log], population.targets[target]
    return float(np.divide(wanted, logged, out=np.zeros_like(wanted), where=logged > 0).max())


def run_all(folder: Path, *, datasets: tuple[str, ...] = DATASETS, n_logs: int = 200) -> list[Path]:
    """Run every cell, one file per data set, logging policy and size; files that exist are kept.

    Parameters
    ----------
    folder : Path
        Where the files go.
    datasets : tuple of str
        Names for `load_dataset`.
    n_logs : int, default=200
        Logs per cell.

    Returns
    -------
    list of Path
        All files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name in datasets:
        population = None
        for size in SIZES:
            for log in LOGS:
                file = folder / f"{name}_{log.replace(' ', '-')}_{size}_{n_logs}.parquet"
                files.append(file)
                if file.exists():
                    continue
                population = population or make_population(load_dataset(name), seed=SPLIT_SEED)
                if size >= population.n_rows:
                    files.pop()
                    continue
                table = run_cells(population, log, size, n_logs=n_logs)
                partial = file.with_suffix(".part")
                table.to_parquet(partial, index=False, compression="zstd")
                partial.replace(file)
    return files
