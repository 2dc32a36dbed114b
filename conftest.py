"""What every test and doctest of this repository starts from."""

import os

# One thread per run, set before NumPy and its BLAS are imported.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import hypothesis  # noqa: E402  (the threads have to be set first)
import matplotlib  # noqa: E402
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import pytest  # noqa: E402

# Not by MPLBACKEND: the kernels of tested notebooks would inherit it and show no figures.
matplotlib.use("agg")

# The same examples on every run, and no deadline that a busy machine would miss.
hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True)
hypothesis.settings.load_profile("repeatable")

collect_ignore = ["tests/typing"]  # read by mypy, with mistakes that it has to find

# Folders whose files take longest.
FIRST = ("notebooks/", "tests/workbook/", "tests/experiments/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put long files first: a worker that is handed one last would end long after the others."""
    items.sort(key=lambda item: not item.nodeid.startswith(FIRST))


@pytest.fixture(autouse=True)
def names_in_doctests(doctest_namespace):
    """Let doctests write ``np`` and ``pd`` as their readers do."""
    doctest_namespace["np"] = np
    doctest_namespace["pd"] = pd
