"""Any scikit-learn-like binary classifier as reward oracle, one per arm and resample."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cbkit._base.keywords import suggest_keywords
from cbkit._base.validation import Matrix
from cbkit.oracles.guards.door import check_classifier, trial_weights, try_out
from cbkit.oracles.guards.few_rows import (
    TooFewRows,
    fit_guarded,
    smoothed_share,
    warn_of_few_rows,
)
from cbkit.oracles.guards.fitting import (
    fit_model,
    for_classifiers,
    partial_fit,
    seeded_clone,
)
from cbkit.oracles.guards.probabilities import positive_probability
from cbkit.oracles.guards.weights import weights_by_name
from cbkit.oracles.guards.wording import arm_in_words, in_words
from cbkit.oracles.per_arm import PerArm
from cbkit.oracles.resampling import Resampling, check_streaming_resampling


@dataclass
class _Refitted:
    """An arm's models, its weights if they are kept, and its numbers of either reward."""

    models: list[Any]
    weights: np.ndarray | None
    counts: np.ndarray


@suggest_keywords
@dataclass(kw_only=True)
class ClassifierOracle:
    """Any classifier as reward oracle, refit on the whole history of an arm.

    Parameters
    ----------
    classifier : scikit-learn-like classifier
        Cloned for each arm and resample, never changed. It is given a ``scipy.sparse.csr_matrix``
        where contexts are sparse, else an array of float64; never a data frame.
    resampling : Resampling or None, default=None
        Weights of the resamples; ``None`` fits one model per arm. Classifiers without sample
        weights take whole weights (multinomial, Poisson) as repeated rows.
    probability : {"sigmoid", "calibrated"}, default="sigmoid"
        For classifiers without ``predict_proba``: the sigmoid of ``decision_function``, or
        Platt's calibration by cross-validation.

    Notes
    -----
    The first block of at least ten contexts is a trial: a copy is fitted to them with made-up
    rewards, so that what cannot learn is refused before a round is played.

    A model with one label, or with fewer rows than the classifier needs (folds or validation sets
    inside it, neighbours, components), predicts its smoothed share of rewards until the next
    refit; a warning says so once. Integer ``cv`` have no more folds than the rarer label has rows.

    Sparse contexts are never turned dense: Gaussian naive Bayes, Gaussian processes, discriminant
    analysis, histogram boosting and scalers that centre are refused with them.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> oracle = ClassifierOracle(classifier=GaussianNB())
    >>> X = np.array([[0.0], [0.5], [2.0], [2.5]])
    >>> oracle.learn(1, X, np.array([0, 0, 1, 1]), np.random.default_rng(0))
    >>> oracle.score(X[[0, 3]])[:, 0, 0].round(2)
    array([0., 1.])
    """

    classifier: Any
    resampling: Resampling | None = None
    probability: str = "sigmoid"
    streaming: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.probability not in ("sigmoid", "calibrated"):
            raise ValueError(f"probability must be sigmoid or calibrated, got {self.probability!r}")
        check_classifier(self.classifier, "fit", self.resampling)
        self._arms: PerArm[_Refitted] = PerArm()
        self._trial: tuple[Matrix, np.ndarray] | None = None
        self._has_warned = False

    @property
    def fitted_arms(self) -> np.ndarray:
        """Arms that have a fitted oracle, in the order of `score`'s second axis."""
        return self._arms.arms

    def learn(self, arm: int, X: Matrix, rewards: np.ndarray, rng: np.random.Generator) -> None:
        """Refit `arm` on its whole history, one model per resample.

        Parameters as for `Oracle.learn`.
        """
        X = for_classifiers(X)
        last, weights = self._arms.get(arm), None
        if self.resampling:
            kept = last.weights if last else None
            weights = self.resampling.update(kept, len(rewards), rng)
        models, reason = [], ""
        counts = np.bincount(np.asarray(rewards, dtype=np.int64), minlength=2)
        words = arm_in_words(arm, counts)
        with weights_by_name():
            self._try_out(X)
            with in_words(words, self.classifier):
                for column in [None] if weights is None else weights.T:
                    data, known = (X, rewards, column, rng), (self._trial, bool(reason))
                    model = fit_guarded(self.classifier, *data, self.probability, *known)
                    reason = model.reason if isinstance(model, TooFewRows) else reason
                    models.append(model)
            if reason and not self._has_warned:
                self._has_warned = True
                warn_of_few_rows(words, self.classifier, reason, X, rewards, self.probability)
        keeps = self.resampling and self.resampling.kept
        self._arms[arm] = _Refitted(models, weights if keeps else None, counts)

    def _try_out(self, X: Matrix) -> None:
        """Try the classifier on the first contexts that are enough to tell."""

        def fit(contexts: Matrix, labels: np.ndarray) -> None:
            weights = trial_weights(self.resampling, len(labels))
            rng = np.random.default_rng(0)
            model = fit_model(self.classifier, contexts, labels, weights, rng, self.probability)
            positive_probability(model, contexts)

        if self._trial is None:
            self._trial = try_out(fit, self.classifier, X)

    def score(self, X: Matrix) -> np.ndarray:
        """Return expected rewards, shape (n_rounds, n_fitted_arms, n_resamples)."""
        X = for_classifiers(X)
        n_resamples = self.resampling.n_resamples if self.resampling else 1
        scores = np.empty((X.shape[0], len(self._arms), n_resamples))
        with weights_by_name():
            self._try_out(X)
            for position, (arm, state) in enumerate(self._arms.items()):
                with in_words(arm_in_words(arm, state.counts), self.classifier):
                    for resample, model in enumerate(state.models):
                        scores[:, position, resample] = positive_probability(model, X)
        return scores

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        self._arms.drop_arm(arm)


