"""Greedy with smoothing on contexts as they come, and as one would prepare texts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import Normalizer

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.oracles.context_transform import ContextTransform
from cbkit.policies.named.smoothed_greedy import SmoothedGreedy
from cbkit.policies.policy import Policy

_C = 10.0  # rows of norm 1 want a weaker penalty than counts of words


def greedy_penalised_less(dataset: MultilabelDataset) -> Policy:
    """Return greedy with smoothing on contexts as they come, with the penalty of prepared ones."""
    return SmoothedGreedy(dataset.n_arms, oracle={"logistic": {"C": _C}})


def greedy_on_tfidf(dataset: MultilabelDataset) -> Policy:
    """Return greedy with smoothing on tf-idf, its weights learned from the rows seen so far."""
    return _prepared(dataset, TfidfTransformer())


def greedy_on_lsa(dataset: MultilabelDataset) -> Policy:
    """Return greedy with smoothing on tf-idf and its 60 LSA dimensions, both of norm 1."""
    lsa = make_pipeline(TruncatedSVD(60), Normalizer())
    return _prepared(dataset, make_pipeline(TfidfTransformer(), make_union(Normalizer(), lsa)))


def _prepared(dataset: MultilabelDataset, transformer: Any) -> Policy:
    transform = ContextTransform(transformer=transformer)
    return replace(greedy_penalised_less(dataset), context_transform=transform)
