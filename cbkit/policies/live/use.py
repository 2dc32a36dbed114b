"""What a user of a live policy calls: choices by name, rewards that come later, rankings, masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cbkit._base.validation import Matrix, as_features, as_rewards, check_generator, check_whole
from cbkit.oracles.oracle import Oracle
from cbkit.policies.block import Block, Decision, expected_values, values_of
from cbkit.policies.choosers.chooser import Chooser
from cbkit.policies.cold_start import ColdStart, ColdStartLike
from cbkit.policies.history import History
from cbkit.policies.indices import Index
from cbkit.policies.live.arms import ArmName, ArmNames
from cbkit.policies.live.pending import PendingDecisions


class LiveUse:
    """Conveniences made of a policy's steps; `Policy` inherits them.

    Arms are called by their names here, which last as other arms come and go.
    """

    if TYPE_CHECKING:  # what a policy brings
        n_arms: int
        oracle: Oracle | None
        cold_start: ColdStartLike
        index: Index
        chooser: Chooser
        names: Sequence[ArmName] | None
        arms_: ArmNames
        pending_: PendingDecisions
        cold_start_: ColdStart
        history_: History
        n_learned_: np.ndarray
        made_by_: tuple[str, dict[str, Any]] | None

        def prepare(self, X: Any) -> Block: ...
        def choose(
            self,
            block: Block,
            row: int,
            rng: np.random.Generator,
            allowed: np.ndarray | None = None,
        ) -> Decision: ...
        def choose_exactly(
            self,
            block: Block,
            row: int,
            rng: np.random.Generator,
            allowed: np.ndarray | None = None,
        ) -> Decision: ...
        def record(self, X: Matrix, row: int, arm: int, reward: int) -> None: ...
        def refit(self, rng: np.random.Generator) -> None: ...
        def _check_width(self, X: Matrix) -> None: ...

    @property
    def arm_names(self) -> tuple[ArmName, ...]:
        """Names of the arms, in the order of their positions in scores."""
        return self.arms_.names

    @property
    def pending(self) -> list[Decision]:
        """Decisions whose rewards have not come yet, oldest first."""
        return self.pending_.decisions()

    def select(
        self,
        X: Any,
        rng: np.random.Generator,
        *,
        allowed: Any = None,
        return_propensity: bool = False,
        return_decisions: bool = False,
    ) -> Any:
        """Choose an arm for each context; plays as many rounds.

        Parameters
        ----------
        X : array-like or sparse, shape (n_rounds, n_features)
            Contexts, at least one.
        rng : numpy.random.Generator
            Source of the draws.
        allowed : array-like of bool, (n_arms,) or (n_rounds, n_arms), or names of arms, optional
            Arms that may be chosen, in all rounds or in each; by default all.
        return_propensity : bool, default=False
            Whether to compute the exact probability of each choice wherever it has one, at a few
            milliseconds per round; it is NaN elsewhere.
        return_decisions : bool, default=False
            Whether to return decisions, which `update` takes together with their rewards, in any
            order and grouping. The policy keeps their contexts until then.

        Returns
        -------
        arms : ndarray, shape (n_rounds,)
            Names of the chosen arms; with `return_propensity` a pair of them and of propensities,
            shape (n_rounds,).
        decisions : list of Decision
            With `return_decisions`, instead: each with its number ``id``, the arm's name, and its
            propensity.

        Examples
        --------
        >>> from cbkit import Greedy
        >>> policy, rng = Greedy(["hats", "shoes"]), np.random.default_rng(0)
        >>> decision, later = policy.select(np.eye(2), rng, return_decisions=True)
        >>> policy.update([decision], [1], rng)
        >>> policy.pending == [later]
        True
        """
        X = as_features(X, "contexts", copy=False)
        check_generator(rng)
        n_rounds = X.shape[0]
        if n_rounds == 0:
            raise ValueError("select got a block without contexts; give at least one row")
        mask = self.arms_.mask(allowed, n_rounds)
        block = self.prepare(X)
        decisions = []
        choose = self.choose_exactly if return_propensity else self.choose
        for row in range(n_rounds):
            decisions.append(choose(block, row, rng, None if mask is None else mask[row]))
        names = self.arms_.called(np.array([decision.arm for decision in decisions]))
        if return_decisions:
            named = [
                d._replace(arm=name) for d, name in zip(decisions, names.tolist(), strict=True)
            ]
            return self.pending_.add(X, named, rng)
        if return_propensity:
            return names, np.array([decision.propensity for decision in decisions])
        return names

    def update(
        self,
        X: Any = None,
        arms: Any = None,
        rewards: Any = None,
        rng: np.random.Generator | None = None,
        *,
        decisions: Sequence[Decision | int] | None = None,
    ) -> None:
        """Record the rewards of chosen arms and refit.

        Write ``update(X, arms, rewards, rng)``, or ``update(decisions, rewards, rng)`` for
        decisions that `select` returned.

        Parameters
        ----------
        X : array-like or sparse, shape (n_rounds, n_features)
            Contexts, at least one.
        arms : array-like, shape (n_rounds,)
            Names of the arms that were played.
        rewards : array-like, shape (n_rounds,)
            Their rewards, 0 or 1.
        rng : numpy.random.Generator
            Source of the resample weights.
        decisions : sequence of Decision or int
            Instead of contexts and arms: any of the decisions that wait for their rewards, or
            their numbers.

        Raises
        ------
        ValueError
            If anything does not fit, or belongs to an arm that was dropped; nothing is recorded
            then.
        """
        if decisions is None and rng is None and isinstance(rewards, np.random.Generator):
            decisions, rewards, rng = X, arms, rewards
        rng = check_generator(rng)
        rewards = as_rewards(rewards)
        numbers = None
        if decisions is not None:
            numbers = self.pending_.numbers(decisions)
            arms, n_rounds = self.pending_.arms(numbers), len(numbers)
        else:
            X = as_features(X, "contexts", copy=False)
            n_rounds = X.shape[0]
        positions = self.arms_.positions(arms)
        if not n_rounds == len(positions) == len(rewards):
            what = "contexts, arms" if numbers is None else "decisions"
            given = f"{n_rounds}, {len(positions)}" if numbers is None else f"{n_rounds}"
            raise ValueError(
                f"update needs as many {what} and rewards; got {given} and {len(rewards)}; "
                "write one of each per round"
            )
        if not n_rounds:
            raise ValueError("update got an empty block; give at least one round")
        if numbers is not None:
            X = self.pending_.contexts(numbers)
        self._check_width(X)
        for row, (arm, reward) in enumerate(zip(positions.tolist(), rewards.tolist(), strict=True)):
            self.record(X, row, arm, reward)  # the first refuses another layout than before
        self.pending_.forget(numbers or ())
        self.refit(rng)

    def discard(self, decisions: Sequence[Decision | int]) -> None:
        """Stop waiting for the rewards of `decisions`, which are forgotten."""
        self.pending_.forget(self.pending_.numbers(decisions))

    def scores(self, X: Any, rng: np.random.Generator | None = None) -> np.ndarray:
        """Return the numbers per arm that a chooser sees, those of unlearned arms included.

        Parameters
        ----------
        X : array-like or sparse, shape (n_rounds, n_features)
            Contexts.
        rng : numpy.random.Generator, optional
            Source of the draws that enter these numbers, made anew at each call; without it their
            expectations are returned: means of Beta draws and over resamples.

        Returns
        -------
        ndarray, shape (n_rounds, n_arms)
            In the order of `arm_names`.
        """
        if rng is not None:
            check_generator(rng)
        block = self.prepare(X)
        values = np.empty((block.X.shape[0], self.n_arms))
        for row in range(len(values)):
            if rng is None:
                values[row] = expected_values(block, row, self.cold_start_, self.history_)
            else:
                parts = self.index, self.cold_start_, self.history_, rng
                values[row] = values_of(block, row, *parts)
        return values

    def rank(
        self,
        X: Any,
        n: int = 5,
        rng: np.random.Generator | None = None,
        *,
        allowed: Any = None,
    ) -> np.ndarray:
        """Return the names of the arms with the highest scores, the best first.

        Parameters
        ----------
        X : array-like or sparse, shape (n_rounds, n_features)
            Contexts.
        n : int, default=5
            How many per round, or all arms where there are fewer.
        rng : numpy.random.Generator, optional
            As for `scores`; with it, ties are broken at random.
        allowed : array-like of bool, (n_arms,) or (n_rounds, n_arms), or names of arms, optional
            Arms that may be listed; by default all.

        Returns
        -------
        ndarray, shape (n_rounds, n)

        Raises
        ------
        ValueError
            If a round allows fewer than `n` arms.
        """
        check_whole("n", n)
        values = self.scores(X, rng)
        n = min(n, values.shape[1])
        mask = self.arms_.mask(allowed, len(values))
        if mask is not None:
            few = np.flatnonzero(mask.sum(axis=1) < n)
            if len(few):
                raise ValueError(
                    f"row {few[0]} allows {mask[few[0]].sum()} arms, fewer than n={n}; "
                    "allow more or ask for fewer"
                )
            values = np.where(mask, values, -np.inf)
        ties = np.zeros(values.shape) if rng is None else rng.random(values.shape)
        return self.arms_.called(np.lexsort((ties, -values))[:, :n])

    def add_arm(self, name: ArmName | None = None, **constants: float) -> ArmName:
        """Add an arm that was never played and return its name; other arms keep their state.

        Parameters
        ----------
        name : str or int, optional
            A name that no arm has or had; by default the next whole number.
        **constants : float
            Its cold-start constants ``a`` and ``b``, where these are given per arm.
        """
        name = self.arms_.free(name)
        self.cold_start_.add_arm(constants)  # first, as it may refuse
        self.cold_start = self.cold_start_.parts
        self.arms_.add(name)
        self.history_.add_arm()
        self.n_learned_ = np.append(self.n_learned_, 0)
        self._came_or_went(+1)
        return name

    def drop_arm(self, name: ArmName) -> None:
        """Drop an arm; other arms keep their names and their state.

        Decisions for it still wait, and `update` refuses them in words: `discard` them.
        """
        position = int(self.arms_.positions([name])[0])
        if self.n_arms == 2:
            raise ValueError("a policy needs at least 2 arms; cannot drop one of 2")
        drop_choosers = getattr(self.chooser, "drop_arm", None)
        if drop_choosers is not None:
            drop_choosers(position)  # first, as it may refuse
        self.arms_.drop(name)
        self.cold_start_.drop_arm(position)
        self.cold_start = self.cold_start_.parts
        self.history_.drop_arm(position)
        self.n_learned_ = np.delete(self.n_learned_, position)
        if self.oracle is not None:
            self.oracle.drop_arm(position)
        self._came_or_went(-1)

    def _came_or_went(self, change: int) -> None:
        """Keep the parameters those of a fresh policy with the arms of now."""
        self.n_arms += change
        self.names = list(self.arm_names)
        self.made_by_ = None
