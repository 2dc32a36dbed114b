"""The names that `from cbkit import ...` gives, and what `import cbkit` does without."""

import ast
import importlib
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

import cbkit
from cbkit.paths import project_root

NAMES = """
ActiveAdaptiveGreedy ActiveExplore ActiveExplorer AlternatingEpochs Bagging BestArmInHindsight
BestArmOnline BootstrappedTS BootstrappedUCB Choice ClassifierOracle ContextTransform
ContextualAdaptiveGreedy ContextualAdaptiveGreedy2 EpsilonGreedy Experiment ExploreThenExploit
ForestOracle Greedy LaplaceOracle LinTS LinUCB LogisticOracle LogisticTS LogisticUCB MABFirst
MultilabelDataset OnlineBootstrappedTS OnlineBootstrappedUCB Policy RandomArm Refit RegCB Resampling
RidgeOracle RunLog SmoothedGreedy Smoothing SoftmaxExplorer SquareCB StreamingLaplaceOracle
StreamingLogisticOracle StreamingOracle TreeLeafOracle __version__ load_dataset load_policy
make_policy policy_names run_experiment save_policy simulate
""".split()
HEAVY = {
    "xgboost",
    "seaborn",
    "matplotlib",
    "papermill",
    "dask",
    "distributed",
    "IPython",
    "nbformat",
}


def test_public_names_are_these():
    assert sorted(cbkit.__all__) == sorted(NAMES)
    assert set(NAMES) <= set(dir(cbkit))


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_can_be_imported_and_has_a_help_page(name):
    value = getattr(importlib.import_module("cbkit"), name)
    assert isinstance(value, str) if name == "__version__" else value.__doc__


def test_the_stub_that_editors_read_offers_the_same_names():
    stub = ast.parse(Path(cbkit.__file__).with_suffix(".pyi").read_text())
    [listed] = [ast.literal_eval(part.value) for part in stub.body if isinstance(part, ast.Assign)]
    assert listed == sorted(NAMES)


def test_names_are_the_objects_of_the_modules_that_define_them():
    assert cbkit.Greedy is importlib.import_module("cbkit.policies.named.greedy").Greedy
    everything = {}
    exec("from cbkit import *", everything)
    assert set(NAMES) <= set(everything)


def test_version_is_that_of_the_installed_package_and_of_the_citation():
    assert cbkit.__version__ == version("cbkit")
    citation = yaml.safe_load((project_root() / "CITATION.cff").read_text())
    assert cbkit.__version__ == citation["version"]


def test_unknown_names_are_refused_as_by_any_module():
    with pytest.raises(AttributeError, match="module 'cbkit' has no attribute 'Greddy'"):
        cbkit.Greddy  # noqa: B018


@pytest.mark.parametrize(
    "package", ["policies", "policies.named", "oracles.posteriors", "datasets"]
)
def test_rooms_list_what_they_offer(package):
    room = importlib.import_module(f"cbkit.{package}")
    assert room.__all__ == sorted(room.__all__)
    assert all(getattr(room, name) is not None for name in room.__all__)


def loaded_by(code):
    """Return the modules that a fresh process has loaded after running `code`."""
    shown = f"{code}\nimport sys\nprint(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", shown], capture_output=True, text=True, check=True, timeout=120
    )
    return set(run.stdout.split())


def test_importing_the_package_loads_neither_another_package_nor_a_room():
    loaded = loaded_by("import cbkit")
    assert not loaded & (HEAVY | {"numpy", "scipy", "pandas", "sklearn"})
    ours = {name for name in loaded if name.startswith("cbkit")}
    assert ours == {"cbkit", "cbkit._base", "cbkit._base.version"}


def test_playing_a_policy_loads_nothing_that_draws_downloads_or_grows_trees():
    loaded = loaded_by("""
from cbkit import LogisticUCB, load_dataset, simulate
dataset = load_dataset("demo")
simulate(LogisticUCB(dataset.n_arms), dataset, seed=0, n_rounds=100)
""")
    assert not loaded & (HEAVY | {"sklearn", "scipy.stats", "requests", "pooch"})
    above = ("cbkit.experiments", "cbkit.plots", "cbkit.studies", "cbkit.workbook")
    assert not [name for name in loaded if name.startswith(above)]


def test_names_that_are_loaded_when_used_load_their_modules_and_no_more():
    loaded = loaded_by("from cbkit import Experiment, run_experiment")
    assert "cbkit.experiments.run" in loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize(
    "code",
    [
        "import cbkit.simulate; from cbkit import simulate; assert callable(simulate)",
        "from cbkit import simulate; import cbkit.simulate.log; assert callable(cbkit.simulate)",
        "from cbkit.simulate import RunLog; import cbkit; assert callable(cbkit.simulate)",
    ],
)
def test_the_function_simulate_is_not_hidden_by_its_module(code):
    loaded_by(f"import cbkit; {code}")
