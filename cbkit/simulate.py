"""The round loop: a policy plays a multilabel data set and a log records what it did."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from cbkit._keywords import suggest_keywords
from cbkit._validation import check_whole
from cbkit.datasets import MultilabelDataset
from cbkit.policies.policy import Policy

FEEDBACKS = ("immediate", "batch")


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
        in scoring, choosing and fitting, n_refits, n_fitted_arms, explored_share,
        cold_start_share, mean_reward.
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


class _Environment:
    """Holds all rewards and shows those of chosen arms alone."""

    def __init__(self, dataset: MultilabelDataset) -> None:
        # Lists are quicker to look through than arrays where each look is this short.
        self._arms = dataset.labels.indices.tolist()
        self._starts = dataset.labels.indptr.tolist()

    def reward(self, row: int, arm: int) -> int:
        return int(arm in self._arms[self._starts[row] : self._starts[row + 1]])


def row_order(n_rows: int, seed: int) -> np.ndarray:
    """Return the order in which a replicate plays the rows: of `seed` and `n_rows` alone."""
    return np.random.default_rng(_streams(seed)[0]).permutation(n_rows)


def _streams(seed: int) -> list[np.random.SeedSequence]:
    check_whole("seed", seed, least=0)
    return np.random.SeedSequence(int(seed)).spawn(2)


@suggest_keywords
def simulate(
    policy: Policy,
    dataset: MultilabelDataset,
    *,
    seed: int,
    n_rounds: int | None = None,
    refit_every: int = 50,
    feedback: str = "immediate",
    progress: bool | None = None,
) -> RunLog:
    """Play a data set with a policy, one row per round, and log every round.

    Parameters
    ----------
    policy : Policy
        Fresh; it has learned from the run afterwards.
    dataset : MultilabelDataset
        Contexts and the rewards of all arms; the policy sees the chosen arm's alone.
    seed : int
        Seed of the replicate, at least 0. The row order depends on it and on the number of rows
        alone, so that all policies of a replicate see the same rows.
    n_rounds : int, optional
        Number of rounds, at most (default) the number of rows.
    refit_every : int, default=50
        Rounds between refits of the oracles; the last block may be shorter.
    feedback : {"immediate", "batch"}, default="immediate"
        Whether rewards are recorded before the next choice, so that counts and Beta draws are up
        to date inside a block, or all at the block's end.
    progress : bool, optional
        Whether to show a progress bar; by default in interactive terminals, for over 2,000 rounds.

    Returns
    -------
    RunLog
        The log.

    Raises
    ------
    ValueError
        If an argument is out of range or the policy has another number of arms.

    Notes
    -----
    Sections "Problem definition" and "Empirical evaluation".

    Examples
    --------
    >>> from cbkit import load_dataset, make_policy
    >>> dataset = load_dataset("digits")
    >>> log = simulate(make_policy("Greedy", dataset), dataset, seed=0, n_rounds=500)
    >>> bool(log.mean_reward > 0.2)                    # ten arms: chance is 0.1
    True
    """
    if not isinstance(policy, Policy):
        raise ValueError(
            f"policy must be a Policy, got {policy!r:.60}; write make_policy(name, dataset)"
        )
    if not isinstance(dataset, MultilabelDataset):
        raise ValueError(
            f"dataset must be a MultilabelDataset, got {type(dataset).__name__}; write "
            "MultilabelDataset.from_arrays(X, labels)"
        )
    n_rounds = dataset.n_rows if n_rounds is None else n_rounds
    check_whole("n_rounds", n_rounds)
    check_whole("refit_every", refit_every)
    if n_rounds > dataset.n_rows:
        raise ValueError(
            f"n_rounds must be at most the {dataset.n_rows} rows of {dataset.name}, got {n_rounds}"
        )
    if feedback not in FEEDBACKS:
        raise ValueError(f"feedback must be immediate or batch, got {feedback!r}")
    if policy.n_arms != dataset.n_arms:
        raise ValueError(
            f"the policy has {policy.n_arms} arms, {dataset.name} {dataset.n_arms}; "
            "write n_arms=dataset.n_arms"
        )
    if not policy.is_fresh:
        raise ValueError(
            "the policy has already chosen or learned in other rounds; make a fresh one"
        )

    rng = np.random.default_rng(_streams(seed)[1])
    order = row_order(dataset.n_rows, seed)[:n_rounds]
    environment = _Environment(dataset)
    decisions, rewards = [], []
    seconds = {"scoring": 0.0, "choosing": 0.0, "fitting": 0.0}
    if progress is None:
        progress = sys.stderr.isatty() and n_rounds > 2000
    # Products this small are slower on several threads; use processes for several runs.
    bar = tqdm(total=n_rounds, disable=not progress, desc=policy.name)
    with threadpool_limits(1), bar:
        for start in range(0, n_rounds, refit_every):
            rows = order[start : start + refit_every]
            clock = time.process_time()
            block = policy.prepare(dataset.features[rows])
            scored = time.process_time()
            waiting = []
            for position, row in enumerate(rows.tolist()):
                decision = policy.choose(block, position, rng)
                reward = environment.reward(row, decision.arm)
                decisions.append(decision)
                rewards.append(reward)
                if feedback == "immediate":
                    policy.record(block.X, position, decision.arm, reward)
                else:
                    waiting.append((position, decision.arm, reward))
            for position, arm, reward in waiting:
                policy.record(block.X, position, arm, reward)
            chosen = time.process_time()
            policy.refit(rng)
            seconds["scoring"] += scored - clock
            seconds["choosing"] += chosen - scored
            seconds["fitting"] += time.process_time() - chosen
            bar.update(len(rows))

    arms, explored, cold_start, indices, propensities = zip(*decisions, strict=True)
    columns = {
        "arm": np.array(arms, dtype=np.int32),
        "reward": np.array(rewards, dtype=np.int8),
        "explored": np.array(explored, dtype=bool),
        "cold_start": np.array(cold_start, dtype=bool),
        "index": np.array(indices, dtype=np.float64),
        "propensity": np.array(propensities, dtype=np.float64),
    }
    rounds = pd.DataFrame({"round": np.arange(1, n_rounds + 1), "row": order, **columns})
    facts = {
        "policy": policy.name,
        "dataset": dataset.name,
        "checksum": dataset.checksum,
        "seed": int(seed),
        "n_rounds": int(n_rounds),
        "refit_every": int(refit_every),
        "feedback": feedback,
        **{f"seconds_{stage}": value for stage, value in seconds.items()},
        "n_refits": policy.n_refits_,
        "n_fitted_arms": policy.n_fitted_arms,
        "explored_share": float(columns["explored"].mean()),
        "cold_start_share": float(columns["cold_start"].mean()),
        "mean_reward": float(columns["reward"].mean()),
    }
    return RunLog(rounds, facts)
