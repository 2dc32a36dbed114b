"""Claims about progress: estimates, bars for people who watch, lines for logs."""

import sys

import nbformat
import numpy as np
import papermill
import pytest
from jupyter_client.manager import start_new_kernel

from cbkit.experiments.progress import Progress


def test_estimate_weighs_tasks_by_kind_and_size():
    waiting = {"a": ("slow", 10), "b": ("slow", 20), "c": ("fast", 10), "d": ("new", 10)}
    progress = Progress(waiting, n_workers=2)
    assert np.isnan(progress.seconds_left())
    progress.record("a", 10.0)
    progress.record("c", 1.0)
    # b: 20 at 1 each; d: 10 at (10 + 1) / 20 each; on two workers
    assert progress.seconds_left() == pytest.approx((20 + 5.5) / 2)


def test_batch_runs_get_plain_lines_and_short_runs_none(capsys):
    waiting = {str(i): ("kind", 1) for i in range(20)}

    def run(**options):
        outcomes = ((key, 3.0) for key in waiting)
        assert list(Progress(waiting, 1, n_found=20, **options).show(outcomes)) == list(waiting)
        return capsys.readouterr().err.splitlines()

    assert run() == []
    lines = run(quiet=-1)
    assert lines[0] == "24 of 40 tasks, 0 s, about 48 s left"
    assert lines[-1] == "40 of 40 tasks, 0 s, done" and len(lines) == 5


def test_people_at_a_terminal_get_a_bar(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    list(Progress({"a": ("kind", 1)}, 1).show([("a", 3.0)]))
    assert "1 of 1 tasks |" in capsys.readouterr().err


SHOW = """
from cbkit.experiments.progress import Progress
waiting = {str(i): ("kind", 1) for i in range(3)}
for key in Progress(waiting, 1, quiet=-1).show((key, 3.0) for key in list(waiting)):
    pass
"""


@pytest.fixture(scope="module")
def shown_in_kernel():
    """Return what the progress shows in a kernel, whose front end answers questions or not."""
    manager, client = start_new_kernel(kernel_name="python3")

    def shown(**options):
        parts = []

        def keep(message):
            if message["msg_type"] in ("stream", "display_data", "update_display_data", "error"):
                parts.append(message["content"])

        client.execute_interactive(SHOW, output_hook=keep, timeout=300, **options)
        return parts

    yield shown
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.mark.slow
def test_a_live_notebook_gets_a_bar_that_moves(shown_in_kernel):
    parts = shown_in_kernel(allow_stdin=True, stdin_hook=lambda message: None)
    text = "".join(part.get("text", "") for part in parts)
    widgets = [part for part in parts if "data" in part]
    assert "3 of 3 tasks |" in text or widgets, parts
    assert "IProgress" not in text and "40 of" not in text


@pytest.mark.slow
def test_a_notebook_that_runs_in_batch_gets_lines(shown_in_kernel):
    parts = shown_in_kernel(allow_stdin=False)
    lines = "".join(part["text"] for part in parts).splitlines()
    assert lines[-1] == "3 of 3 tasks, 0 s, done" and len(lines) == 3
    assert not any("|" in line for line in lines)


@pytest.mark.slow
def test_papermills_client_runs_in_batch(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SHOW)])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "", "language": "python"}
    nbformat.write(notebook, tmp_path / "in.ipynb")
    papermill.execute_notebook(
        tmp_path / "in.ipynb", tmp_path / "out.ipynb", progress_bar=False, kernel_name="python3"
    )
    (cell,) = (cell for cell in nbformat.read(tmp_path / "out.ipynb", 4).cells if cell.source)
    text = "".join(output.text for output in cell.outputs)
    assert text.endswith("3 of 3 tasks, 0 s, done\n") and "|" not in text
