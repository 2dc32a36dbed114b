"""The loop that one would write without this package: what its speed is measured against.

One scikit-learn ``LogisticRegression`` per arm and resample behind MAB-first, with the same row
order and protocol as `simulate`, and no thought given to speed. It doubles as an independent
implementation of the greedy, epsilon-greedy and bootstrapped policies.
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.linear_model import LogisticRegression

from cbkit._base.validation import Matrix
from cbkit.datasets import MultilabelDataset
from cbkit.oracles.resampling import draw_weights
from cbkit.simulate import row_order


def plain_loop(
    dataset: MultilabelDataset,
    *,
    seed: int,
    n_rounds: int | None = None,
    n_resamples: int = 0,
    weights: str = "multinomial",
    percentile: float = 80,
    explore_probability: float = 0.0,
    a: float = 3,
    b: float = 7,
    m: int = 2,
    C: float = 1.0,
    refit_every: int = 50,
    by_block: bool = False,
) -> dict[str, float]:
    """Play a data set by a plain loop over rounds, arms and resamples.

    Parameters
    ----------
    dataset : MultilabelDataset
        Contexts and rewards.
    seed : int
        Seed of the replicate; the rows come in the order of `simulate` with this seed.
    n_rounds : int, optional
        At most (default) the number of rows.
    n_resamples : int, default=0
        Resamples per arm for an upper bound; 0 fits one model per arm and takes its score.
    weights : str, default="multinomial"
        Of the resamples, drawn afresh at each refit, see `draw_weights`.
    percentile : float, default=80
        Of the resamples' scores.
    explore_probability : float, default=0.0
        Probability of a random arm.
    a, b, m : float, float, int
        MAB-first's constants.
    C : float, default=1.0
        Inverse strength of the regularisation.
    refit_every : int, default=50
        Rounds between refits.
    by_block : bool, default=False
        ``False`` scores each context as it comes and refits all arms that have enough rewards;
        ``True`` is the careful form, which scores all contexts until the next refit at once and
        refits only the arms that gained observations.

    Returns
    -------
    dict
        ``mean_reward``, ``seconds`` of CPU time and ``n_refits``.

    Examples
    --------
    >>> from cbkit import load_dataset
    >>> plain = plain_loop(load_dataset("digits"), seed=0, n_rounds=200, by_block=True)
    >>> sorted(plain)
    ['mean_reward', 'n_refits', 'seconds']
    """
    rng = np.random.default_rng([seed, 1])
    order = row_order(dataset.n_rows, seed)[:n_rounds]
    X, labels = dataset.features, dataset.labels.toarray()
    rows: list[list[int]] = [[] for _ in range(dataset.n_arms)]
    rewards: list[list[int]] = [[] for _ in range(dataset.n_arms)]
    models: dict[int, list[LogisticRegression]] = {}
    news: set[int] = set()
    total, n_refits, start = 0, 0, time.process_time()
    for t, row in enumerate(order):
        if t % refit_every == 0:
            for arm in range(dataset.n_arms):
                positives = sum(rewards[arm])
                enough = min(positives, len(rewards[arm]) - positives) >= m
                if enough and (arm in news or not by_block):
                    models[arm] = _fit(X[rows[arm]], rewards[arm], n_resamples, weights, C, rng)
                    n_refits += 1
            news.clear()
            if by_block:
                block = X[order[t : t + refit_every]]
                ahead = {arm: _score(models[arm], block, percentile) for arm in models}
        scores = np.empty(dataset.n_arms)
        for arm in range(dataset.n_arms):
            if arm in models:
                if by_block:
                    scores[arm] = ahead[arm][t % refit_every]
                else:
                    scores[arm] = _score(models[arm], X[[row]], percentile)[0]
            else:
                positives = sum(rewards[arm])
                scores[arm] = rng.beta(a + positives, b + len(rewards[arm]) - positives)
        arm = int(np.argmax(scores))
        if rng.random() < explore_probability:
            arm = int(rng.integers(dataset.n_arms))
        reward = int(labels[row, arm])
        rows[arm].append(row)
        rewards[arm].append(reward)
        news.add(arm)
        total += reward
    seconds = time.process_time() - start
    return {"mean_reward": total / len(order), "seconds": seconds, "n_refits": n_refits}


def _fit(
    X: Matrix,
    rewards: list[int],
    n_resamples: int,
    weights: str,
    C: float,
    rng: np.random.Generator,
) -> list[LogisticRegression]:
    y = np.array(rewards)
    if n_resamples == 0:
        return [LogisticRegression(C=C, max_iter=1000).fit(X, y)]
    drawn = draw_weights(weights, (len(y), n_resamples), rng)
    usable = [w for w in drawn.T if len(set(y[w > 0])) == 2]  # drop resamples with one label
    return [LogisticRegression(C=C, max_iter=1000).fit(X, y, sample_weight=w) for w in usable]


def _score(models: list[LogisticRegression], X: Matrix, percentile: float) -> np.ndarray:
    scores = [model.predict_proba(X)[:, 1] for model in models] or [np.zeros(X.shape[0])]
    return scores[0] if len(scores) == 1 else np.percentile(scores, percentile, axis=0)
