"""Labels at the right ends of lines, moved apart so that none covers another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.transforms import offset_copy

GAP = 30.0  # points between the axes and the labels; the leader lines cross it
LINE_HEIGHT = 1.35  # of the font size


def spread(
    positions: np.ndarray, gap: float, low: float = -np.inf, high: float = np.inf
) -> np.ndarray:
    """Move positions apart to at least `gap`, keeping their order, as little as possible.

    The least-squares answer: with gaps taken out, the moved positions are the non-decreasing
    sequence closest to the wanted ones (pool adjacent violators).

    Parameters
    ----------
    positions : ndarray of shape (n_labels,)
        Wanted positions, in any order.
    gap : float
        Smallest distance allowed between two neighbours.
    low, high : float
        Bounds kept while there is room between them; otherwise both sides overflow alike.

    Returns
    -------
    ndarray of shape (n_labels,)
        Moved positions, in the order of the input.

    Examples
    --------
    >>> spread(np.array([1.0, 1.0, 5.0]), gap=1.0)
    array([0.5, 1.5, 5. ])
    >>> spread(np.array([1.0, 1.0, 5.0]), gap=1.0, low=1.0)
    array([1., 2., 5.])
    """
    order = np.argsort(positions, kind="stable")
    ladder = gap * np.arange(len(positions))
    blocks: list[list[float]] = []  # mean, size
    for wanted in positions[order] - ladder:
        blocks.append([float(wanted), 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (mean, size), (other, count) = blocks[-1], blocks[-2]
            blocks[-2:] = [[(mean * size + other * count) / (size + count), size + count]]
    flat = np.concatenate([np.full(int(size), mean) for mean, size in blocks])
    high -= gap * (len(positions) - 1)
    if high < low:
        low = high = (low + high) / 2
    moved = np.empty(len(positions))
    moved[order] = np.clip(flat, low, high) + ladder
    return moved


class EndLabel(Annotation):
    """One label of a group; it takes its place when drawn, so later changes of limits are safe."""

    axes: Axes  # once it has been added to them
    ends: np.ndarray  # heights of all labels of its group
    position: int  # among them

    def update_positions(self, renderer: Any) -> None:
        """Place this label, spread with its siblings, before the annotation is drawn."""
        axes, ends = self.axes, self.ends
        heights = axes.transAxes.inverted().transform(
            axes.transData.transform(np.column_stack([np.full(len(ends), self.xy[0]), ends]))
        )[:, 1]
        gap = renderer.points_to_pixels(float(self.get_fontsize()) * LINE_HEIGHT) / axes.bbox.height
        self.xyann = (1.0, float(spread(heights, gap, 0.0, 1.0)[self.position]))
        super().update_positions(renderer)


def add_end_labels(
    ax: Axes,
    x: float,
    ends: Sequence[float],
    texts: Sequence[str],
    lines: Sequence[dict[str, Any]],
    *,
    size: float = 8.0,
) -> Axes:
    """Write one label per line at the right of the axes, each tied to its line's end.

    Parameters
    ----------
    ax : Axes
    x : float
        Where the lines end, in data units.
    ends : sequence of float, shape (n_labels,)
        Height of each line's end, in data units.
    texts : sequence of str, shape (n_labels,)
    lines : sequence of dict, shape (n_labels,)
        ``color`` and ``linestyle`` of each line; its leader line has the same.
    size : float, default=8
        Font size in points.

    Returns
    -------
    Axes
    """
    fig = cast(Figure, ax.figure)
    beside = offset_copy(ax.transAxes, fig=fig, x=GAP, units="points")
    for position, (text, line) in enumerate(zip(texts, lines, strict=True)):
        label = EndLabel(
            text,
            xy=(x, ends[position]),
            xytext=(1.0, 0.5),
            textcoords=beside,
            annotation_clip=False,
            va="center",
            size=size,
            arrowprops={
                "arrowstyle": "-",
                "linewidth": 1.1,
                "relpos": (0.0, 0.5),
                "shrinkA": 0,
                "shrinkB": 0,
                **line,
            },
        )
        label.ends, label.position = np.asarray(ends, dtype=float), position
        ax.add_artist(label)
        label.set_clip_on(False)
    return ax
