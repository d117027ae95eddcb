"""Code that Python 3.12 rejects and newer versions run is found, because the tests run in one version."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "workbench"
REFUSED = """
@dataclass(frozen=True, slots=True)
class Box[T]:
    held: T

box = Box[int](1)
"""


def parsed_where(pattern: str, texts: Iterable[str]) -> Iterator[ast.Module]:
    """The modules in whose text an expression is found; to parse and walk all of them takes seconds."""
    return (ast.parse(text) for text in texts if re.search(pattern, text))


def slotted_generics(trees: Iterable[ast.Module]) -> set[str]:
    """The names of frozen dataclasses with slots and type parameters."""
    return {
        node.name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and node.type_params
        and any({"frozen=True", "slots=True"} <= words_of(decorator) for decorator in node.decorator_list)
    }


def words_of(decorator: ast.expr) -> set[str]:
    """The keywords in a call of a decorator."""
    return (
        {ast.unparse(keyword) for keyword in decorator.keywords} if isinstance(decorator, ast.Call) else set()
    )


def calls_with_a_type(trees: Iterable[ast.Module], names: set[str]) -> Iterator[str]:
    """The calls ``Name[...](...)`` of the named classes."""
    for tree in trees:
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Subscript)
                and ast.unparse(node.func.value) in names
            ):
                yield ast.unparse(node.func)


def test_no_frozen_class_with_slots_is_called_with_its_type() -> None:
    texts = [path.read_text("utf-8") for path in PACKAGE.rglob("*.py")]
    names = slotted_generics(parsed_where(r"\bclass \w+\s*\[", texts))
    called = parsed_where(rf"\b(?:{'|'.join(names)})\s*\[", texts) if names else ()
    assert list(calls_with_a_type(called, names)) == []


def test_such_a_call_is_noticed() -> None:
    trees = [ast.parse(REFUSED)]
    assert list(calls_with_a_type(trees, slotted_generics(trees))) == ["Box[int]"]
