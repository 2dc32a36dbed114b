"""Overlap: how the weights of a log are spread."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes


def plot_overlap(weights: np.ndarray, ax: Axes) -> Axes:
    """Draw which share of the weight the heaviest rounds have.

    Parameters
    ----------
    weights : ndarray, shape (n_rounds,)
        Ratios of the target's to the logging policy's probabilities, not all 0.
    ax : Axes
        Where to draw.

    Returns
    -------
    Axes
        The same. The steeper the curve starts, the fewer rounds the estimate rests on; the
        diagonal is a log of the target itself.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> ax = plot_overlap(np.array([3.0, 1.0, 0.0, 0.0]), plt.figure().gca())
    >>> ax.lines[0].get_ydata()
    array([0.  , 0.75, 1.  , 1.  , 1.  ])
    >>> plt.close(ax.figure)
    """
    heaviest_first = np.sort(weights)[::-1]
    shares = np.concatenate([[0.0], np.cumsum(heaviest_first) / heaviest_first.sum()])
    ax.plot(np.linspace(0, 1, len(shares)), shares, color="#0072B2")
    ax.plot([0, 1], [0, 1], color="#7F7F7F", ls="--", lw=1)
    size = weights.sum() ** 2 / (weights**2).sum()
    ax.set_title(
        f"effective sample size {size:,.0f} of {len(weights):,}\n"
        f"mean weight {weights.mean():.3f}, largest {weights.max():.3g}",
        size=9,
    )
    ax.set_xlabel("share of rounds, heaviest first")
    ax.set_ylabel("share of the weight")
    return ax
