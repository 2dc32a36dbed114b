"""What scikit-learn-like classifiers disagree on, and what they cannot learn from.

================  ==============================================================================
`door`            what is refused when a policy is made, or at its first contexts
`fitting`         copies, seeds, folds and containers
`weights`         who takes sample weights, and repeated rows for the others
`few_rows`        one label, or fewer rows than a classifier needs: a smoothed share meanwhile
`probabilities`   one probability per context, whatever a classifier calls it
================  ==============================================================================
"""

from cbkit.oracles.guards.door import check_classifier, try_out
from cbkit.oracles.guards.few_rows import ConstantModel, fit_guarded, smoothed_share
from cbkit.oracles.guards.fitting import fit_model, partial_fit, seeded_clone
from cbkit.oracles.guards.probabilities import positive_probability
from cbkit.oracles.guards.weights import weights_parameter

__all__ = [
    "ConstantModel",
    "check_classifier",
    "fit_guarded",
    "fit_model",
    "partial_fit",
    "positive_probability",
    "seeded_clone",
    "smoothed_share",
    "try_out",
    "weights_parameter",
]
