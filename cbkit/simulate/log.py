"""What happened in a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cbkit._base.validation import check_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class RunLog:
    """What happened in one run.

    Attributes
    ----------
    rounds : DataFrame
        One row per round: ``round`` (1, 2, ...), ``row`` of the data set, ``arm``, ``reward``,
        ``explored`` (the chooser left the arms of highest index), ``cold_start`` (the chosen arm
        was scored by the cold start), ``index`` of the chosen arm, and its exact ``propensity``,
        NaN where that is not known.
    facts : dict
        Of the run: policy, dataset, checksum, seed, n_rounds, refit_every, feedback, CPU seconds
        in scoring, choosing and fitting, n_refits, n_fitted_arms, n_pending (rewards that had not
        come by the end), warm_start, explored_share, cold_start_share, mean_reward.
    """

    rounds: pd.DataFrame
    facts: dict[str, Any]

    @property
    def cumulative_mean_reward(self) -> np.ndarray:
        """Mean reward per round so far, shape (n_rounds,)."""
        rewards = self.rounds["reward"].to_numpy()
        return np.cumsum(rewards) / np.arange(1, len(rewards) + 1)

    @property
    def mean_reward(self) -> float:
        """Mean reward per round over the whole run."""
        return float(self.rounds["reward"].mean())

    def plot(self, ax: Axes | None = None, *, window: int = 200) -> Axes:
        """Draw the mean reward so far, and that of the last rounds.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default a figure of its own.
        window : int, default=200
            Number of the last rounds, or all of them in the beginning.

        Returns
        -------
        Axes
        """
        import matplotlib.pyplot as plt  # here, so that a run needs no figures

        check_whole("window", window)
        if ax is None:
            _, ax = plt.subplots()
        recent = self.rounds["reward"].rolling(window, min_periods=1).mean()
        name = self.facts["policy"]
        ax.plot(self.rounds["round"], recent, alpha=0.4, label=f"{name}, last {window} rounds")
        ax.plot(self.rounds["round"], self.cumulative_mean_reward, label=f"{name}, mean so far")
        ax.set(xlabel="round", ylabel="mean reward per round", title=self.facts["dataset"])
        ax.set_ylim(bottom=0)
        ax.legend()
        return ax
