"""How far an experiment is: a bar for people who watch, a few lines for logs."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from contextlib import nullcontext

from cbkit._base.watched import is_watched, progress_bar


def duration(seconds: float) -> str:
    """Return a duration as text for people.

    Examples
    --------
    >>> duration(42), duration(600), duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


class Progress:
    """Count finished tasks and estimate the time left from what tasks of the same kind took.

    Parameters
    ----------
    tasks : dict
        Kind (such as the policy) and size (such as rounds x arms) of each task that is to run, by
        its key.
    n_workers : int
        How many run at once.
    n_found : int, default=0
        Tasks whose results were there already; they count as done.
    quiet : float, default=60
        Seconds before the first line of a log; what is over sooner leaves none.

    Examples
    --------
    >>> progress = Progress({"a": ("ucb", 10), "b": ("ucb", 30), "c": ("ts", 10)}, n_workers=1)
    >>> progress.record("a", seconds=2.0)
    >>> progress.seconds_left()      # 30 at 0.2 each for b; c as any: 10 at 0.2 each
    8.0
    """

    def __init__(
        self,
        tasks: dict[str, tuple[Hashable, float]],
        n_workers: int,
        n_found: int = 0,
        quiet: float = 60.0,
    ) -> None:
        self.quiet = quiet
        self.waiting = dict(tasks)
        self._left: dict[Hashable, float] = defaultdict(float)  # size of what waits, by kind
        for kind, size in tasks.values():
            self._left[kind] += size
        self.n_tasks, self.n_found = len(tasks) + n_found, n_found
        self.n_workers = n_workers
        self._seconds: dict[Hashable, float] = defaultdict(float)
        self._sizes: dict[Hashable, float] = defaultdict(float)

    def record(self, key: str, seconds: float) -> None:
        """Note that a task has ended."""
        kind, size = self.waiting.pop(key)
        self._left[kind] -= size
        self._seconds[kind] += seconds
        self._sizes[kind] += size

    def seconds_left(self) -> float:
        """Estimate the time left; NaN before the first task has ended."""
        total = sum(self._sizes.values())
        if not total:
            return float("nan")
        usual = sum(self._seconds.values()) / total
        rates = {kind: self._seconds[kind] / size for kind, size in self._sizes.items()}
        work = sum(size * rates.get(kind, usual) for kind, size in self._left.items())
        return work / min(self.n_workers, max(len(self.waiting), 1))

    def show(self, outcomes: Iterable[tuple[str, float]]) -> Iterator[str]:
        """Yield the keys of `outcomes`, pairs of key and seconds, and show how far they are.

        A bar moves where a person watches; elsewhere a line is printed for every tenth, none
        within the first minute.
        """
        bar = None
        if is_watched():
            text = "{n_fmt} of {total_fmt} tasks |{bar}| {elapsed}{postfix}"
            bar = progress_bar(total=self.n_tasks, initial=self.n_found, bar_format=text)
        start, tenths = time.perf_counter(), 10 * self.n_found // max(self.n_tasks, 1)
        with bar or nullcontext():
            for key, seconds in outcomes:
                self.record(key, seconds)
                n_done = self.n_tasks - len(self.waiting)
                left = f"about {duration(self.seconds_left())} left" if self.waiting else "done"
                elapsed = time.perf_counter() - start
                if bar is not None:
                    bar.set_postfix_str(left, refresh=False)
                    bar.update()
                elif elapsed > self.quiet and 10 * n_done // self.n_tasks > tenths:
                    tenths = 10 * n_done // self.n_tasks
                    line = f"{n_done} of {self.n_tasks} tasks, {duration(elapsed)}, {left}"
                    print(line, file=sys.stderr, flush=True)
                yield key
