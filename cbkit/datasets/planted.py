"""Planted multilabel data: labels that depend on the context through hidden sparse weights.

A row speaks of one or two topics, which raise the features at home in them. An arm is tied to as
many topics as its share of the rows needs, and weighs a few features of each; it is a label of
the rows whose weighted sum plus logistic noise is largest, as many rows as its place in the
frequency profile says. So size and label frequencies are exact, and contexts tell arms apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse

from cbkit.datasets.multilabel import MultilabelDataset

_ARMS_AT_ONCE = 64
_ROWS_AT_ONCE = 500
_DECIMALS = 6  # as in a text file: the same content on every machine


@dataclass(frozen=True, kw_only=True)
class FrequencyProfile:
    """How often each label occurs: a head given as it is, then a long tail.

    The tail's shares are `largest * ((1 + shift) / (rank + shift)) ** exponent`, no less than
    `floor` rows, with the shift that makes all labels add up to `labels_per_row`.

    Parameters
    ----------
    n_arms : int
    labels_per_row : float
    largest : float
        Share of rows that have the tail's most common label.
    exponent : float
        How steep the tail falls; the smaller, the sharper its peak.
    head : tuple of float
        Shares of labels that are more common than the tail's.
    floor : int
        Fewest rows of a label.

    Examples
    --------
    >>> FrequencyProfile(n_arms=5, labels_per_row=0.8, largest=0.4, exponent=1.0).counts(100)
    array([40, 16, 10,  7,  6])
    """

    n_arms: int
    labels_per_row: float
    largest: float
    exponent: float
    head: tuple[float, ...] = ()
    floor: int = 1

    def counts(self, n_rows: int) -> np.ndarray:
        """Return the number of rows of each label, most common first, (n_arms,)."""
        ranks = np.arange(1, self.n_arms - len(self.head) + 1)
        total = (self.labels_per_row - sum(self.head)) * n_rows
        most = self.largest * n_rows

        def tail(log_scale: float) -> np.ndarray:
            shift = np.expm1(log_scale)
            shares = ((1 + shift) / (ranks + shift)) ** self.exponent
            return np.maximum(most * shares, self.floor)

        low, high = tail(-20).sum(), tail(20).sum()
        if not low < total < high:
            raise ValueError(
                f"labels_per_row must be from {low / n_rows + sum(self.head):.3g} to "
                f"{high / n_rows + sum(self.head):.3g} for these largest, floor and head, "
                f"got {self.labels_per_row}"
            )
        log_scale = _root(lambda at: tail(at).sum() - total, -20, 20)
        head = np.array(self.head) * n_rows
        return np.rint(np.concatenate([head, tail(log_scale)])).astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class PlantedSpec:
    """Size and character of a planted data set.

    Parameters
    ----------
    n_rows, n_features : int
    profile : FrequencyProfile
    features_per_row : float or None
        Mean number of non-zero features of a row; None for dense features in (0, 1).
    weighted : bool
        Whether non-zero features carry weights as in a tf-idf matrix with rows of unit length,
        or are all 1.
    n_topics : int
    n_weights : int
        Number of features of a topic on which an arm depends.
    signal : float
        Standard deviation of the weighted sums, where the logistic noise has 1.8.
    """

    n_rows: int
    n_features: int
    profile: FrequencyProfile
    features_per_row: float | None
    weighted: bool = False
    n_topics: int = 20
    n_weights: int = 10
    signal: float = 2.0


def plant(spec: PlantedSpec, *, seed: int, name: str, provenance: str) -> MultilabelDataset:
    """Generate a planted data set; the same seed gives the same data.

    Parameters
    ----------
    spec : PlantedSpec
        Size and character.
    seed : int
        Seed of all draws.
    name, provenance : str
        What the set is called, and where it comes from.

    Returns
    -------
    MultilabelDataset
        Its arms are in random order, not by frequency.

    Raises
    ------
    ValueError
        If no tail of the frequency profile adds up to its labels per row.

    Examples
    --------
    >>> profile = FrequencyProfile(n_arms=4, labels_per_row=1.0, largest=0.5, exponent=1.0)
    >>> spec = PlantedSpec(n_rows=200, n_features=30, profile=profile, features_per_row=5)
    >>> plant(spec, seed=0, name="small", provenance="planted")
    MultilabelDataset('small': 200 rows, 30 features, 4 arms)
    """
    rng = np.random.default_rng(seed)
    popularity = _zipf(spec.n_topics, 0.5)
    topics = _draw_topics(rng, spec.n_rows, popularity)
    home = rng.permutation(np.arange(spec.n_features) % spec.n_topics)
    if spec.features_per_row is None:
        features = _dense_features(rng, topics, home)
    else:
        features = _sparse_features(rng, topics, home, spec, spec.features_per_row)
    counts = spec.profile.counts(spec.n_rows)
    weights = _plant_weights(rng, counts, popularity, home, spec)
    labels = _draw_labels(rng, features, weights, counts, spec.signal)
    order = rng.permutation(spec.profile.n_arms)
    return MultilabelDataset(
        features=features,
        labels=labels[:, order],
        arm_names=tuple(f"arm{arm}" for arm in range(spec.profile.n_arms)),
        name=name,
        provenance=provenance,
    )


def _too_many(rate: np.ndarray, features_per_row: float, scale: float) -> float:
    """Return how many more features a row has on average than it is to have."""
    return float((1 - np.exp(-scale * rate)).sum() / len(rate) - features_per_row)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function is 0, between two points at which its signs differ."""
    # Here, not above: it takes a while to import, and only drawing a data set needs it.
    from scipy.optimize import brentq

    return brentq(function, low, high)


