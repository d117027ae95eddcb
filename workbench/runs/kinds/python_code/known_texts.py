"""The possible texts of an expression, if all of them are written in the code."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Callable, Iterable, Sequence
from itertools import product

from workbench.runs.kinds.python_code.scopes import BUILTIN_NAMES, CodeScopes

type Texts = frozenset[str] | None
"""All possible texts; None if the code does not determine them."""

_MOST = 64
_DEPTH = 12
_PATHS = frozenset(f"pathlib.{name}" for name in ("Path", "PurePath", "PosixPath", "PurePosixPath"))


class KnownTexts:
    """Finds the texts of expressions; a name has the texts of everything that is ever bound to it."""

    def __init__(self, scopes: CodeScopes, path_of: Callable[[ast.expr], frozenset[str]]) -> None:
        """Take the scopes, and the function that gives the paths of an expression."""
        self._scopes = scopes
        self._path_of = path_of

    def of(self, node: ast.expr, depth: int = 0, *, paths: bool = False) -> Texts:
        """The texts of an expression; with ``paths`` also those of paths that the code puts together."""
        if depth > _DEPTH:
            return None

        def inner(part: ast.expr) -> Texts:
            return self.of(part, depth + 1, paths=paths)

        match node:
            case ast.Constant(value=str(text)):
                return frozenset({text})
            case ast.JoinedStr():
                return _put_together([_field(part, inner) for part in node.values])
            case ast.BinOp(op=ast.Add()):
                return _put_together([inner(node.left), inner(node.right)])
            case ast.IfExp():
                return _either([inner(node.body), inner(node.orelse)])
            case ast.Name():
                return self._named(node, depth, paths=paths)
            case ast.BinOp(op=ast.Div()) if paths:
                return _put_together([inner(node.left), inner(node.right)], posixpath.join)
            case ast.Call() if paths:
                return self._path(node, inner)
            case _:
                return None

    def _named(self, node: ast.Name, depth: int, *, paths: bool) -> Texts:
        meaning = self._scopes.meaning(node)
        if not meaning.bindings or (meaning.free and node.id in BUILTIN_NAMES):
            return None
        alternatives: list[Texts] = []
        for binding in meaning.bindings:
            value = binding.value
            if value is None:
                return None
            if not binding.element:
                alternatives.append(self.of(value, depth + 1, paths=paths))
            elif isinstance(value, ast.List | ast.Tuple | ast.Set):
                alternatives += [self.of(item, depth + 1, paths=paths) for item in value.elts]
            else:
                return None
        return _either(alternatives)

    def _path(self, node: ast.Call, inner: Callable[[ast.expr], Texts]) -> Texts:
        """The texts that ``Path(...)`` and ``os.path.join(...)`` make of their arguments."""
        called = self._path_of(node.func)
        if not called or not called <= _PATHS | {"os.path.join"} or node.keywords:
            return None
        if not node.args:
            return frozenset({"."})
        return _put_together([inner(part) for part in node.args], posixpath.join)


def _field(part: ast.expr, inner: Callable[[ast.expr], Texts]) -> Texts:
    if not isinstance(part, ast.FormattedValue):
        return inner(part)
    return inner(part.value) if part.format_spec is None and part.conversion in (-1, ord("s")) else None


def _either(alternatives: Iterable[Texts]) -> Texts:
    every: set[str] = set()
    for texts in alternatives:
        if texts is None:
            return None
        every |= texts
    return frozenset(every) if 0 < len(every) <= _MOST else None


def _put_together(parts: Sequence[Texts], join: Callable[..., str] = lambda *texts: "".join(texts)) -> Texts:
    known_parts = [part for part in parts if part is not None]
    size = 1
    for part in known_parts:
        size *= len(part)
    if len(known_parts) < len(parts) or size > _MOST:
        return None
    return frozenset(join(*texts) if texts else "" for texts in product(*known_parts))


def argument_texts(call: ast.Call, known: KnownTexts) -> tuple[frozenset[str], bool]:
    """The texts among the arguments of a call, and whether an argument's value is not in the code."""
    texts: set[str] = set()
    unknown = False
    for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
        for part in _parts_of(argument):
            part_texts = known.of(part, paths=True)
            texts |= part_texts or frozenset()
            unknown = unknown or (part_texts is None and not isinstance(part, ast.Constant))
    return frozenset(texts), unknown


def _parts_of(node: ast.expr) -> Iterable[ast.expr]:
    match node:
        case ast.List() | ast.Tuple() | ast.Set():
            for item in node.elts:
                yield from _parts_of(item)
        case ast.Dict():
            for item in [*node.keys, *node.values]:
                yield from _parts_of(item) if item is not None else ()
        case ast.UnaryOp(operand=ast.Constant() as number):
            yield number
        case _:
            yield node
