"""The README's examples run as they stand, one after the other."""

import re

import pytest
from examples import examples, run_examples

from cbkit import simulate
from cbkit.experiments.tables import to_markdown
from cbkit.paths import project_root
from cbkit.studies.claims.verdicts import one_page
from cbkit.workbook.profiles import notebook_parameters
from cbkit.workbook.tables import load_table

README = (project_root() / "README.md").read_text(encoding="utf-8")
EXAMPLES = examples(README)
SHELL = "\n".join(re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL)).replace("\\\n", "")
RUN_OF_A_NOTEBOOK = re.compile(r"(?:--notebook |papermill notebooks/)(\w+)(.* -p .*)")


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """Names that the examples define, run as one script in a folder of its own."""
    folder = tmp_path_factory.mktemp("readme")
    return run_examples(README, folder) | {"folder": folder}


def test_own_data_and_classifier_take_fifteen_lines(script):
    lines = [line for line in EXAMPLES[0].splitlines() if line and "import " not in line]
    assert len(lines) <= 15
    assert script["ucb"].name == "BootstrappedUCB"
    assert script["log"].mean_reward > 0.5  # three arms: chance is a third


def test_a_live_policy_follows_its_arms(script):
    assert script["shop"].arm_names == ("shoes", "coats", "ties")
    assert {decision.arm for decision in script["shop"].pending} <= {"shoes", "coats"}


def test_a_policy_of_ones_own_is_one_small_class(script):
    log = simulate(script["top_n"](script["dataset"], n_top=2), script["dataset"], seed=0)
    assert log.facts["explored_share"] == pytest.approx(1 / 2, abs=0.19)  # 4 standard errors


def test_a_grid_takes_own_data_and_own_policy(script):
    finals = script["results"].finals
    assert finals.groupby("policy")["mean_reward"].count().to_dict() == {
        "Top3": 5,
        "Greedy": 5,
        "UCB": 5,
    }
    assert (script["folder"] / "visits.png").stat().st_size > 10_000


def test_commands_set_parameters_that_their_notebooks_have():
    commands = RUN_OF_A_NOTEBOOK.findall(SHELL)
    assert len(commands) == 2
    for name, options in commands:
        known = notebook_parameters(project_root() / "notebooks" / f"{name}.ipynb")
        assert set(re.findall(r"-p (\w+) ", options)) <= set(known)


def test_the_table_of_verdicts_is_that_of_the_committed_tables():
    assert to_markdown(one_page(load_table("verdicts/verdicts"))) in README