def _zipf(n: int, exponent: float) -> np.ndarray:
    shares = np.arange(1, n + 1, dtype=np.float64) ** -exponent
    return shares / shares.sum()


def _draw_topics(rng: np.random.Generator, n_rows: int, popularity: np.ndarray) -> np.ndarray:
    """Draw the strength of topics, (n_rows, n_topics): one strong, in half the rows a second."""
    strength = np.zeros((n_rows, popularity.size), dtype=np.float64)
    rows = np.arange(n_rows)
    second = rng.choice(popularity.size, size=n_rows, p=popularity)
    strength[rows, second] = rng.uniform(0.3, 0.8, size=n_rows) * (rng.random(n_rows) < 0.5)
    first = rng.choice(popularity.size, size=n_rows, p=popularity)
    strength[rows, first] = 1.0
    return strength


def _sparse_features(
    rng: np.random.Generator,
    topics: np.ndarray,
    home: np.ndarray,
    spec: PlantedSpec,
    features_per_row: float,
) -> sparse.csr_array:
    base = rng.permutation(_zipf(spec.n_features, 0.6))
    length = rng.lognormal(sigma=0.4, size=spec.n_rows)
    blocks: list[sparse.csr_array] = []
    scale = None  # found from the first rows, so that a row has features_per_row on average
    for start in range(0, spec.n_rows, _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        rate = base * (0.4 + spec.n_topics * topics[rows][:, home]) * length[rows, None]
        if scale is None:
            scale = _root(partial(_too_many, rate, features_per_row), 0, 1e6)
        blocks.append(sparse.csr_array(rng.random(rate.shape) < 1 - np.exp(-scale * rate)))
    present = sparse.csr_array(sparse.vstack(blocks)).astype(np.float64)
    if spec.weighted:
        rarity = 1 + np.log(spec.n_rows / (1 + present.sum(axis=0)))
        present.data = rng.gamma(2.0, 0.5, size=present.nnz) * rarity[present.indices]
        norms = np.sqrt(present.multiply(present).sum(axis=1))
        present.data /= np.repeat(norms, np.diff(present.indptr))
        present.data = np.maximum(np.round(present.data, _DECIMALS), 10.0**-_DECIMALS)
    return present


def _dense_features(rng: np.random.Generator, topics: np.ndarray, home: np.ndarray) -> np.ndarray:
    loading = rng.uniform(0.5, 1.5, size=home.size)
    latent = loading * topics[:, home] + rng.normal(scale=0.3, size=(len(topics), home.size))
    return np.round(1 / (1 + np.exp(1 - latent)), _DECIMALS)


def _plant_weights(
    rng: np.random.Generator,
    counts: np.ndarray,
    popularity: np.ndarray,
    home: np.ndarray,
    spec: PlantedSpec,
) -> sparse.csc_array:
    """Tie each arm to as many topics as its share needs, and weigh some features of each."""
    room = popularity * counts.sum()
    by_topic = [np.flatnonzero(home == topic) for topic in range(spec.n_topics)]
    features, arms = [], []
    for arm, count in enumerate(counts):
        roomiest = np.argsort(-room)
        covered = np.cumsum(popularity[roomiest])
        n_tied = min(1 + int((covered < count / spec.n_rows).sum()), spec.n_topics)
        tied = roomiest[:n_tied]
        room[tied] -= count * popularity[tied] / popularity[tied].sum()
        for topic in tied:
            own = by_topic[topic]
            chosen = rng.choice(own, size=min(spec.n_weights, own.size), replace=False)
            features.append(chosen)
            arms.append(np.full(chosen.size, arm))
    entries = np.concatenate(features), np.concatenate(arms)
    values = rng.lognormal(sigma=0.5, size=entries[0].size)
    return sparse.csc_array((values, entries), shape=(spec.n_features, counts.size))


def _draw_labels(
    rng: np.random.Generator,
    features: np.ndarray | sparse.csr_array,
    weights: sparse.csc_array,
    counts: np.ndarray,
    signal: float,
) -> sparse.csr_array:
    """Choose for each arm the rows with the largest noisy sums, as many as its count."""
    n_rows = features.shape[0]
    rows, arms = [], []
    for start in range(0, counts.size, _ARMS_AT_ONCE):
        block = weights[:, start : start + _ARMS_AT_ONCE]
        sums = features @ block
        sums = sums.toarray() if sparse.issparse(sums) else sums
        spread = sums.std(axis=0)
        noisy = signal * sums / np.where(spread > 0, spread, 1) + rng.logistic(size=sums.shape)
        for offset in range(block.shape[1]):
            arm = start + offset
            count = counts[arm]
            rows.append(np.argpartition(-noisy[:, offset], count - 1)[:count].copy())
            arms.append(np.full(count, arm))
    entries = np.concatenate(rows), np.concatenate(arms)
    return sparse.csr_array(
        (np.ones(entries[0].size, dtype=np.int8), entries), shape=(n_rows, counts.size)
    )
