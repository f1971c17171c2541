"""Settings of the site: `make docs` writes it to build/docs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # accessible, generated_pages, struct_tables

import unveil

project = "unveil"
author = "The unveil developers"
version = release = unveil.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "accessible", "generated_pages", "struct_tables"]
exclude_patterns = ["search.md"]  # Sphinx has a page of that name: exact-search.md includes it
highlight_language = "none"
default_role = "literal"
nitpicky = True
nitpick_ignore = [("py:class", "collections.abc.Mapping")]

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"

html_theme = "furo"
html_title = "unveil"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
