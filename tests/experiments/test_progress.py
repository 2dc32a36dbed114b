"""Claims about progress: estimates, bars for people who watch, lines for logs."""

import sys

import numpy as np
import pytest

from cbkit.experiments.progress import Progress


def test_estimate_weighs_tasks_by_kind_and_size():
    waiting = {"a": ("slow", 10), "b": ("slow", 20), "c": ("fast", 10), "d": ("new", 10)}
    progress = Progress(waiting, n_workers=2)
    assert np.isnan(progress.seconds_left())
    progress.record("a", 10.0)
    progress.record("c", 1.0)
    # b: 20 at 1 each; d: 10 at (10 + 1) / 20 each; on two workers
    assert progress.seconds_left() == pytest.approx((20 + 5.5) / 2)


def test_batch_runs_get_plain_lines_and_short_runs_none(monkeypatch, capsys):
    waiting = {str(i): ("kind", 1) for i in range(20)}

    def run():
        outcomes = ((key, 3.0) for key in waiting)
        assert list(Progress(waiting, 1, n_found=20).show(outcomes)) == list(waiting)
        return capsys.readouterr().err.splitlines()

    assert run() == []
    monkeypatch.setattr("cbkit.experiments.progress.QUIET", -1.0)
    lines = run()
    assert lines[0] == "24 of 40 tasks, 0 s, about 48 s left"
    assert lines[-1] == "40 of 40 tasks, 0 s, done" and len(lines) == 5


def test_people_at_a_terminal_get_a_bar(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    list(Progress({"a": ("kind", 1)}, 1).show([("a", 3.0)]))
    assert "1 of 1 tasks |" in capsys.readouterr().err
