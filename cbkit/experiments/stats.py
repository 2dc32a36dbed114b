"""Intervals and paired comparisons over replicates."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats as distributions

from cbkit._base.intervals import (
    CONFIDENCE,
    INTERVAL,
    Interval,
    intervals,
    keys_of,
    mean_interval,
)
from cbkit.simulate import RunLog

__all__ = [
    "CONFIDENCE",
    "INTERVAL",
    "Interval",
    "as_finals",
    "holm",
    "intervals",
    "keys_of",
    "mean_interval",
    "order_of_rows",
    "paired_difference",
    "paired_differences",
]

MOST_SIGNS = 13  # of a test of signed ranks that enumerates them all


def _runs_by_seed(runs: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return one row per replicate; two rows with one seed would pair with anything."""
    if runs.empty:
        raise ValueError(f"there are no runs of {name}")
    twice = runs["seed"][runs["seed"].duplicated()].tolist()
    if twice:
        raise ValueError(
            f"{name} has more than one run with seed {twice[0]}; "
            "select one dataset, variant and policy before comparing"
        )
    return runs.set_index("seed").sort_index()


def paired_difference(
    first: pd.DataFrame | Sequence[RunLog] | RunLog,
    second: pd.DataFrame | Sequence[RunLog] | RunLog,
    value: str = "mean_reward",
    names: tuple[str, str] = ("the first", "the second"),
) -> dict[str, float]:
    """Compare first and second over replicates, refused unless they are the same replicates.

    Parameters
    ----------
    first, second : DataFrame, Results, RunLog, or sequence of RunLog
        Logs of `simulate`, or one row per run, with the columns ``seed``, ``checksum``,
        ``n_rounds`` and `value`; where both have ``row_order``, that must agree as well.
    value : str, default="mean_reward"
    names : tuple of str
        What to call the two in errors.

    Returns
    -------
    dict
        ``difference``, ``low`` and ``high`` (95% t interval of the differences), ``n``,
        ``p_t`` (paired t test) and ``p_wilcoxon`` (signed ranks), both two-sided, NaN for n = 1.

    Examples
    --------
    >>> ucb = pd.DataFrame({"seed": [0, 1], "checksum": "c", "n_rounds": 9})
    >>> ucb["mean_reward"] = [0.3, 0.5]
    >>> round(paired_difference(ucb, ucb.assign(mean_reward=[0.2, 0.3]))["difference"], 3)
    0.15
    """
    first, second = as_finals(first), as_finals(second)
    first, second = _runs_by_seed(first, names[0]), _runs_by_seed(second, names[1])
    pair = f"{names[0]} and {names[1]} are not paired"
    if not first.index.equals(second.index):
        raise ValueError(
            f"{pair}: their seeds differ, {first.index.tolist()} and {second.index.tolist()}; "
            "run both on the same replicates or select the seeds they share"
        )
    for column in ("checksum", "n_rounds", "row_order"):
        if column == "row_order" and column not in {*first.columns} & {*second.columns}:
            continue
        differ = (first[column] != second[column]).to_numpy()
        if differ.any():
            seed = first.index[differ][0]
            raise ValueError(
                f"{pair}: their {column} differs at seed {seed}, {first[column][seed]} and "
                f"{second[column][seed]}; compare runs over the same rows in the same order"
            )
    differences = (first[value] - second[value]).to_numpy(dtype=float)
    difference, low, high, n = mean_interval(differences)
    p_t, p_wilcoxon = _paired_tests(differences)
    return {
        "difference": difference,
        "low": low,
        "high": high,
        "n": n,
        "p_t": p_t,
        "p_wilcoxon": p_wilcoxon,
    }


def _paired_tests(differences: np.ndarray) -> tuple[float, float]:
    """Compute two-sided p values of the paired t test and of Wilcoxon's signed ranks."""
    n = len(differences)
    if n == 1:
        return np.nan, np.nan
    if not differences.any():
        return 1.0, 1.0
    error = differences.std(ddof=1) / np.sqrt(n)
    t = abs(differences.mean()) / error if error > 0 else np.inf
    return float(2 * distributions.t.sf(t, n - 1)), _wilcoxon(differences)


def _wilcoxon(differences: np.ndarray) -> float:
    """Compute the p value of the signed ranks, exactly for few of them, with ties or without.

    With ties scipy goes through the permutations one by one, which takes a second.
    """
    changed = differences[differences != 0]
    n = len(changed)
    if n > MOST_SIGNS:
        return float(distributions.wilcoxon(differences).pvalue)
    ranks = distributions.rankdata(np.abs(changed))
    sums = ((np.arange(2**n)[:, np.newaxis] >> np.arange(n)) & 1) @ ranks
    found = ranks[changed > 0].sum()
    return float(min(1.0, 2 * min((sums <= found).mean(), (sums >= found).mean())))


