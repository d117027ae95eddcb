"""The style sheets name widgets that there are: Textual passes over a name that none has."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.css.tokenize import tokenize
from textual.dom import DOMNode

import workbench.old_screen

FOLDER = Path(workbench.old_screen.__path__[0])
SHEETS = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.tcss"))


def named(sheet: str) -> set[str]:
    """The classes of widgets that a style sheet names."""
    tokens = tokenize(sheet, ("sheet", ""))
    values = {token.value for token in tokens if token.name in {"selector_start", "selector"}}
    return {value for value in values if value[0].isupper()}


def below(kind: type[object]) -> Iterator[type[object]]:
    """All classes that are made from a class."""
    for child in kind.__subclasses__():
        yield from (child, *below(child))


@pytest.fixture(scope="module")
def widgets() -> set[str]:
    """The names of all widgets of the workbench, and of those of Textual that it uses."""
    for module in pkgutil.walk_packages(workbench.old_screen.__path__, "workbench.old_screen."):
        importlib.import_module(module.name)
    return {kind.__name__ for kind in below(DOMNode)}


@pytest.mark.parametrize("name", SHEETS)
def test_a_style_sheet_names_widgets_that_there_are(name: str, widgets: set[str]) -> None:
    assert named((FOLDER / name).read_text(encoding="utf-8")) - widgets == set()


def test_the_names_in_a_sheet_are_found() -> None:
    assert named("Form { & Gone.-wide #fields { height: 1; } }\nOther:focus, .pane { width: 2; }") == {
        *("Form", "Gone", "Other"),
    }
