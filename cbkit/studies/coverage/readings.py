"""Readings of the paper's logistic tables, whose text leaves several things open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from cbkit.studies.coverage.models import MODELS, TARGETS, CoverageModel
from cbkit.studies.coverage.study import run_study
from cbkit.studies.coverage.tables import against_paper, agreement, summarise

READING = ["table", "N(0, 0.5)", "formula", "intercept", "ridge", "target"]
SPREADS_OF_HALF = {"variance": 0.5, "standard deviation": 0.25}


def logistic_readings() -> list[tuple[dict[str, object], CoverageModel]]:
    """Return the models that the text of the two logistic tables may stand for.

    ``N(0, 0.5)`` may give a variance or a standard deviation (of the noise, and of the independent
    features). The formula may stand for log-odds of -2 + 1.05 x1 ..., as the table's title says
    ("small negative bias"), or be taken literally, with the exponent's sign turned. Two more are
    not in the text: independent features of variance 1, as in the linear table, and an intercept of
    -0.5, which a search for a match turned up.

    Returns
    -------
    list of (dict, CoverageModel)
        How the text is read, and the model that comes of it.

    Examples
    --------
    >>> len(logistic_readings())
    16
    """
    readings = []
    signs = {"log-odds": False, "literal": True}
    for (spread, variance), (formula, literal) in product(SPREADS_OF_HALF.items(), signs.items()):
        model = replace(
            MODELS["logistic_correlated"], noise_variance=variance, literal_sign=literal
        )
        how = {"N(0, 0.5)": spread, "formula": formula, "intercept": -2.0}
        readings.append((how, model))
    spreads = {name: (variance, variance) for name, variance in SPREADS_OF_HALF.items()}
    spreads["features of variance 1"] = (1.0, 0.5)
    for (spread, (features, noise)), (formula, literal), intercept in product(
        spreads.items(), signs.items(), (-2.0, -0.5)
    ):
        model = replace(
            MODELS["logistic_independent"],
            covariance=tuple(map(tuple, (features * np.eye(3)).tolist())),
            noise_variance=noise,
            literal_sign=literal,
            intercept=intercept,
        )
        how = {"N(0, 0.5)": spread, "formula": formula, "intercept": intercept}
        readings.append((how, model))
    return readings


def try_readings(
    *, ridges: Sequence[float] = (1e-3, 1.0), targets: Sequence[str] = TARGETS, **study: Any
) -> pd.DataFrame:
    """Run every reading and sum up how near it comes to the paper's logistic tables.

    Parameters
    ----------
    ridges : sequence of float
        Penalties: next to none, and 1, scikit-learn's default.
    targets : sequence of str
        What the bound on the probability is compared with, see `CoverageModel.target`.
    **study
        Passed on to `cbkit.studies.coverage.study.run_study`.

    Returns
    -------
    DataFrame
        Every reading's cells beside the paper's, with the columns `READING`.
    """
    parts = []
    for (how, model), ridge in product(logistic_readings(), ridges):
        cells = summarise(run_study([model], ridge=ridge, targets=targets, **study))
        parts.append(against_paper(cells).assign(**how))
    return pd.concat(parts, ignore_index=True)


def in_the_text(readings: pd.DataFrame) -> pd.Series:
    """Return which rows are readings of the text, not departures from it."""
    return (readings["intercept"] == -2) & readings["N(0, 0.5)"].isin(list(SPREADS_OF_HALF))


def shown_readings(compared: pd.DataFrame, weights: str = "bootstrap") -> pd.DataFrame:
    """Return the readings worth a line in a figure, labelled.

    Parameters
    ----------
    compared : DataFrame
        What `try_readings` returns.
    weights : str, default="bootstrap"
        The weights whose cells to keep.

    Returns
    -------
    DataFrame
        For each table the cells of three readings with a column ``label``: the expected target
        (variance, log-odds, hardly any penalty), the nearest reading of the text, and the nearest
        of all.
    """
    ranked = rank_readings(compared)
    main = in_the_text(ranked) & (ranked["target"] == "expected") & (ranked["ridge"] < 1)
    main &= (ranked["N(0, 0.5)"] == "variance") & (ranked["formula"] == "log-odds")
    groups = {
        "expected target": ranked[main],
        "nearest in the text": ranked[in_the_text(ranked)].groupby("table").head(1),
        "nearest of all": ranked.groupby("table").head(1),
    }
    cells = compared[compared["weights"] == weights]
    return pd.concat(
        [cells.merge(rows[READING], on=READING).assign(label=name) for name, rows in groups.items()]
    )


def rank_readings(compared: pd.DataFrame) -> pd.DataFrame:
    """Return readings ordered by how near they come to the paper, nearest first in each table.

    The order is by ``rms_standard_errors`` times ``std_factor``: a reading has to match both the
    mean and the standard deviation over samples.
    """
    table = agreement(compared, READING)
    score = table["rms_standard_errors"] * table["std_factor"]
    order = table.assign(score=score).sort_values(["table", "score"], kind="stable")
    return order.drop(columns="score").reset_index(drop=True)
