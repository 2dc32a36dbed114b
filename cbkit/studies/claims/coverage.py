"""The paper's claims on bootstrapped bounds (appendix A), simulated there as here.

The paper's own tables stand beside ours, as one more setting.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from cbkit.experiments.stats import CONFIDENCE, Interval, mean_interval
from cbkit.studies.claims.comparisons import comparison
from cbkit.studies.claims.evaluation import Rows
from cbkit.studies.claims.verdicts import Claim
from cbkit.studies.coverage.tables import MARGIN_PCT, PAPER_SAMPLES, paper_tables
from cbkit.studies.evaluation.experiment import PAPERS

IN_PAPER = "the paper's own table"
NOMINAL_PCT = 80.0
_CLAIMED = {"gamma_1_1": "near", "poisson": "near", "uniform": "below"}
_PAPERS_MODELS = ("linear", "logistic_independent", "logistic_correlated")
_SOUND = ("bootstrap", "poisson", "gamma_1_1")
_SIZES = {"below 100": (0, 99), "100 and more": (100, np.inf)}


def _row(interval: Interval, claimed: str, model: str, **rest: Any) -> dict[str, Any]:
    """Return a comparison of coverages, equivalent within 2 points."""
    labels: dict[str, Any] = {"dataset": f"{model} (simulated)", "small": MARGIN_PCT}
    return comparison(interval, claimed, **(labels | rest))


def _mean_gap(first: pd.DataFrame, second: pd.DataFrame | float) -> tuple[Interval, float]:
    """Return the difference of mean coverages over the same sample sizes, and the second's mean.

    Standard errors of the cells add up, as if they were not of the same draws: no narrower than
    the truth.
    """
    mean, squares = first["mean_pct"].mean(), (first["std_pct"] ** 2 / first["n_samples"]).sum()
    base = second
    if isinstance(second, pd.DataFrame):
        base = second["mean_pct"].mean()
        squares += (second["std_pct"] ** 2 / second["n_samples"]).sum()
    n = int(first["n_samples"].sum())
    half = stats.t.ppf((1 + CONFIDENCE) / 2, n - 1) * np.sqrt(squares) / len(first)
    return Interval(mean - base, mean - base - half, mean - base + half, n), float(base)


def _cells(cells: pd.DataFrame, model: str, weights: str, sizes: str = "") -> pd.DataFrame:
    low, high = _SIZES.get(sizes, (0, np.inf))
    chosen = (cells["table"] == model) & (cells["weights"] == weights)
    return cells[chosen & cells["sample_size"].between(low, high)].sort_values("sample_size")


def _in_paper() -> pd.DataFrame:
    return paper_tables().assign(n_samples=PAPER_SAMPLES)


def _gamma_covers(summary: pd.DataFrame) -> Rows:
    rows = []
    ours = summary[summary["table"].isin(_PAPERS_MODELS) & summary["sample_sizes"].isin(_SIZES)]
    for row in ours[ours["weights"].isin(_CLAIMED)].to_dict("records"):
        found = Interval(row["difference_pct"], row["low_pct"], row["high_pct"], row["n_pairs"])
        names = {"question": f"minus bootstrap, samples {row['sample_sizes']}"}
        names |= {"who": row["weights"], "first": row["weights"], "second": row["baseline"]}
        reference = row["baseline_mean_pct"]
        claimed = _CLAIMED[row["weights"]]
        rows.append(_row(found, claimed, row["table"], reference=reference, **names))
    papers = _in_paper()
    for model in _PAPERS_MODELS:
        for weights, claimed in _CLAIMED.items():
            for sizes in _SIZES:
                pair = (_cells(papers, model, name, sizes) for name in (weights, "bootstrap"))
                found, reference = _mean_gap(*pair)
                names = {"who": weights, "first": weights, "second": "bootstrap"}
                names |= {"question": f"minus bootstrap, samples {sizes}", "setting": IN_PAPER}
                rows.append(_row(found, claimed, model, reference=reference, **names))
    return rows


def _gamma_is_stable(cells: pd.DataFrame) -> Rows:
    rows = []
    names = {"who": "gamma_1_1", "first": "gamma_1_1", "second": "poisson"}
    names |= {"question": "spread of coverage, minus Poisson's, samples below 100"}
    for setting, table in {PAPERS: cells, IN_PAPER: _in_paper()}.items():
        for model in _PAPERS_MODELS:
            gamma, poisson = (
                _cells(table, model, name, "below 100").set_index("sample_size")["std_pct"]
                for name in ("gamma_1_1", "poisson")
            )
            found = mean_interval(np.log(gamma / poisson))
            labels = names | {"setting": setting, "reference": 1.0, "small": 0.05}
            rows.append(_row(found, "below", model, **labels))
    return rows


def _small_intercepts_overestimate(cells: pd.DataFrame) -> Rows:
    rows = []
    for weights in _SOUND:
        small, large = (_cells(cells, name, weights) for name in ("linear_small_bias", "linear"))
        for other, second, question in (
            (large, "large intercept", "small minus large intercept"),
            (NOMINAL_PCT, "80%", "small intercept, minus 80%"),
        ):
            found, reference = _mean_gap(small, other)
            names: dict[str, Any] = {"question": question, "who": weights}
            names |= {"first": "small intercept", "second": second}
            names |= {"reference": reference, "margin": MARGIN_PCT}
            rows.append(_row(found, "above", "linear", **names))
    return rows


def _correlation_matters(cells: pd.DataFrame) -> Rows:
    rows = []
    for weights in _SOUND:
        for first, second, claimed in (
            ("logistic_correlated", "logistic_independent", "below"),
            ("linear_correlated", "linear", "near"),
        ):
            found, reference = _mean_gap(
                *(_cells(cells, name, weights) for name in (first, second))
            )
            model = second.partition("_")[0]
            names: dict[str, Any] = {"question": f"{model}: correlated minus independent"}
            names |= {"who": weights}
            names |= {"first": first, "second": second, "reference": reference}
            margin = MARGIN_PCT if claimed == "below" else 0.0
            rows.append(_row(found, claimed, model, margin=margin, **names))
    return rows


_A = "online_bootstrap_coverage"

COVERAGE_CLAIMS = (
    Claim(
        number=10,
        text="Gamma(1,1) weights give the coverage of the real bootstrap and Poisson(1); "
        "Uniform(0,1) underestimates.",
        test="Mean coverage against the multinomial bootstrap's, in points, for samples below 100 "
        "and of 100 and more: Gamma(1,1) and Poisson(1) within 2 points of it, Uniform(0,1) below.",
        needs=f"{_A}/summary",
        compare=_gamma_covers,
    ),
    Claim(
        number=15,
        text="Gamma(1,1) weights are more stable at small samples than Poisson(1).",
        test="Log ratio of the standard deviations of coverage over samples, by sample sizes below "
        "100, which are the replicates; below 0.",
        needs=f"{_A}/cells",
        compare=_gamma_is_stable,
    ),
    Claim(
        number=17,
        text="With a small intercept, the upper bounds of linear regression are severely "
        "overestimated.",
        test="Mean coverage with an intercept of .5 against one of 8, and against 80%; above 2 "
        "points.",
        needs=f"{_A}/cells",
        compare=_small_intercepts_overestimate,
    ),
    Claim(
        number=18,
        text="Correlated features change coverage for logistic regression, downwards, and hardly "
        "for linear regression.",
        test="Mean coverage with correlated minus independent features: below -2 points for "
        "logistic regression, within 2 points for linear.",
        needs=f"{_A}/cells",
        compare=_correlation_matters,
    ),
)
