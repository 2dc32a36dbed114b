"""What notebook 03 draws and says of an arm's resamples."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from cbkit import LogisticOracle, Resampling, StreamingLogisticOracle
from cbkit.plots.dots import difference_dots, interval_dots
from cbkit.studies.resample_readings import kept_reading, weights_reading
from cbkit.studies.resample_scores import resample_panels, scores_as_history_grows

SIZES = [40, 80, 120]


@pytest.fixture(scope="module")
def history():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    rewards = (rng.random(150) < 1 / (1 + np.exp(-X[:, 0]))).astype(float)
    return {"X": X[:120], "rewards": rewards[:120], "contexts": X[120:], "sizes": SIZES, "seed": 1}


def test_kept_weights_move_less_between_refits_than_fresh_ones(history):
    moves = {}
    for kept in (False, True):
        resampling = Resampling(kind="gamma(1,1)", kept=kept)
        scores = scores_as_history_grows(LogisticOracle(resampling=resampling), **history)
        assert scores.shape == (3, 30, 10)
        moves[kept] = np.abs(np.diff(scores, axis=0)).mean()
    assert moves[True] < moves[False]


def test_a_streaming_oracle_is_handed_each_row_once(history):
    grown = scores_as_history_grows(StreamingLogisticOracle(), **history)
    at_once = StreamingLogisticOracle()
    at_once.learn(0, history["X"], history["rewards"], np.random.default_rng(0))
    np.testing.assert_allclose(grown[-1], at_once.score(history["contexts"])[:, 0])


def test_a_history_that_starts_with_one_label_is_refused(history):
    with pytest.raises(ValueError, match="first 40 rewards are all alike"):
        scores_as_history_grows(LogisticOracle(), **history | {"rewards": np.zeros(120)})


def test_panels_have_a_column_per_scheme(history):
    plain = scores_as_history_grows(LogisticOracle(), **history)
    axes = resample_panels(SIZES, {"a": plain, "b": plain}, plain[..., 0], percentile=80, context=0)
    assert axes.shape == (2, 2)
    plt.close(axes[0, 0].figure)


@pytest.fixture
def finals():
    runs = [
        {"dataset": "d", "variant": variant, "policy": policy, "seed": seed}
        for variant in ("p", "q")
        for policy in ("UCB, fresh", "UCB, kept", "UCB, streamed")
        for seed in range(3)
    ]
    rng = np.random.default_rng(0)
    return pd.DataFrame(runs).assign(
        mean_reward=rng.random(len(runs)), cold_start_share=0.5, n_fitted_arms=20
    )


def test_share_axes_end_near_1_and_count_axes_hold_the_counts(finals):
    finals = finals.assign(cold_start_share=np.where(finals["seed"] == 0, 1.0, 0.5))
    axes = interval_dots(finals, {"cold_start_share": "share", "n_fitted_arms": "arms"})
    assert axes[0].get_xlim() == (0, 1.02) and axes[1].get_xlim()[1] > 20
    plt.close(axes[0].figure)


def test_weights_reading_keeps_streamed_oracles_apart(finals):
    first, _ = weights_reading(finals)
    rewards = finals[finals["variant"] == "p"].groupby("policy")["mean_reward"].mean()
    assert f"Streamed oracles earn {rewards['UCB, streamed']:.3f} on average" in first


def test_kept_reading_counts_the_comparisons_that_kept_weights_lead(finals):
    table = finals.drop_duplicates(["variant", "policy"]).query("policy != 'UCB, kept'")
    differences = {"difference": [-0.1, -0.2, 0.1, -0.2], "low": -0.3, "high": 0.3}
    table = table.assign(**differences, n=3, p_t=0.5, p_holm=[1, 0.01, 1, 1], reference="kept")
    lines = kept_reading(table)
    assert lines[0].startswith("UCB, fresh, p: -0.100")
    assert "Kept weights lead in 1 of these 2 comparisons" in lines[-1]
    assert lines[-1].endswith("UCB, streamed (p).")
    axes = difference_dots(table)
    assert [ax.get_title(loc="left") or ax.get_title() for ax in axes] == ["p", "q"]
    plt.close(axes[0].figure)
