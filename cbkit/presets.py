"""The planted data sets that need no download: the demo, and stand-ins for the paper's sets."""

from __future__ import annotations

from cbkit.multilabel import MultilabelDataset
from cbkit.synthetic import FrequencyProfile, PlantedSpec, plant

PLANTED = {
    "demo": PlantedSpec(
        n_rows=3000,
        n_features=120,
        profile=FrequencyProfile(
            n_arms=60, labels_per_row=1.8, largest=0.12, exponent=0.8, floor=8
        ),
        features_per_row=12,
        n_topics=20,
        signal=4.0,
    ),
}


def plant_preset(name: str) -> MultilabelDataset:
    """Generate a planted data set by its name."""
    return plant(PLANTED[name], seed=2018, name=name, provenance="planted by cbkit.synthetic")