@dataclass
class _Streamed:
    """An arm's models, the weight that each saw of either reward, and how often it saw them."""

    models: list[Any]
    labels: np.ndarray  # (2, n_resamples)
    counts: np.ndarray  # (2,)


@suggest_keywords
@dataclass(kw_only=True)
class StreamingOracle:
    """A classifier with ``partial_fit`` per arm and resample, updated with each block's rows.

    Parameters
    ----------
    classifier : scikit-learn-like classifier with ``partial_fit``
        Cloned for each arm and resample, never changed; contexts come as to `ClassifierOracle`,
        and so does the trial.
    resampling : Resampling or None, default=None
        Weights of the new rows in each resample, of a kind other than multinomial.

    Notes
    -----
    An arm counts as fitted once it saw both kinds of reward; a resample whose weights left it
    with one of them predicts its smoothed share until then.

    Examples
    --------
    >>> from sklearn.naive_bayes import BernoulliNB
    >>> oracle = StreamingOracle(classifier=BernoulliNB())
    >>> rng = np.random.default_rng(0)
    >>> oracle.learn(0, np.array([[1.0, 0.0]]), np.array([1]), rng)
    >>> len(oracle.fitted_arms)
    0
    >>> oracle.learn(0, np.array([[0.0, 1.0]]), np.array([0]), rng)
    >>> oracle.score(np.array([[1.0, 0.0]]))[0, 0].round(2)
    array([0.8])
    """

    classifier: Any
    resampling: Resampling | None = None
    streaming: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        check_classifier(self.classifier, "partial_fit", self.resampling)
        check_streaming_resampling(self.resampling)
        self._arms: PerArm[_Streamed] = PerArm()
        self._is_tried = False

    @property
    def fitted_arms(self) -> np.ndarray:
        """Arms that have seen both kinds of reward, in the order of `score`'s second axis."""
        return self._arms.arms[[state.counts.all() for state in self._arms.values()]]

    def learn(self, arm: int, X: Matrix, rewards: np.ndarray, rng: np.random.Generator) -> None:
        """Update `arm` with new rows, each weighted anew in each resample.

        Parameters as for `Oracle.learn`.
        """
        X = for_classifiers(X)
        n_resamples = self.resampling.n_resamples if self.resampling else 1
        if arm not in self._arms:
            models = [seeded_clone(self.classifier, rng) for _ in range(n_resamples)]
            self._arms[arm] = _Streamed(models, np.zeros((2, n_resamples)), np.zeros(2, np.int64))
        state = self._arms[arm]
        state.counts += np.bincount(np.asarray(rewards, dtype=np.int64), minlength=2)
        n = len(rewards)
        weights = self.resampling.update(None, n, rng) if self.resampling else np.ones((n, 1))
        with weights_by_name(), in_words(arm_in_words(arm, state.counts), self.classifier):
            for model, column in zip(state.models, weights.T, strict=True):
                partial_fit(model, X, rewards, column if self.resampling else None)
        state.labels += np.array([1.0 - rewards, rewards]) @ weights

    def _try_out(self, X: Matrix) -> None:
        """Try the classifier on the first contexts that are enough to tell, in two blocks."""

        def fit(contexts: Matrix, labels: np.ndarray) -> None:
            model = seeded_clone(self.classifier, np.random.default_rng(0))
            for rows in np.array_split(np.arange(len(labels)), 2):
                weights = trial_weights(self.resampling, len(rows))
                partial_fit(model, contexts[rows], labels[rows], weights)
            positive_probability(model, contexts)

        self._is_tried = self._is_tried or try_out(fit, self.classifier, X) is not None

    def score(self, X: Matrix) -> np.ndarray:
        """Return expected rewards, shape (n_rounds, n_fitted_arms, n_resamples)."""
        X = for_classifiers(X)
        n_resamples = self.resampling.n_resamples if self.resampling else 1
        arms = self.fitted_arms
        scores = np.empty((X.shape[0], len(arms), n_resamples))
        with weights_by_name():
            self._try_out(X)
            for position, arm in enumerate(arms.tolist()):
                state = self._arms[arm]
                negative, positive = state.labels
                scores[:, position] = smoothed_share(positive, positive + negative)
                with in_words(arm_in_words(arm, state.counts), self.classifier):
                    for k in np.flatnonzero((positive > 0) & (negative > 0)):
                        scores[:, position, k] = positive_probability(state.models[k], X)
        return scores

    def drop_arm(self, arm: int) -> None:
        """Forget `arm`; the arms after it move down by one."""
        self._arms.drop_arm(arm)
