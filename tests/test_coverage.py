"""The study of bound coverage: solvers, models, coverage counted by hand, and its limit."""

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from cbkit.bootstrap import draw_weights
from cbkit.coverage import SPREADS, WEIGHTS, expected_coverage, run_study, upper_bounds
from cbkit.coverage_models import MODELS, CoverageModel
from cbkit.coverage_readings import logistic_readings
from cbkit.coverage_solvers import weighted_least_squares, weighted_logistic
from cbkit.coverage_tables import (
    against_paper,
    agreement,
    choice_table,
    compare_weights,
    paper_tables,
    summarise,
)

SMALL = {"sample_sizes": (20, 60), "n_samples": 6, "n_test": 50}


def problem(family="logistic_correlated", n_samples=4, size=60, n_resamples=3, kind="gamma(1,1)"):
    rng = np.random.default_rng(0)
    X, y = MODELS[family].samples(n_samples, size, rng)
    return X, y, np.moveaxis(draw_weights(kind, (size, n_samples, n_resamples), rng), 0, 1)


# --- weights


@pytest.mark.statistical
@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_have_the_stated_mean_and_spread(name):
    n = 200_000
    drawn = draw_weights(WEIGHTS[name], (n, 1), np.random.default_rng(0)).ravel()
    mean = 0.5 if name == "uniform" else 1.0
    std = mean * SPREADS[name]
    fourth_moment = ((drawn - mean) ** 4).mean()
    assert abs(drawn.mean() - mean) <= 4 * std / np.sqrt(n)
    assert abs(drawn.var() - std**2) <= 4 * np.sqrt((fourth_moment - std**4) / n)


def test_bootstrap_weights_sum_to_the_number_of_observations():
    drawn = draw_weights("multinomial", (12, 2, 3), np.random.default_rng(0))
    assert (drawn.sum(axis=0) == 12).all()


# --- solvers


@pytest.mark.parametrize("kind", WEIGHTS.values())
def test_weighted_least_squares_equals_lstsq_on_weighted_rows(kind):
    X, y, weights = problem("linear", kind=kind)
    ours = weighted_least_squares(X, y, weights)
    for s, r in np.ndindex(4, 3):
        root = np.sqrt(weights[s, :, r])
        theirs = np.linalg.lstsq(root[:, None] * X[s], root * y[s], rcond=None)[0]
        np.testing.assert_allclose(ours[s, :, r], theirs, atol=1e-10)


def test_least_squares_with_too_few_observations_gives_the_least_norm_solution():
    X, y, weights = problem("linear", size=10)
    weights[:, 2:] = 0
    ours = weighted_least_squares(X, y, weights)
    root = np.sqrt(weights[0, :, 0])
    theirs = np.linalg.lstsq(root[:, None] * X[0], root * y[0], rcond=None)[0]
    np.testing.assert_allclose(ours[0, :, 0], theirs, atol=1e-6)


def test_weighted_logistic_without_penalty_equals_scikit_learn():
    X, y, weights = problem(size=200)
    ours = weighted_logistic(X, y, weights, ridge=1e-9)
    for s, r in np.ndindex(4, 3):
        theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
        theirs.fit(X[s, :, 1:], y[s], sample_weight=weights[s, :, r])
        expected = np.r_[theirs.intercept_, theirs.coef_[0]]
        np.testing.assert_allclose(ours[s, :, r], expected, rtol=1e-3, atol=1e-3)


def test_weighted_logistic_with_a_penalty_equals_scikit_learn_penalising_every_column():
    X, y, weights = problem()
    ours = weighted_logistic(X, y, weights, ridge=2.0)
    theirs = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-10, max_iter=1000)
    theirs.fit(X[1], y[1], sample_weight=weights[1, :, 2])
    np.testing.assert_allclose(ours[1, :, 2], theirs.coef_[0], atol=1e-4)


@pytest.mark.parametrize("size", [4, 10, 25])
@pytest.mark.parametrize("kind", ["multinomial", "poisson", "gamma(1,1)"])
def test_the_gradient_is_zero_even_where_labels_separate_or_are_all_the_same(size, kind):
    X, y, weights = problem(n_samples=40, size=size, n_resamples=10, kind=kind)
    coefficients = weighted_logistic(X, y, weights)
    residuals = weights * (y[:, :, None] - expit(X @ coefficients))
    gradient = np.swapaxes(X, 1, 2) @ residuals - 1e-3 * coefficients
    assert np.abs(gradient).max() < 1e-4


