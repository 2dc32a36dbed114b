"""In a browser: every notebook opens in JupyterLab, some run there, and a progress bar moves."""

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys

import nbformat
import pytest
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
from selenium.webdriver import ActionChains, Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

from cbkit.paths import notebooks_dir
from cbkit.workbook.profiles import notebook_paths

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NOTEBOOKS = notebook_paths()
EXPLORER = "12_explorer"  # has controls
RUN = ("00_setting_and_data", "09_live_use")  # from top to bottom
WITH_BAR = "03_bootstrap"  # runs experiments
SECONDS = 240  # to wait for anything; seconds are enough where nothing else runs
CHROMIUM = (
    "--headless",
    "--no-sandbox",  # root cannot start it otherwise
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--window-size=1400,1000",
)
# Nothing of the user's own Jupyter is read or changed.
FOLDERS = {
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_DATA_DIR": "data",
    "JUPYTER_RUNTIME_DIR": "runtime",
    "JUPYTERLAB_SETTINGS_DIR": "settings",
    "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    "IPYTHONDIR": "ipython",
    "CBKIT_OUTPUT": "output",
}
# Cells out of view stay on the page, and nothing is looked up on the internet.
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"checkForUpdates": False, "fetchNews": "false"},
}

FILE = "//*[contains(@class, 'jp-DirListing-itemText') and . = '{}.ipynb']"
RUN_MENU = "//*[contains(@class, 'lm-MenuBar-itemLabel') and . = 'Run']"
RUN_ALL = "//*[@data-command = 'runmenu:run-all']"
NOTEBOOK = ".jp-NotebookPanel:not(.lm-mod-hidden) "
TAB = "#jp-main-dock-panel .lm-TabBar-tab.lm-mod-current .lm-TabBar-tabLabel"
HEADING = NOTEBOOK + "h1"
TEXT = NOTEBOOK + ".jp-RenderedMarkdown"
IDLE = NOTEBOOK + ".jp-Notebook-ExecutionIndicator[data-status=idle]"
FIGURE = NOTEBOOK + ".jp-RenderedImage img"
BAD_FORMULA = NOTEBOOK + "mjx-merror"
PROMPT = NOTEBOOK + ".jp-CodeCell .jp-InputPrompt"
ERROR = NOTEBOOK + "[data-mime-type$=err], " + NOTEBOOK + "[data-mime-type$=error]"
OUTPUT = NOTEBOOK + ".jp-OutputArea-output"
DIALOG = ".jp-Dialog"
PRIOR = "//*[contains(@class, 'widget-dropdown') and contains(., 'prior')]//select"
DRAWN = NOTEBOOK + ".widget-output .jp-RenderedImage img"


@pytest.fixture(scope="module")
def programs():
    """Find the browser and its driver, or skip the tests."""
    found = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if None in found:
        pytest.skip("no chromium with chromedriver; on Debian install chromium and chromium-driver")
    return found


