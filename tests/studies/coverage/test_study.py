"""The study of bound coverage: models, coverage counted by hand, and its limit."""

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats
from scipy.special import expit

from cbkit.studies.coverage.models import MODELS, CoverageModel
from cbkit.studies.coverage.readings import logistic_readings
from cbkit.studies.coverage.solvers import weighted_least_squares
from cbkit.studies.coverage.study import (
    SPREADS,
    WEIGHTS,
    expected_coverage,
    run_study,
    upper_bounds,
)

SMALL = {"sample_sizes": (20, 60), "n_samples": 6, "n_test": 50}


# --- coverage


def test_coverage_of_a_case_solved_by_hand():
    # Four resamples predict 0, 1, 2 and 3; the 50th percentile is 1.5, the 80th 2.4.
    coefficients = np.zeros((1, 4, 4))
    coefficients[0, 0] = 0, 1, 2, 3
    X_test = np.eye(4)[[0, 0, 0]]
    bounds = upper_bounds(X_test, coefficients, [50, 80], "linear")
    np.testing.assert_allclose(bounds[:, 0], [[1.5] * 3, [2.4] * 3])
    targets = np.array([1.0, 2.0, 2.5])
    assert [(targets < bound).sum() for bound in bounds[:, 0]] == [1, 2]


def test_bounds_on_probabilities_are_interpolated_between_probabilities():
    coefficients = np.zeros((1, 4, 2))
    coefficients[0, 0] = -2, 2
    bound = upper_bounds(np.eye(4)[:1], coefficients, [50], "logistic")
    np.testing.assert_allclose(bound, (expit(-2) + expit(2)) / 2)


def test_without_noise_a_bound_on_a_line_never_exceeds_the_truth_by_more_than_rounding():
    exact = CoverageModel(
        name="exact", family="linear", intercept=1, covariance=np.eye(3), noise_variance=0
    )
    X, y = exact.samples(3, 30, np.random.default_rng(0))
    coefficients = weighted_least_squares(X, y, np.ones((3, 30, 2)))
    np.testing.assert_allclose(coefficients[0, :, 0], [1, 1.05, -2.35, 0.15], atol=1e-10)


def test_expected_coverage_equals_the_double_integral_over_two_order_statistics():
    # The 80th percentile of 10 draws has rank 0.8 * 9 = 7.2: 0.8 X(8) + 0.2 X(9), in normal draws
    # X(1) <= ... <= X(10); u < v are their quantiles, with density 10! / 7! u^7 (1 - v).
    def integrand(v, u):
        q = 0.8 * stats.norm.ppf(u) + 0.2 * stats.norm.ppf(v)
        return stats.norm.cdf(q) * 720 * u**7 * (1 - v)

    exact = integrate.dblquad(integrand, 0, 1, lambda u: u, 1, epsabs=1e-7)[0]
    assert expected_coverage(1.0, 10) == pytest.approx(exact, abs=1e-5)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("n_resamples", "percentile"), [(1, 80), (2, 50), (10, 80), (11, 80), (30, 95), (5, 100)]
)
def test_expected_coverage_equals_a_simulation(n_resamples, percentile):
    draws = np.random.default_rng(0).standard_normal((n_resamples, 40_000))
    covered = stats.norm.cdf(0.7 * np.percentile(draws, percentile, axis=0))
    error = covered.std() / np.sqrt(len(covered))
    assert abs(expected_coverage(0.7, n_resamples, percentile) - covered.mean()) < 4 * error


@pytest.mark.statistical
@pytest.mark.parametrize("name", WEIGHTS)
def test_linear_coverage_of_large_samples_is_the_expected_one(name):
    study = run_study(
        [MODELS["linear"]], sample_sizes=(300,), weights=(name,), n_samples=200, n_test=100
    )
    error = study["coverage_pct"].std() / np.sqrt(200)
    expected = 100 * expected_coverage(SPREADS[name], 10)
    assert abs(study["coverage_pct"].mean() - expected) < 4 * error


def test_linear_coverage_does_not_depend_on_intercept_or_correlation():
    models = [MODELS[f"linear{which}"] for which in ("", "_small_bias", "_correlated")]
    study = run_study(models, **SMALL)
    wide = study.pivot(index=["sample_size", "weights", "sample"], columns="table")["coverage_pct"]
    assert (wide["linear"] == wide["linear_small_bias"]).all()
    assert (wide["linear"] == wide["linear_correlated"]).all()


def test_the_expected_target_averages_over_the_noise():
    model = MODELS["logistic_independent"]
    X = model.features((5,), np.random.default_rng(0))
    ours = model.target("expected", X, np.random.default_rng(0))
    z = np.linspace(-8, 8, 4001)  # a sum over a fine grid is exact for so smooth a function
    noisy = expit(model.predictor(X)[:, None] + np.sqrt(0.5) * z)
    np.testing.assert_allclose(ours, noisy @ stats.norm.pdf(z) * (z[1] - z[0]), atol=1e-8)


def test_the_literal_sign_swaps_the_labels():
    literal = next(model for how, model in logistic_readings() if how["formula"] == "literal")
    X = literal.features((50,), np.random.default_rng(0))
    rng = np.random.default_rng(0)
    swapped = 1 - expit(literal.predictor(X))
    np.testing.assert_allclose(literal.target("noise-free", X, rng), swapped)
    np.testing.assert_allclose(literal.target("complement", X, rng), 1 - swapped)


# --- the study


def test_the_same_seed_gives_the_same_study_and_another_seed_another():
    models = [MODELS["logistic_correlated"], MODELS["linear"]]
    first = run_study(models, **SMALL)
    pd.testing.assert_frame_equal(first, run_study(models, **SMALL))
    other = run_study(models, **SMALL, seed=1)
    assert not np.array_equal(first["coverage_pct"], other["coverage_pct"])


def test_a_cell_does_not_depend_on_what_else_is_run():
    model = [MODELS["logistic_independent"]]
    everything = run_study(model, **SMALL)
    alone = run_study(model, sample_sizes=(60,), weights=("uniform",), n_samples=6, n_test=50)
    chosen = everything[(everything["sample_size"] == 60) & (everything["weights"] == "uniform")]
    pd.testing.assert_frame_equal(chosen.reset_index(drop=True), alone)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": ("gamma",)}, "unknown weights 'gamma'"),
        ({"percentiles": (0.8,)}, "write 80"),
        ({"percentiles": (101,)}, r"\[0, 100\], got 101"),
        ({"n_samples": 0}, "n_samples must be at least 1, got 0"),
        ({"n_resamples": (0,)}, "n_resamples must be at least 1, got 0"),
        ({"targets": ("truth",)}, "unknown target 'truth'"),
        ({"targets": ("complement",)}, "write 'expected' for linear"),
    ],
)
def test_a_study_refuses_what_makes_no_sense(change, message):
    with pytest.raises(ValueError, match=message):
        run_study([MODELS["linear"]], **(SMALL | change))


def test_models_refuse_what_makes_no_sense():
    fields = {"name": "m", "intercept": 0, "covariance": np.eye(3), "noise_variance": 1}
    with pytest.raises(ValueError, match='"linear" or "logistic", got \'probit\''):
        CoverageModel(family="probit", **fields)
    with pytest.raises(ValueError, match="must not be negative, got -1"):
        CoverageModel(family="linear", **(fields | {"noise_variance": -1}))
    with pytest.raises(ValueError, match="3 x 3"):
        CoverageModel(family="linear", **(fields | {"covariance": np.eye(2)}))
    with pytest.raises(ValueError, match="leave it out for linear"):
        CoverageModel(family="linear", literal_sign=True, **fields)
