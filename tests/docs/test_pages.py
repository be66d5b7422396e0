"""Every page of the site does what it says: its code is carried out, and its checks hold."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

from routh_book.cells import every_page, read_page  # noqa: E402
from routh_book.executing import PageError, execute  # noqa: E402

PAGES = [
    pytest.param(page, id=str(page.path.relative_to(DOCS)), marks=[pytest.mark.slow] * page.slow)
    for page in every_page(DOCS)
]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_as_it_says(page):
    assert len(execute(page)) == len(page.cells)


def written(folder, text):
    path = folder / "page.md"
    path.write_text(text, "utf-8")
    return read_page(path)


def test_cells_share_a_namespace_and_a_folder_and_show_what_a_notebook_would(tmp_path):
    page = written(
        tmp_path,
        """
```{run}
import sympy
print("said")
x = sympy.Symbol("x")
x**2
```

:::{solution}
```{model} a.toml
name = "a"
```

```{run}
:raises: KeyError
from pathlib import Path
print(Path("a.toml").read_text())
{}[x]
```
:::

````md
```{run}
this is shown, not run
```
````
""",
    )
    first, second, third = execute(page)
    assert first.printed == "said\n"
    assert 'class="tex"' in first.value
    assert "x^{2}" in first.value
    assert second.code == 'name = "a"'
    assert third.printed == 'name = "a"\n\n'
    assert third.refused == "KeyError: x"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```{check}\nassert 1 == 2\n```", r"page.md:2: AssertionError"),
        ("\n```{run}\n:raises: ValueError\n1 + 1\n```", r"page.md:4: Expected ValueError, and nothing"),
        ("```{run}\n:raises: ValueError\n{}[1]\n```", r"page.md:3: KeyError"),
        ("```{terminal}\nrouth no-such-verb\n```", r"`routh no-such-verb` ended with 2, expected 0"),
        ("```{terminal}\nls\n```", r"runs `routh ...` and `python file.py`. Got `ls`"),
    ],
)  # fmt: skip
def test_a_page_that_does_not_do_what_it_says_is_told(tmp_path, text, said):
    with pytest.raises(PageError, match=said):
        execute(written(tmp_path, text))


def test_figures_that_a_cell_leaves_open_are_shown_and_closed(tmp_path):
    page = written(
        tmp_path,
        """
```{run}
:figure: a line
import matplotlib.pyplot as plt
plt.plot([0, 1])
```

```{run}
1
```
""",
    )
    first, second = execute(page)
    assert len(first.figures) == 1
    assert "<svg" in first.figures[0]
    assert "a line" in first.figures[0]
    assert first.value == ""
    assert second.figures == []