def test_a_resample_with_one_label_predicts_that_label():
    X, y, weights = problem(n_resamples=2)
    weights[:, :, 0] *= y  # only positives weigh in the first resample, only negatives in the other
    weights[:, :, 1] *= 1 - y
    probability = expit(X @ weighted_logistic(X, y, weights))
    assert np.median(probability[:, :, 0]) > 0.99
    assert np.median(probability[:, :, 1]) < 0.01


def test_a_sample_is_solved_the_same_alone_and_among_others():
    X, y, weights = problem()
    alone = weighted_logistic(X[2:3], y[2:3], weights[2:3])
    np.testing.assert_allclose(weighted_logistic(X, y, weights)[2:3], alone, atol=1e-6)


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


def test_models_and_solvers_refuse_what_makes_no_sense():
    fields = {"name": "m", "intercept": 0, "covariance": np.eye(3), "noise_variance": 1}
    with pytest.raises(ValueError, match='"linear" or "logistic", got \'probit\''):
        CoverageModel(family="probit", **fields)
    with pytest.raises(ValueError, match="must not be negative, got -1"):
        CoverageModel(family="linear", **(fields | {"noise_variance": -1}))
    with pytest.raises(ValueError, match="3 x 3"):
        CoverageModel(family="linear", **(fields | {"covariance": np.eye(2)}))
    with pytest.raises(ValueError, match="leave it out for linear"):
        CoverageModel(family="linear", literal_sign=True, **fields)
    X, y, weights = problem()
    with pytest.raises(ValueError, match="labels must be 0 or 1"):
        weighted_logistic(X, 2 * y, weights)
    with pytest.raises(ValueError, match="ridge must be above 0, got 0"):
        weighted_logistic(X, y, weights, ridge=0)
    with pytest.raises(ValueError, match=r"\(n_samples, sample_size, 4\)"):
        weighted_least_squares(X[:, :, :3], y, weights)
    with pytest.raises(ValueError, match="first two lengths"):
        weighted_least_squares(X, y[:, :-1], weights)


# --- tables


def cells_like_the_paper(**changes):
    paper = paper_tables()
    fixed = {"ridge": 0.0, "n_resamples": 10, "percentile": 80, "target": "expected"}
    fixed |= {"n_samples": 100, "n_test": 1000, "point_spread_pct": 0.0}
    return paper.assign(**(fixed | changes))


def test_the_paper_against_itself_differs_by_nothing():
    table = agreement(against_paper(cells_like_the_paper()), ["table"])
    assert (table["n_cells"] == 80).all()
    assert (table["rms_difference_pct"] == 0).all()
    assert (table["verdict"] == "reproduces").all()


def test_a_difference_is_counted_in_standard_errors_of_both_means():
    cells = cells_like_the_paper(std_pct=30.0, point_spread_pct=20.0)
    cells["mean_pct"] += 7
    first = against_paper(cells).iloc[0]
    error = np.sqrt(30**2 / 100 + first["paper_std_pct"] ** 2 / 100 + 20**2 * 2 / 1000)
    assert first["standard_errors"] == pytest.approx(7 / error)


def test_weights_are_compared_on_the_same_samples():
    study = run_study([MODELS["linear"]], **SMALL)
    shifted = study[study["weights"] == "bootstrap"]
    pair = pd.concat(
        [shifted, shifted.assign(weights="poisson", coverage_pct=lambda t: t["coverage_pct"] - 5)]
    )
    row = compare_weights(pair).iloc[0]
    assert row["difference_pct"] == pytest.approx(-5)
    assert row["low_pct"] == pytest.approx(-5)
    assert (row["n_pairs"], row["verdict"]) == (12, "lower")
    with pytest.raises(ValueError, match="baseline 'jackknife' is not among"):
        compare_weights(study, "jackknife")


def test_the_choice_is_the_fewest_resamples_and_then_the_lowest_percentile():
    study = run_study(
        [MODELS["linear"]],
        sample_sizes=(150,),
        weights=("bootstrap",),
        n_resamples=(5, 20),
        percentiles=(50, 80, 95),
        n_samples=40,
        n_test=100,
    )
    cells = summarise(study)
    means = cells.set_index(["n_resamples", "percentile"])["mean_pct"]
    table = choice_table(cells, wanted=(means[5, 80], means[20, 95], 99.9))
    assert list(table["bootstrap"]) == ["5 at 80", "20 at 95", "-"]
