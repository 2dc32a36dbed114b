"""What notebook 03 draws of an arm's resamples, and how it compares their weights."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from cbkit import LogisticOracle, Resampling, StreamingLogisticOracle
from cbkit.studies.resample_scores import (
    against_kept,
    kept_differences,
    resample_panels,
    scores_as_history_grows,
)

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
    fig = resample_panels(SIZES, {"a": plain, "b": plain}, plain[..., 0], percentile=80, context=0)
    assert len(fig.axes) == 4
    plt.close(fig)


def test_schemes_are_compared_with_kept_weights_of_the_same_algorithm():
    levels = {
        ("UCB", "kept"): 0.3,
        ("UCB", "fresh"): 0.2,
        ("TS", "kept"): 0.1,
        ("TS", "fresh"): 0.4,
    }
    finals = pd.DataFrame(
        {"algorithm": one, "weights": how, "policy": f"{one}, {how}", "seed": seed}
        | {"mean_reward": level + seed / 100}
        for (one, how), level in levels.items()
        for seed in range(3)
    ).assign(dataset="d", variant="v", checksum="c", n_rounds=9)
    table = against_kept(finals, "kept").set_index("policy")
    assert table["difference"].to_dict() == pytest.approx({"UCB, fresh": -0.1, "TS, fresh": 0.3})
    assert table["reference"].unique().tolist() == ["the same policy with kept weights"]
    named = finals.replace({"weights": {"kept": "kept Gamma(1,1)"}})
    fig = kept_differences(named)
    assert len(fig.axes[0].get_yticks()) == 2
    plt.close(fig)
