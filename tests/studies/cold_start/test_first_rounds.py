"""Shares of arms tried, checked where they can be told by hand."""

import matplotlib.pyplot as plt
import numpy as np

from cbkit import MultilabelDataset, Smoothing
from cbkit.plots.curves import learning_curves
from cbkit.studies.cold_start.first_rounds import arms_tried_curves

UNREWARDED = MultilabelDataset.from_arrays(np.ones((40, 1)), np.zeros((40, 10)))


def test_without_rewards_smoothing_and_no_cold_start_try_a_new_arm_each_round():
    cold_starts = {"no cold start": None, "smoothing (1, 10)": Smoothing(a=1, b=10)}
    curves = arms_tried_curves(UNREWARDED, cold_starts, n_rounds=20, n_replicates=2)
    shares = curves.pivot(index="round", columns=["policy", "seed"], values="arms_tried")
    expected = np.minimum(np.arange(1, 21), 10) / 10
    np.testing.assert_allclose(shares, np.repeat(expected[:, None], 4, axis=1))


def test_figure_has_a_line_per_cold_start_from_0_to_all_arms():
    curves = arms_tried_curves(UNREWARDED, {"no": None}, n_rounds=20, n_replicates=2)
    ax = learning_curves(curves, value="arms_tried", title="none rewarded")
    assert len(ax.lines) == 1 and ax.get_ylim() == (0, 1)
    plt.close(ax.figure)
