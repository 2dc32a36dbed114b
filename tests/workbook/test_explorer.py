"""The explorer draws what its controls say, and does without controls where there are none."""

import builtins
import time

import matplotlib.pyplot as plt
import pytest

from cbkit.policies.registry import policy_names
from cbkit.workbook import explorer as module
from cbkit.workbook.explorer import Explorer, Setting

BEGIN = Setting(policies=("Greedy", "BootstrappedUCB"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture
def explorer(folder):
    return Explorer(folder, n_rounds=700, n_replicates=2)


@pytest.fixture
def shown(monkeypatch):
    """What is displayed, in order."""
    found = []
    monkeypatch.setattr(module, "display", found.append)
    return found


def control(box, description):
    rows = [child for row in box.children[:2] for child in row.children]
    return next(one for one in rows if one.description == description)


@pytest.mark.parametrize(
    "change",
    [
        {"prior": "smoothing (1, 10)"},
        {"percentile": 50},
        {"n_resamples": 2},
        {"seed": 7},
        {"policies": ("Greedy",)},
    ],
)
def test_every_control_changes_what_is_shown(explorer, change):
    changed = Setting(**{"policies": BEGIN.policies, **change})
    assert not explorer.table(changed).equals(explorer.table(BEGIN))


def test_percentile_and_resamples_change_bounds_alone(explorer):
    changed = Setting(policies=BEGIN.policies, percentile=50, n_resamples=2)
    assert explorer.table(changed).loc["Greedy"].equals(explorer.table(BEGIN).loc["Greedy"])


@pytest.mark.parametrize("name", policy_names())
def test_every_policy_can_be_chosen(name, tmp_path):
    quick = Explorer(tmp_path, n_rounds=30, n_replicates=1)
    setting = Setting(policies=(name,), prior="smoothing (1, 10)")
    assert quick.table(setting).index.tolist() == [name]


def test_a_setting_that_was_played_before_takes_under_a_second(explorer):
    plt.close(explorer.figure(BEGIN))
    start = time.process_time()
    plt.close(explorer.figure(BEGIN))
    assert time.process_time() - start < 1


def test_the_figure_has_curves_and_explored_shares(explorer):
    fig = explorer.figure(BEGIN)
    assert [ax.get_ylabel().split()[-3:] for ax in fig.axes] == [
        ["round", "so", "far"],
        ["explored", "so", "far"],
    ]
    plt.close(fig)


def test_without_a_session_there_is_a_figure_and_a_table(explorer, shown, monkeypatch):
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    explorer.show(BEGIN)
    assert [type(one).__name__ for one in shown] == ["Figure", "DataFrame"]


def test_without_ipywidgets_there_is_a_figure_and_a_table(explorer, shown, monkeypatch):
    found = builtins.__import__

    def absent(name, *args, **options):
        if name.startswith("ipywidgets"):
            raise ImportError(name)
        return found(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", absent)
    explorer.show(BEGIN, widgets=True)
    assert [type(one).__name__ for one in shown] == ["Figure", "DataFrame"]


def test_a_control_that_is_moved_draws_again(explorer, shown, monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "explorer.ipynb")
    asked = []
    monkeypatch.setattr(explorer, "_display", asked.append)
    explorer.show(BEGIN, policies=["EpsilonGreedy"])
    [box] = shown
    control(box, "prior").value = "smoothing (1, 10)"
    control(box, "policies").value = ("EpsilonGreedy",)
    assert asked[0] == BEGIN
    assert asked[-1] == Setting(policies=("EpsilonGreedy",), prior="smoothing (1, 10)")
    control(box, "policies").value = ()
    assert len(asked) == 3  # nothing chosen, nothing drawn
