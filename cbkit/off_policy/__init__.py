"""Learn from logs: what another policy would have earned, and better policies.

Estimators are in `estimators`, what they need of a log in `evidence`.
"""

from cbkit.off_policy.diagnostics import Diagnostics, diagnose
from cbkit.off_policy.estimators import (
    IPS,
    SNIPS,
    ClippedIPS,
    DirectMethod,
    DoublyRobust,
    Replay,
    SelfNormalizedDR,
    ShrunkDR,
    SwitchDR,
)
from cbkit.off_policy.evidence import Evidence, gather
from cbkit.off_policy.intervals import BernsteinInterval, BootstrapInterval, NormalInterval
from cbkit.off_policy.logged_rounds import LoggedRounds
from cbkit.off_policy.reward_models import (
    ClassifierRewards,
    MeanRewards,
    RidgeRewards,
    cross_fitted,
)

__all__ = [
    "IPS",
    "SNIPS",
    "BernsteinInterval",
    "BootstrapInterval",
    "ClassifierRewards",
    "ClippedIPS",
    "Diagnostics",
    "DirectMethod",
    "DoublyRobust",
    "Evidence",
    "LoggedRounds",
    "MeanRewards",
    "NormalInterval",
    "Replay",
    "RidgeRewards",
    "SelfNormalizedDR",
    "ShrunkDR",
    "SwitchDR",
    "cross_fitted",
    "diagnose",
    "gather",
]
