"""Logged rounds: what a logging policy saw, did and earned, and how probably it did so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cbkit._base.validation import Matrix, as_features, check_whole
from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.simulate.log import RunLog


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LoggedRounds:
    """Rounds of a logging policy: context, arm, reward, propensity.

    Parameters
    ----------
    X : array-like or sparse, shape (n_rounds, n_features)
        Contexts.
    arms : array-like of int, shape (n_rounds,)
        The arms that were played, from 0.
    rewards : array-like, shape (n_rounds,)
        Their rewards, 0 or 1.
    propensities : array-like, shape (n_rounds,)
        Probability, in (0, 1], with which the logging policy chose that arm, given the context and
        all rounds before.
    n_arms : int
        Number of arms, at least 2.
    pages : array-like, shape (n_rounds,), optional
        What rounds were logged together, such as positions of one page; intervals treat rounds of
        different pages as independent. By default every round is its own.
    name : str, default="log"
        In messages and tables.

    Raises
    ------
    ValueError
        If a value is missing or out of range; names the row, counted from 0.

    Examples
    --------
    >>> log = LoggedRounds(
    ...     X=[[0.0], [1.0]], arms=[0, 2], rewards=[0, 1], propensities=[0.5, 0.25], n_arms=3
    ... )
    >>> log
    LoggedRounds('log': 2 rounds, 1 feature, 3 arms, mean reward 0.5)
    """

    X: Matrix
    arms: np.ndarray
    rewards: np.ndarray
    propensities: np.ndarray
    n_arms: int
    pages: np.ndarray | None = None
    name: str = "log"

    def __post_init__(self) -> None:
        check_whole("n_arms", self.n_arms, least=2)
        arms = _column("arms", self.arms)
        rewards = _column("rewards", self.rewards)
        propensities = _column("propensities", self.propensities)
        X = as_features(self.X, "contexts")
        pages = None if self.pages is None else _page_numbers(self.pages)
        sizes = {
            "X": X.shape[0],
            "arms": len(arms),
            "rewards": len(rewards),
            "propensities": len(propensities),
        } | ({} if pages is None else {"pages": len(pages)})
        if len(set(sizes.values())) > 1:
            listed = ", ".join(f"{name} {size}" for name, size in sizes.items())
            raise ValueError(f"a log has one of each per round, got {listed}")
        if not len(arms):
            raise ValueError("a log needs at least one round, got none")
        _refuse(arms != np.floor(arms), arms, "arms must be whole numbers", "count them from 0")
        outside = (arms < 0) | (arms >= self.n_arms)
        _refuse(outside, arms, f"arms must be in [0, {self.n_arms - 1}]", "count them from 0")
        wrong = (rewards != 0) & (rewards != 1)
        _refuse(wrong, rewards, "rewards must be 0 or 1", "threshold other rewards first")
        _refuse(
            propensities <= 0,
            propensities,
            "propensities must be greater than 0",
            "an arm that was played had a chance; log the probability it was drawn with",
        )
        hint = "did you log percent? Divide by 100" if propensities.max() <= 100 else "check them"
        _refuse(propensities > 1, propensities, "propensities must be at most 1", hint)
        for name, value in (
            ("X", X),
            ("arms", arms.astype(np.int64)),
            ("rewards", rewards.astype(np.int8)),
            ("propensities", propensities),
            ("pages", pages),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def from_run(
        cls, run: RunLog, dataset: MultilabelDataset, *, drop_missing: bool = False
    ) -> LoggedRounds:
        """Make a log of a simulated run.

        Parameters
        ----------
        run : RunLog
            From `simulate`.
        dataset : MultilabelDataset
            The one it was played on.
        drop_missing : bool, default=False
            Whether to leave out rounds without an exact propensity; estimates are then of the
            rounds that are left, often the later ones. ``simulate(..., propensities=True)`` logs
            them wherever they have an exact form.

        Returns
        -------
        LoggedRounds
            In the order in which the rounds were played.

        Examples
        --------
        >>> from cbkit import load_dataset, make_policy, simulate
        >>> dataset = load_dataset("demo")
        >>> run = simulate(make_policy("RandomArm", dataset), dataset, seed=0, n_rounds=100)
        >>> LoggedRounds.from_run(run, dataset).propensities[:2].round(4)
        array([0.0167, 0.0167])
        """
        if run.facts["checksum"] != dataset.checksum:
            raise ValueError(
                f"the run is of {run.facts['dataset']!r} with checksum {run.facts['checksum']}, "
                f"the data set {dataset.name!r} has {dataset.checksum}; "
                "give the data set it was played on"
            )
        rounds = run.rounds
        if drop_missing:
            rounds = rounds[rounds["propensity"].notna()]
            if rounds.empty:
                raise ValueError(
                    f"no round of {run.facts['policy']} has an exact propensity; log with a policy "
                    "that has them, such as EpsilonGreedy with Smoothing, or SoftmaxExplorer"
                )
        return cls(
            X=dataset.features[rounds["row"].to_numpy()],
            arms=rounds["arm"].to_numpy(),
            rewards=rounds["reward"].to_numpy(),
            propensities=rounds["propensity"].to_numpy(),
            n_arms=dataset.n_arms,
            name=f"{run.facts['policy']} on {dataset.name}",
        )

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return len(self.arms)

    def take(self, rows: np.ndarray) -> LoggedRounds:
        """Return the log of some rounds, given by their numbers or by a mask."""
        return LoggedRounds(
            X=self.X[rows],
            arms=self.arms[rows],
            rewards=self.rewards[rows],
            propensities=self.propensities[rows],
            n_arms=self.n_arms,
            pages=None if self.pages is None else self.pages[rows],
            name=self.name,
        )

    def __repr__(self) -> str:
        n_features = self.X.shape[1]
        return (
            f"LoggedRounds({self.name!r}: {self.n_rounds} rounds, "
            f"{n_features} feature{'s' * (n_features != 1)}, {self.n_arms} arms, "
            f"mean reward {self.rewards.mean():.4g})"
        )


def _column(name: str, values: Any) -> np.ndarray:
    """Return finite numbers of shape (n_rounds,), or name the row that has none."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers ({error}); write one per round") from error
    if array.ndim != 1:
        raise ValueError(f"{name} must have shape (n_rounds,), got {array.shape}")
    advice = {
        "propensities": "drop the rounds without one only if what is missing is chance; "
        "a run with Beta draws or random resamples logs them by simulate(..., propensities=True)",
    }
    _refuse(
        ~np.isfinite(array),
        array,
        f"{name} must be finite",
        advice.get(name, "leave such rounds out"),
    )
    return array


def _refuse(wrong: np.ndarray, values: np.ndarray, rule: str, advice: str) -> None:
    rows = np.flatnonzero(wrong)
    if len(rows):
        more = f" (and {len(rows) - 1} more rows)" if len(rows) > 1 else ""
        raise ValueError(f"{rule}, got {values[rows[0]]:.6g} in row {rows[0]}{more}; {advice}")


def _page_numbers(pages: Any) -> np.ndarray:
    """Number the pages from 0, whatever they are called by."""
    numbers, _ = pd.factorize(pd.Series(pages))
    if (numbers < 0).any():
        row = int(np.flatnonzero(numbers < 0)[0])
        raise ValueError(f"pages must not be missing, got none in row {row}; name every page")
    return numbers
