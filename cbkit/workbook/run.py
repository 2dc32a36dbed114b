"""Run the notebooks one after another through papermill.

All that a run writes goes to ``outputs/<run>/``; the notebooks themselves are never written to.
"""

import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import ipykernel.kernelspec
import nbformat
import papermill
from nbclient.exceptions import CellTimeoutError, DeadKernelError

from cbkit.paths import outputs_dir
from cbkit.workbook.profiles import NotebookRun

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def run_notebooks(run: str, runs: Sequence[NotebookRun]) -> int:
    """Run notebooks one after another and return 0, or 1 where any of them failed.

    Each prints a line with its time, a failed one its cell and error as well. One that fails does
    not keep the following ones from running.

    Parameters
    ----------
    run : str
        Name of the folder below ``outputs/``.
    runs : sequence of NotebookRun
        What :func:`cbkit.workbook.profiles.plan` returned.
    """
    folder = outputs_dir(run)
    width = max(len(notebook.name) for notebook in runs)
    failed = []
    for notebook in runs:
        start = time.perf_counter()
        failure = _run_notebook(notebook, folder / f"{notebook.name}.ipynb")
        seconds = time.perf_counter() - start
        outcome = "  failed" if failure else ""
        print(f"{notebook.name:<{width}}  {seconds:8.1f} s{outcome}", flush=True)
        if failure:
            failed.append(notebook.name)
            print(f"{notebook.name}: {failure}", file=sys.stderr, flush=True)
    print(f"Executed notebooks, their tables and figures: {_short(folder)}")
    if failed:
        print(
            f"{len(failed)} of {len(runs)} notebooks failed: {', '.join(failed)}", file=sys.stderr
        )
    return 1 if failed else 0


def _run_notebook(notebook: NotebookRun, output: Path) -> str:
    """Run one notebook; return which cell failed and why, or an empty string."""
    try:
        with _kernel_environment():
            papermill.execute_notebook(
                notebook.path,
                output,
                parameters=notebook.parameters,
                kernel_name="python3",
                language="python",
                progress_bar=sys.stderr.isatty(),
                cwd=notebook.path.parent,
                execution_timeout=notebook.cell_timeout,
            )
    except papermill.PapermillExecutionError as error:
        return _failure(error.exec_count, error.source, f"{error.ename}: {error.evalue}", output)
    except CellTimeoutError:
        reason = f"it took more than {notebook.cell_timeout} s, the cell_timeout of the profile"
    except DeadKernelError:
        reason = "the kernel died, often for want of memory"
    else:
        return ""
    cell = _last_started(output)
    return _failure(cell.execution_count, cell.source, reason, output)


@contextlib.contextmanager
def _kernel_environment() -> Iterator[None]:
    """Make kernels use one thread and the interpreter that runs this process.

    A ``python3`` kernel registered on the machine may belong to another interpreter, so one is
    written for the occasion into a folder that Jupyter searches first. MPLBACKEND is left out
    because it would keep figures out of the notebooks. Kernels are quiet, as one that is told to
    end while it sends its last answer logs that as an error.
    """
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        ipykernel.kernelspec.write_kernel_spec(
            Path(folder) / "kernels" / "python3", extra_arguments=["--log-level=CRITICAL"]
        )
        search = [folder, before.get("JUPYTER_PATH", "")]
        os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, search))
        os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
        os.environ.pop("MPLBACKEND", None)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def _last_started(output: Path) -> nbformat.NotebookNode:
    """Return the code cell that was running when papermill last saved the copy."""
    cells = [cell for cell in nbformat.read(output, as_version=4).cells if cell.cell_type == "code"]
    started = [cell for cell in cells if cell.metadata.papermill.start_time]
    return (started or cells)[-1]


def _failure(count: int | None, source: str, reason: str, output: Path) -> str:
    code = "".join(f"    {line}\n" for line in source.strip().splitlines())
    return f"cell [{count}] of {_short(output)} failed:\n{code}{reason}"


def _short(path: Path) -> str:
    """Return the path as one would type it in the working directory."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
