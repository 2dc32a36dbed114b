"""The round loop: a policy plays a multilabel data set and a log records what it did."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd

from cbkit._base.keywords import suggest_keywords
from cbkit._base.validation import check_whole
from cbkit._base.watched import is_watched, progress_bar
from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.policies.block import Decision
from cbkit.policies.policy import Policy
from cbkit.policies.refits import Refit, as_refit
from cbkit.simulate.log import RunLog
from cbkit.simulate.threads import one_thread
from cbkit.simulate.world import Delay, Rewards, as_arrivals, as_delay, row_order, streams

FEEDBACKS = ("immediate", "batch", "full")


@suggest_keywords
def simulate(
    policy: Policy,
    dataset: MultilabelDataset,
    *,
    seed: int,
    n_rounds: int | None = None,
    refit_every: int = 50,
    refit: Refit | str | dict[str, Any] | None = None,
    feedback: str = "immediate",
    n_random: int = 0,
    delay: Delay | None = None,
    arrivals: Any = None,
    propensities: bool = False,
    warm_start: bool = False,
    shuffle: bool = True,
    progress: bool | None = None,
) -> RunLog:
    """Play a data set with a policy, one row per round, and log every round.

    Parameters
    ----------
    policy : Policy
        Fresh, or see `warm_start`; it has learned from the run afterwards.
    dataset : MultilabelDataset
        Contexts and the rewards of all arms; the policy sees the chosen arm's alone.
    seed : int
        Seed of the replicate, at least 0. The row order depends on it and on the number of rows
        alone, so that all policies of a replicate see the same rows.
    n_rounds : int, optional
        Number of rounds, at most (default) the number of rows.
    refit_every : int, default=50
        Rounds between refits of the oracles; the last block may be shorter.
    refit : {"every block", "geometric"} or Refit, optional
        Which arms are refitted at a block's end, instead of the policy's own schedule: all that
        gained observations (in the paper), or those whose history grew enough since their last
        fit, ``Refit.geometric(growth=1.05)``.
    feedback : {"immediate", "batch", "full"}, default="immediate"
        Whether rewards are recorded before the next choice, so that counts and Beta draws are up
        to date inside a block, or all at the block's end. With ``"full"`` the rewards of all arms
        are, which no bandit sees: what is left to lose to it is the price of partial feedback.
    n_random : int, default=0
        Number of first rounds whose arms are drawn uniformly from a stream of the seed alone, the
        same for all policies, as in the code of the paper's author.
    delay : int, pair of int, or callable, optional
        How many rounds each reward is late: a number, equally probable ones from a smallest to a
        largest, or ``f(rng) -> int``. Rewards that have not come by the end are never seen.
    arrivals : array-like of int, shape (n_arms, 2), optional
        For each arm the first round in which it can be chosen, counted from 1, and the round from
        which it no longer can; by default all arms can be chosen in all rounds.
    propensities : bool, default=False
        Whether to compute the exact probability of each choice wherever it has one, at a few
        milliseconds per round.
    warm_start : bool, default=False
        Whether the policy may have chosen or learned before, as one that learned from a log has.
    shuffle : bool, default=True
        Whether rows are played in the seed's order, or in their own, as for traffic that drifts.
    progress : bool, optional
        Whether to show a progress bar; by default where a person watches, for over 2,000 rounds.

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
    check_feedback(feedback)
    check_whole("n_random", n_random, least=0)
    if feedback == "full" and not (delay is None and arrivals is None):
        raise ValueError(
            "feedback='full' shows the rewards of all arms at each block's end, so that it goes "
            "with neither delay nor arrivals; leave these out"
        )
    if policy.n_arms != dataset.n_arms:
        raise ValueError(
            f"the policy has {policy.n_arms} arms, {dataset.name} {dataset.n_arms}; "
            "write n_arms=dataset.n_arms"
        )
    if not (policy.is_fresh or warm_start):
        raise ValueError(
            "the policy has already chosen or learned in other rounds; make a fresh one, or write "
            "warm_start=True to go on from what it knows"
        )
    fresh = policy.is_fresh
    refits = as_refit(policy.refits if refit is None else refit)
    late = None if delay is None else as_delay(delay)
    there = None if arrivals is None else as_arrivals(arrivals, dataset.n_arms, n_rounds)

    _, *others = streams(seed)
    rng, delay_rng, random_rng = map(np.random.default_rng, others)
    order = row_order(dataset.n_rows, seed) if shuffle else np.arange(dataset.n_rows)
    order = order[:n_rounds]
    world = Rewards(dataset)
    due: dict[int, list[tuple[Any, int, int, int]]] = {}  # round -> what is recorded before it
    choose = policy.choose_exactly if propensities else policy.choose
    decisions, rewards = [], []
    seconds = {"scoring": 0.0, "choosing": 0.0, "fitting": 0.0}
    if progress is None:
        progress = is_watched() and n_rounds > 2000
    # Products this small are slower on several threads; use processes for several runs.
    bar = progress_bar(total=n_rounds, disable=not progress, desc=policy.name)
    with one_thread(), bar:
        for start in range(0, n_rounds, refit_every):
            rows = order[start : start + refit_every]
            end = start + len(rows)
            clock = time.process_time()
            block = policy.prepare(dataset.features[rows])
            scored = time.process_time()
            for position, row in enumerate(rows.tolist()):
                now = start + position
                if feedback == "immediate":
                    for observation in due.pop(now, ()):
                        policy.record(*observation)
                allowed = None
                if there is not None:
                    allowed = (there[:, 0] <= now + 1) & (now + 1 < there[:, 1])
                if now < n_random:
                    decision = _at_random(policy.n_arms, allowed, random_rng)
                else:
                    decision = choose(block, position, rng, allowed)
                reward = world.of(row, decision.arm)
                decisions.append(decision)
                rewards.append(reward)
                if late is None:
                    known, context = now + 1, (block.X, position)
                else:  # a row of its own: it will be recorded among those of other blocks
                    known, context = now + 1 + late(delay_rng), (block.X[[position]], 0)
                if feedback != "full":
                    due.setdefault(known, []).append((*context, decision.arm, reward))
                    continue
                for arm in range(policy.n_arms):
                    due.setdefault(end, []).append((*context, arm, world.of(row, arm)))
            for known in sorted(round_ for round_ in due if round_ <= end):
                for observation in due.pop(known):
                    policy.record(*observation)
            chosen = time.process_time()
            policy.refit(rng, refits)
            seconds["scoring"] += scored - clock
            seconds["choosing"] += chosen - scored
            seconds["fitting"] += time.process_time() - chosen
            bar.update(len(rows))

    arms, explored, cold_start, indices, chosen_by, _ = zip(*decisions, strict=True)
    columns = {
        "arm": np.array(arms, dtype=np.int32),
        "reward": np.array(rewards, dtype=np.int8),
        "explored": np.array(explored, dtype=bool),
        "cold_start": np.array(cold_start, dtype=bool),
        "index": np.array(indices, dtype=np.float64),
        "propensity": np.array(chosen_by, dtype=np.float64),
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
        "n_random": int(n_random),
        **{f"seconds_{stage}": value for stage, value in seconds.items()},
        "n_refits": policy.n_refits_,
        "n_fitted_arms": policy.n_fitted_arms,
        "n_pending": sum(map(len, due.values())),
        "warm_start": not fresh,
        "explored_share": float(columns["explored"].mean()),
        "cold_start_share": float(columns["cold_start"].mean()),
        "mean_reward": float(columns["reward"].mean()),
    }
    return RunLog(rounds, facts)


def check_feedback(feedback: str) -> None:
    """Check that this is a kind of feedback."""
    if feedback not in FEEDBACKS:
        kinds = ", ".join(map(repr, FEEDBACKS))
        raise ValueError(f"feedback must be one of {kinds}, got {feedback!r}")


def _at_random(n_arms: int, allowed: np.ndarray | None, rng: np.random.Generator) -> Decision:
    """Return a decision for any of the arms that may be chosen."""
    arms = np.arange(n_arms) if allowed is None else np.flatnonzero(allowed)
    arm = int(rng.choice(arms))
    chance = 1 / len(arms)
    return Decision(arm, explored=True, cold_start=False, index=np.nan, propensity=chance)
