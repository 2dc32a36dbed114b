"""Settings of the site; `docs/build.py` lays its pages together and calls Sphinx."""

import importlib.metadata

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

project = "cbkit"
author = "The cbkit authors"
release = importlib.metadata.version("cbkit")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["**.ipynb_checkpoints"]
templates_path = ["_templates"]

nb_execution_mode = "off"  # notebooks are shown with the outputs that are stored
nb_merge_streams = True
nb_render_markdown_format = "myst"  # outputs have tables, formulas and links to pages as cells do
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

default_role = "py:obj"  # `name` in a docstring is a link where the name is public
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings say the types
autosummary_imported_members = True
napoleon_google_docstring = False
napoleon_use_ivar = True
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"

html_theme = "pydata_sphinx_theme"
html_title = "cbkit"
html_static_path = ["_static"]
html_css_files = ["site.css"]
STAND_ALONE = "index gallery paper_to_code glossary data references contributing changelog".split()
html_sidebars = {page: [] for page in STAND_ALONE}
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
html_theme_options = {
    "show_prev_next": True,
    "navbar_persistent": ["search-button"],
    "footer_start": [],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}


def mathml(node, **options):
    """Return a formula as MathML, which browsers show without a script or a server."""
    latex = node.astext().replace(r"\dots", r"\ldots")
    try:
        return tex2mathml(latex, **options)
    except MathError as error:
        logging.getLogger(__name__).warning("%s in the formula %s", error, latex, location=node)
        return node.astext()


def inline_formula(translator, node):
    translator.body.append(mathml(node))
    raise nodes.SkipNode


def displayed_formula(translator, node):
    translator.body.append(f'<div class="formula">{mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (inline_formula, None), (displayed_formula, None))
