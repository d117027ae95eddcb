"""A model's expression as text that can stand in a policy file, or the reason why it cannot.

Only the form is looked at here: one expression, nothing around it. Whether it is in the dialect is
decided by ``workbench.policy.check`` on the whole file; nothing is run before that.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence


class NotAnExpression(ValueError):
    """The text is not one expression; the message says so to the model."""


def clean(
    text: str,
    *,
    rename: Mapping[str, str] | None = None,
    inline: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """The expression, written anew from its syntax tree: comments and layout are gone.

    Names in ``rename`` are replaced by other names, names in ``inline`` by sets of texts in place.
    Raises NotAnExpression.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
        changed = _Names(rename or {}, inline or {}).visit(tree)
        return ast.unparse(ast.fix_missing_locations(changed))
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else "it cannot be read"
        raise NotAnExpression(f"{text[:120]!r} is not a Python expression: {reason}.") from None
    except (RecursionError, MemoryError):
        raise NotAnExpression("The expression is nested too deeply; write it more simply.") from None


def line(text: str) -> str:
    """A model's sentence on one line, without what a terminal or an editor would act on."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def names_in(text: str) -> frozenset[str]:
    """The names that a clean expression mentions."""
    return frozenset(node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name))


class _Names(ast.NodeTransformer):
    def __init__(self, rename: Mapping[str, str], inline: Mapping[str, Sequence[str]]) -> None:
        self._rename = rename
        self._inline = inline

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a name."""
        if node.id in self._inline:
            values = [ast.Constant(value) for value in self._inline[node.id]]
            return ast.Set(elts=list[ast.expr](values)) if values else _empty()
        return ast.Name(self._rename.get(node.id, node.id), ast.Load())


def _empty() -> ast.expr:
    return ast.Call(ast.Name("frozenset", ast.Load()), [], [])