def holm(p_values: np.ndarray) -> np.ndarray:
    """Compute Holm's step-down correction for many comparisons; NaN stays NaN and does not count.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    p_values = np.asarray(p_values, dtype=float)
    tested = np.flatnonzero(~np.isnan(p_values))
    order = tested[np.argsort(p_values[tested], kind="stable")]
    steps = p_values[order] * (len(order) - np.arange(len(order)))
    corrected = np.full(len(p_values), np.nan)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected


def as_finals(runs: Any) -> pd.DataFrame:
    """Return final rewards, one row per run, of whatever holds them.

    Parameters
    ----------
    runs : DataFrame, Results, RunLog, or sequence of RunLog
        A table is returned as it is.

    Returns
    -------
    DataFrame

    Raises
    ------
    ValueError
        For anything else; says what it takes.
    """
    if isinstance(runs, pd.DataFrame):
        return runs
    if isinstance(getattr(runs, "finals", None), pd.DataFrame):
        return runs.finals
    logs = [runs] if isinstance(runs, RunLog) else runs
    if isinstance(logs, Sequence) and logs and all(isinstance(log, RunLog) for log in logs):
        orders = [{"row_order": order_of_rows(log)} for log in logs]
        return pd.DataFrame([log.facts | order for log, order in zip(logs, orders, strict=True)])
    raise ValueError(
        "runs must be a table with one row per run, the Results of an experiment, or a list of "
        f"RunLogs, got {runs!r:.200}"
    )


def order_of_rows(log: RunLog) -> str:
    """Return a hash of the rows in the order they were played, equal for paired runs."""
    return hashlib.sha256(log.rounds["row"].to_numpy(dtype="<i8").tobytes()).hexdigest()[:16]


def paired_differences(
    runs: pd.DataFrame | Sequence[RunLog],
    reference: str,
    by: str = "policy",
    value: str = "mean_reward",
) -> pd.DataFrame:
    """Compare everything with one reference, on the same replicates of each dataset.

    Parameters
    ----------
    runs : DataFrame, Results, or sequence of RunLog
        Results of an experiment, logs of `simulate`, or one row per run: ``dataset``, ``policy``,
        ``seed``, ``checksum``, ``n_rounds``, `value`, and ``variant`` where there are several.
    reference : str
        What the others are compared with, such as ``"Greedy"``.
    by : str, default="policy"
        The column that holds the reference; ``"variant"`` compares, say, mini-batch updates with
        full refits of the same policy.
    value : str, default="mean_reward"

    Returns
    -------
    DataFrame
        Per comparison the columns of `paired_difference`, and ``p_holm``: the t test's p value
        corrected for all comparisons of the table.

    Raises
    ------
    ValueError
        If nothing is named as `reference`, or runs are not paired.

    Examples
    --------
    >>> from cbkit import load_dataset, make_policy, simulate
    >>> demo = load_dataset("demo")
    >>> logs = [
    ...     simulate(make_policy(name, demo), demo, seed=seed, n_rounds=100)
    ...     for name in ("RandomArm", "BestArmInHindsight")
    ...     for seed in (0, 1)
    ... ]
    >>> paired_differences(logs, "RandomArm")[["policy", "reference", "n"]]
                   policy  reference  n
    0  BestArmInHindsight  RandomArm  2
    """
    finals = as_finals(runs)
    if not isinstance(reference, str):
        raise ValueError(
            f"reference must be the name of a {by}, got a {type(reference).__name__}; put all "
            "runs into one list, as in paired_differences([*logs, *other_logs], 'Greedy')"
        )
    if by not in finals.columns:
        raise ValueError(f"by must be a column of the runs, got {by!r}; they have {[*finals]}")
    if reference not in set(finals[by]):
        raise ValueError(f"no {by} is named {reference!r}; choose from {sorted(set(finals[by]))}")
    within = [key for key in keys_of(finals) if key != by]
    rows = []
    for group, runs in finals.groupby(within, sort=False):
        where = " on " + ", ".join(map(str, group))
        base = runs[runs[by] == reference]
        for name, others in runs[runs[by] != reference].groupby(by, sort=False):
            names = (f"{name}{where}", f"{reference}{where}")
            compared = paired_difference(others, base, value, names)
            keys = dict(zip(within, group, strict=True)) | {by: name, "reference": reference}
            rows.append(keys | compared)
    keys = dict.fromkeys([*keys_of(finals), by])
    columns = [*keys, "reference", "difference", "low", "high", "n", "p_t", "p_wilcoxon"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(p_holm=holm(table["p_t"]))
