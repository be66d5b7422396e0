"""How the site is built: `make docs`. Nothing in it asks a network."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

from routh.version import __version__  # noqa: E402

project = "Routh"
author = "The Routh maintainers"
copyright = "The Routh maintainers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "routh_book.site"]
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
exclude_patterns = ["_ext", "_static"]
if os.environ.get("WITHOUT") == "gallery":  # while a page is written: a hundred pages less to execute
    exclude_patterns += ["gallery/*/*.md"]
routh_book_kept = str(HERE.parent / "build" / "docs-kept")

nitpicky = True  # a name of ours that leads nowhere is a mistake; types of others lead nowhere
nitpick_ignore_regex = [(r"py:.*", r"(?!routh\.).*")]
default_role = "literal"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 72
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
smartquotes = False

html_theme = "furo"
html_title = "Routh"
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_math_renderer = "katex"
html_show_search_summary = False  # a summary would be fetched, which pages on a disk may not
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": False}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
