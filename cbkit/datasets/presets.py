"""The planted data sets that need no download: the demo, and stand-ins for the paper's sets."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from cbkit.datasets.multilabel import MultilabelDataset, describe_counts
from cbkit.datasets.parsed_cache import load_or_make
from cbkit.datasets.planted import FrequencyProfile, PlantedSpec, plant

_SEED = 2018
_GENERATOR_VERSION = 1  # raise it when `planted` makes other data from the same seed
_N_REDUCED = 5  # the paper's reduced MediaMill lacks the 5 most common labels

# Sizes, labels per row and most common label are those of the paper's table; the shapes of the
# tails follow the published sets, and the signal lets logistic regressions that see all labels
# name a right one about as often as there (measured in data/README.md).
PLANTED = {
    "demo": PlantedSpec(
        n_rows=3000,
        n_features=120,
        profile=FrequencyProfile(
            n_arms=60, labels_per_row=1.8, largest=0.12, exponent=0.8, floor=8
        ),
        features_per_row=12,
        n_topics=24,
        signal=2.2,
    ),
    "bibtex-like": PlantedSpec(
        n_rows=7395,
        n_features=1836,
        profile=FrequencyProfile(
            n_arms=159, labels_per_row=2.402, largest=0.1409, exponent=0.7, floor=51
        ),
        features_per_row=68.7,
        n_topics=60,
        signal=1.8,
    ),
    "delicious-like": PlantedSpec(
        n_rows=16105,
        n_features=500,
        profile=FrequencyProfile(
            n_arms=983, labels_per_row=19.02, largest=0.4033, exponent=1.2, floor=21
        ),
        features_per_row=18.3,
        n_topics=50,
        signal=1.2,
    ),
    "mediamill-like": PlantedSpec(
        n_rows=43907,
        n_features=120,
        profile=FrequencyProfile(
            n_arms=101,
            labels_per_row=4.376,
            head=(0.7714, 0.64, 0.36, 0.35, 0.185),
            largest=0.1756,
            exponent=1.5,
            floor=20,
        ),
        features_per_row=None,
        n_topics=20,
        signal=1.5,
    ),
    "eurlex-like": PlantedSpec(
        n_rows=19348,
        n_features=5000,
        profile=FrequencyProfile(
            n_arms=3956, labels_per_row=5.31, largest=0.0648, exponent=0.9, floor=1
        ),
        features_per_row=236,
        weighted=True,
        n_topics=300,
        signal=2.0,
    ),
}

PLANTED_NAMES = (*PLANTED, "mediamill-like-reduced")


def load_planted(name: str) -> MultilabelDataset:
    """Load a planted data set from the cache, or generate it from its seed.

    Examples
    --------
    >>> load_planted("demo")
    MultilabelDataset('demo': 3000 rows, 120 features, 60 arms)
    """
    if name == "mediamill-like-reduced":
        whole = load_planted("mediamill-like")
        return replace(whole.drop_common_arms(_N_REDUCED), name=name)
    spec = PLANTED[name]
    key = hashlib.sha256(f"{spec} {_SEED} {_GENERATOR_VERSION}".encode()).hexdigest()[:16]
    provenance = f"planted by cbkit.datasets.planted, seed {_SEED}"
    return load_or_make(
        f"{name}-{key}", lambda: plant(spec, seed=_SEED, name=name, provenance=provenance)
    )


def planted_row(name: str) -> dict[str, float]:
    """Return what `describe()` says of a planted data set, without generating it."""
    spec = PLANTED[name.removesuffix("-reduced")]
    counts = spec.profile.counts(spec.n_rows)
    if name.endswith("-reduced"):
        counts = counts[_N_REDUCED:]
    return describe_counts(counts, spec.n_rows, spec.n_features)