@pytest.fixture(scope="module")
def lab(programs, tmp_path_factory):
    """Serve copies of the notebooks, and some without outputs; give JupyterLab's address."""
    home = tmp_path_factory.mktemp("lab")
    copies = shutil.copytree(notebooks_dir(), home / "notebooks")
    for name in (*RUN, WITH_BAR, EXPLORER):
        nbformat.write(without_outputs(name), copies / f"run_{name}.ipynb")
    for name, values in SETTINGS.items():
        path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(values))
    port, token = free_port(), secrets.token_hex()
    address = ["--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    access = [f"--IdentityProvider.token={token}", "--allow-root", "--no-browser"]
    with (home / "log.txt").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", copies, *address, *access],
            env=os.environ | {name: str(home / folder) for name, folder in FOLDERS.items()},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            WebDriverWait(server, SECONDS).until(lambda s: s.poll() is not None or answers(port))
            assert server.poll() is None, (home / "log.txt").read_text()
            yield f"http://127.0.0.1:{port}/lab?token={token}"
        finally:
            end(server)


@pytest.fixture(scope="module")
def page(programs, lab, tmp_path_factory):
    """Show JupyterLab in a browser."""
    chromium, chromedriver = programs
    options = ChromeOptions()
    options.binary_location = chromium
    options.page_load_strategy = "none"  # what a test waits for is on the page, not its loading
    for argument in (*CHROMIUM, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(argument)
    driver = Chrome(options, ChromeService(chromedriver))
    try:
        driver.get(lab)
        yield driver
    finally:
        driver.quit()


def without_outputs(name):
    notebook = nbformat.read(NOTEBOOKS[name], as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.update(execution_count=None, outputs=[])
    return notebook


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def end(server):
    """Ask the server to end, which ends its kernels first; make it end if it does not."""
    server.terminate()
    try:
        server.wait(SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        raise


def texts(page, selector):
    return [element.text for element in page.find_elements(By.CSS_SELECTOR, selector)]


def wait_for(page, what, condition):
    """Wait until the condition gives something, and give it; fail with what there is instead."""
    wait = WebDriverWait(page, SECONDS, ignored_exceptions=[StaleElementReferenceException])
    try:
        return wait.until(lambda page: condition())
    except TimeoutException:
        seen = {selector: texts(page, selector) for selector in (TAB, HEADING, DIALOG, PROMPT)}
        pytest.fail(f"no {what} within {SECONDS} s; the page has {seen}")


def find(page, xpath):
    def shown():
        return [found for found in page.find_elements(By.XPATH, xpath) if found.is_displayed()]

    return wait_for(page, xpath, shown)[0]


def failures(page):
    return [text for text in texts(page, ERROR) if "Traceback (most recent call last)" in text]


def open_notebook(page, name, title):
    """Open a notebook from the list of files; wait for its title and its kernel."""
    ActionChains(page).double_click(find(page, FILE.format(name))).perform()
    wait_for(page, f"tab {name}", lambda: texts(page, TAB) == [f"{name}.ipynb"])
    wait_for(page, f"title {title!r}", lambda: title in texts(page, HEADING))
    wait_for(page, f"kernel of {name}", lambda: page.find_elements(By.CSS_SELECTOR, IDLE))
    assert texts(page, DIALOG) == []


def title_of(notebook):
    return notebook.cells[0].source.splitlines()[0].removeprefix("# ")


def run_all(page, name):
    """Open the copy of a notebook without outputs and run all of its cells; return the notebook."""
    notebook = nbformat.read(NOTEBOOKS[name], as_version=4)
    open_notebook(page, f"run_{name}", title_of(notebook))
    assert texts(page, FIGURE) == []
    find(page, RUN_MENU).click()
    find(page, RUN_ALL).click()
    return notebook


@pytest.mark.parametrize("name", [RUN[0], pytest.param(RUN[1], marks=pytest.mark.exhaustive)])
def test_notebook_runs_from_top_to_bottom(name, page):
    notebook = run_all(page, name)
    n_cells = sum(cell.cell_type == "code" for cell in notebook.cells)
    in_order = [f"[{number}]:" for number in range(1, n_cells + 1)]
    wait_for(page, "end", lambda: texts(page, PROMPT) == in_order or failures(page))
    assert failures(page) == []
    figures = page.find_elements(By.CSS_SELECTOR, FIGURE)
    assert figures and all(figure.get_property("naturalWidth") > 100 for figure in figures)


@pytest.mark.exhaustive
def test_a_progress_bar_moves_while_an_experiment_runs(page):
    run_all(page, WITH_BAR)
    seen = set()

    def moved():
        seen.update(re.findall(r"(\d+)\sof\s\d+\stasks", " ".join(texts(page, OUTPUT))))
        return len(seen) > 2 or failures(page)

    wait_for(page, "moving bar", moved)
    assert failures(page) == []


@pytest.mark.exhaustive
def test_the_figure_changes_when_a_control_of_the_explorer_is_moved(page):
    run_all(page, EXPLORER)

    def drawn():
        return [one.get_attribute("src") for one in page.find_elements(By.CSS_SELECTOR, DRAWN)]

    [before] = wait_for(page, "figure of the controls", drawn)
    Select(find(page, PRIOR)).select_by_visible_text("smoothing (1, 10)")
    wait_for(page, "another figure", lambda: drawn() not in ([], [before]) or failures(page))
    assert failures(page) == []


# These come last: in a page of many notebooks Chromium is slow to run another.
OPENED = ("00_setting_and_data", "08_any_classifier", EXPLORER)  # the others in make test-all


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in OPENED else pytest.mark.exhaustive) for n in NOTEBOOKS],
)
def test_notebook_opens_with_its_title_figures_and_formulas(name, page):
    notebook = nbformat.read(NOTEBOOKS[name], as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    n_figures = sum("image/png" in output.get("data", {}) for output in outputs)
    open_notebook(page, name, title_of(notebook))
    wait_for(page, f"{n_figures} figures", lambda: len(texts(page, FIGURE)) == n_figures)
    wait_for(page, "typeset formulas", lambda: not any("$" in text for text in texts(page, TEXT)))
    assert n_figures and texts(page, BAD_FORMULA) == []
