"""The simulator: a policy plays a multilabel data set, and a log records what it did."""

from cbkit.simulate.log import RunLog
from cbkit.simulate.loop import FEEDBACKS, simulate
from cbkit.simulate.world import row_order

__all__ = ["FEEDBACKS", "RunLog", "row_order", "simulate"]
