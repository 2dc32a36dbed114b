"""The site builds without a warning, and has all pages, formulas, figures and a search index."""

import re
import subprocess
import sys

import pytest

from cbkit.paths import project_root
from cbkit.workbook.profiles import notebook_paths

PACKAGES = ("sphinx", "myst_nb", "pydata_sphinx_theme", "sphinxcontrib.bibtex")
TARGET = re.compile(r'(?:href|src)="(?!https?:|mailto:|data:)([^"#?]+)')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site, or skip the tests where its packages are absent."""
    for package in PACKAGES:
        pytest.importorskip(
            package, reason="pip install -e '.[docs]' installs what builds the site"
        )
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, project_root() / "docs" / "build.py", "--to", folder]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.mark.slow
def test_the_site_has_every_notebook_with_its_figures_and_formulas(site):
    for name in notebook_paths():
        page = (site / "notebooks" / f"{name}.html").read_text(encoding="utf-8")
        assert "_images/" in page and "<math" in page, name


@pytest.mark.slow
def test_every_link_within_the_site_leads_somewhere(site):
    for page in set(site.rglob("*.html")) - set((site / "_static").rglob("*.html")):
        for target in TARGET.findall(page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cbkit.BootstrappedUCB", "cbkit.off_policy.evaluate"])
def test_public_names_have_a_page_and_are_found(site, name):
    assert (site / "api" / "generated" / f"{name}.html").exists()
    assert name.rpartition(".")[2].lower() in (site / "searchindex.js").read_text("utf-8").lower()


@pytest.mark.slow
def test_no_page_shows_a_path_of_the_machine_that_built_it(site):
    root = str(project_root())
    assert not [p.name for p in site.rglob("*.html") if root in p.read_text(encoding="utf-8")]
