"""Targets from numbers per arm and from learned policies."""

import numpy as np
import pytest

from cbkit import Greedy, SoftmaxExplorer
from cbkit.off_policy import (
    epsilon_greedy_probabilities,
    greedy_target,
    planted_log,
    softmax_probabilities,
    warm_start,
)

VALUES = np.random.default_rng(0).random((5, 4))


def test_softmax_is_the_choosers():
    chooser = SoftmaxExplorer(4, multiplier=3.0).chooser
    expected = [chooser.probabilities(row) for row in VALUES]
    assert softmax_probabilities(VALUES, 3.0) == pytest.approx(np.array(expected), abs=1e-12)


def test_epsilon_greedy_gives_the_best_arm_the_rest():
    found = epsilon_greedy_probabilities(VALUES, 0.2)
    assert found.sum(axis=1) == pytest.approx(1)
    assert found.max(axis=1) == pytest.approx(0.85)
    with pytest.raises(ValueError, match=r"did you mean 0\.2"):
        epsilon_greedy_probabilities(VALUES, 20)


def test_the_greedy_target_is_what_a_greedy_policy_chooses():
    log, dataset = planted_log(1500)
    policy = Greedy(20)
    warm_start(policy, log, np.random.default_rng(0))
    X = dataset.features[:100]
    probabilities = greedy_target(policy)(X)
    scored = np.nan_to_num(policy.score(X)[:, :, 0], nan=-1)
    assert (probabilities.argmax(axis=1) == scored.argmax(axis=1)).all()
    assert probabilities.max(axis=1).tolist() == [1.0] * 100
