"""A log of six rounds, small enough to compute every estimate on paper."""

import numpy as np

from cbkit.off_policy import Evidence, LoggedRounds, gather

TARGET = np.array(
    [
        [1.0, 0.0, 0.0],
        [0.5, 0.5, 0.0],
        [0.0, 0.5, 0.5],
        [0.25, 0.5, 0.25],
        [0.0, 1.0, 0.0],
        [0.2, 0.3, 0.5],
    ]
)
Q = np.array([0.5, 0.25, 0.75])  # a reward model that ignores contexts


def six_rounds(**changes: object) -> LoggedRounds:
    """Return the log, with some of its columns replaced."""
    columns = {
        "X": np.arange(6.0).reshape(6, 1),
        "arms": [0, 1, 2, 0, 1, 2],
        "rewards": [1, 0, 1, 0, 1, 0],
        "propensities": [0.5, 0.25, 0.25, 0.5, 0.25, 0.25],
        "n_arms": 3,
    }
    return LoggedRounds(**(columns | changes))


def six_evidence() -> Evidence:
    """Return what estimators see of it: weights 2, 2, 2, 1/2, 4, 2."""
    return gather(six_rounds(), TARGET, lambda rows: np.tile(Q, (len(rows), 1)))
