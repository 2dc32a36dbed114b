"""Learn from logs: what another policy would have earned, and better policies.

`evaluate` answers the first question, the learners of `learning` the second; `LoggedRounds` and
`log_from_frame` take logs in.
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
from cbkit.off_policy.evaluation import evaluate
from cbkit.off_policy.evidence import Evidence, gather
from cbkit.off_policy.frames import log_from_frame
from cbkit.off_policy.intervals import BernsteinInterval, BootstrapInterval, NormalInterval
from cbkit.off_policy.learners import LearnerValue, evaluate_learner
from cbkit.off_policy.learning import DoublyRobustLearner, ImportanceWeightedLearner, LearnedPolicy
from cbkit.off_policy.logged_rounds import LoggedRounds
from cbkit.off_policy.open_bandit import load_open_bandit, read_open_bandit
from cbkit.off_policy.planted import draw_log, planted_log, true_value
from cbkit.off_policy.reward_models import (
    ClassifierRewards,
    MeanRewards,
    RidgeRewards,
    cross_fitted,
)
from cbkit.off_policy.targets import (
    epsilon_greedy_probabilities,
    greedy_probabilities,
    greedy_target,
    policy_target,
    softmax_probabilities,
)
from cbkit.off_policy.warm_start import warm_start

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
    "DoublyRobustLearner",
    "Evidence",
    "ImportanceWeightedLearner",
    "LearnedPolicy",
    "LearnerValue",
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
    "draw_log",
    "epsilon_greedy_probabilities",
    "evaluate",
    "evaluate_learner",
    "gather",
    "greedy_probabilities",
    "greedy_target",
    "load_open_bandit",
    "log_from_frame",
    "planted_log",
    "policy_target",
    "read_open_bandit",
    "softmax_probabilities",
    "true_value",
    "warm_start",
]
