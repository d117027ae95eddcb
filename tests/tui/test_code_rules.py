"""Rules that hold for the code of the screen: no markup, no style without its widget, one table of keys."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.css.tokenize import tokenize
from textual.dom import DOMNode
from textual.keys import _character_to_key as character_to_key  # pyright: ignore[reportPrivateUsage]

import workbench.tui
from workbench.tui.keys import ACTIONS, BY_ID

FOLDER = Path(workbench.tui.__path__[0])
SOURCES = sorted(FOLDER.rglob("*.py"))
SHEETS = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.tcss"))
TITLES = {"border_title", "border_subtitle", "tooltip"}
SAFE_WIDGETS = {"ContentSwitcher", "Input", "Static", "TextArea"}
MARKUP = {"escape", "from_markup", "from_ansi", "render_markup", "Markdown", "RichLog", "Label"}


def _calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            yield str(name), node


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node.module or "", alias.name


def unsafe(source: str) -> list[str]:
    """The parts of a source that could let outside text be read as markup."""
    tree = ast.parse(source)
    problems = [
        f"imports {name}" for module, name in _imported(tree) if module.endswith(("markup", "markdown"))
    ]
    problems += [
        f"uses the widget {name}"
        for module, name in _imported(tree)
        if module == "textual.widgets" and name not in SAFE_WIDGETS
    ]
    for name, call in _calls(tree):
        if name in MARKUP and not (name == "escape" and ast.unparse(call.func) == "re.escape"):
            problems.append(f"calls {name}")
        markup = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}.get("markup")
        if name in ("notify", "Static") and markup != "False":
            problems.append(f"calls {name} with markup")
        if markup not in (None, "False"):
            problems.append("asks for markup")
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
            target, value = node.targets[0].attr, node.value
            if target in TITLES and not (isinstance(value, ast.Call) and ast.unparse(value.func) == "title"):
                problems.append(f"sets {target} to something else than title(...)")
    return problems


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_no_text_can_be_read_as_markup(path: Path) -> None:
    assert unsafe(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "from rich.markup import escape",
        "from textual.widgets import Label",
        "self.notify(text)",
        "self.notify(text, markup=True)",
        "self.border_title = name",
        "Content.from_markup(text)",
        "Static(text)",
    ],
)
def test_the_rule_finds_what_it_forbids(source: str) -> None:
    assert unsafe(source) != []


def named(sheet: str) -> set[str]:
    """The classes of widgets that a style sheet names."""
    tokens = tokenize(sheet, ("sheet", ""))
    values = {token.value for token in tokens if token.name in {"selector_start", "selector"}}
    return {value for value in values if value[0].isupper()}


def below(kind: type[object]) -> Iterator[type[object]]:
    """All classes derived from a class."""
    for child in kind.__subclasses__():
        yield from (child, *below(child))


@pytest.fixture(scope="module")
def widgets() -> set[str]:
    """The names of all widgets of the workbench, and of those of Textual that it uses."""
    for module in pkgutil.walk_packages(workbench.tui.__path__, "workbench.tui."):
        importlib.import_module(module.name)
    return {kind.__name__ for kind in below(DOMNode)}


@pytest.mark.parametrize("name", SHEETS)
def test_a_style_sheet_names_widgets_that_there_are(name: str, widgets: set[str]) -> None:
    assert named((FOLDER / name).read_text(encoding="utf-8")) - widgets == set()


def test_the_names_in_a_sheet_are_found() -> None:
    assert named("Form { & Gone.-wide #fields { height: 1; } }\nOther:focus, .pane { width: 2; }") == {
        *("Form", "Gone", "Other"),
    }


def test_actions_have_one_name_and_a_key_starts_one_of_them() -> None:
    assert len(BY_ID) == len(ACTIONS)
    for place in {"", *(where for action in ACTIONS for where in action.where)}:
        keys = [
            key
            for action in ACTIONS
            if action.keys and (place in action.where if place else not action.where)
            for key in action.keys.split(",")
        ]
        assert len(keys) == len(set(keys)), place


def test_every_key_is_one_that_plain_terminals_send() -> None:
    reserved = {  # Textual's name for Esc and a character, which is how terminals send Alt
        f"alt+{character_to_key(sequence[1])}"
        for sequence in ANSI_SEQUENCES_KEYS
        if len(sequence) == 2 and sequence[0] == "\x1b"
    }
    assert "alt+0" in reserved
    silent = reserved | {"ctrl+enter"}
    assert [action.id for action in ACTIONS if action.keys and set(action.keys.split(",")) <= silent] == []
