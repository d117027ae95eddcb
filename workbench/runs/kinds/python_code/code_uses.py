"""The modules, functions and attributes that Python code names, and whether the code hides what runs.

All code in the text is assumed to run. A function counts where it is *named*, whether it is called there or
not. So it does not matter through which variable, container or other function it is called.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from workbench.runs.kinds.python_code.known_texts import KnownTexts
from workbench.runs.kinds.python_code.refused_names import (
    BY_NAME,
    INNER_MODULES,
    hiding_attribute,
    hiding_module,
    hiding_path,
    named_path,
)
from workbench.runs.kinds.python_code.scopes import BUILTIN_NAMES, CodeScopes, Meaning
from workbench.runs.kinds.python_code.texts import format_fields

_UNKNOWN_NODES = ("TypeAlias", "TypeVar", "ParamSpec", "TypeVarTuple", "TemplateStr", "Interpolation")
_OWN_DUNDERS = frozenset({"__all__", "__version__", "__author__"})
_READABLE_DUNDERS = frozenset({"__name__", "__doc__", "__file__", "__debug__"})
# The tables of these libraries run texts that some of their methods get as arguments.
_TABLES = frozenset({"pandas", "dask", "modin", "geopandas", "cudf", "pyspark", "polars", "xarray"})
_BY_TEXT = frozenset({"agg", "aggregate", "apply", "transform"})
_DEPTH = 20


@dataclass(frozen=True, slots=True)
class NamedUse:
    """One place where the code names something: ``os.remove``, or ``.to_csv`` for an attribute of a value.

    ``call`` is the call of it. It is None if the name is not called there; then it may get any arguments.
    """

    name: str
    node: ast.expr
    call: ast.Call | None


@dataclass(slots=True)
class CodeUses:
    """All names in the code, and the reasons why something may be hidden, each with its line."""

    hidden: list[str] = field(default_factory=list[str])
    imports: set[str] = field(default_factory=set[str])
    uses: list[NamedUse] = field(default_factory=list[NamedUse])


class UsesReader:
    """Reads the uses of one program; ``given_names`` are names that exist before it begins."""

    def __init__(self, tree: ast.Module, given_names: frozenset[str]) -> None:
        """Read the whole program."""
        self.code_uses = CodeUses()
        self.scopes = CodeScopes([tree])
        self.texts = KnownTexts(self.scopes, self.paths)
        self._given_names = given_names
        self._found: dict[tuple[int, int], tuple[frozenset[str], bool]] = {}
        for node in ast.walk(tree):
            self._check(node)
        if not self.code_uses.hidden:
            for node in ast.walk(tree):
                self._imports(node)
            for statement in tree.body:
                self._visit(statement)

    def paths(self, node: ast.expr) -> frozenset[str]:
        """The paths of which a name or a chain of attributes certainly is one; empty if it may be a value."""
        root, attributes = _chain(node)
        if not isinstance(root, ast.Name):
            return frozenset()
        paths, value = self._stands_for(root)
        return frozenset() if value else frozenset(_path(path, attributes) for path in paths)

    # --- names that hide for any meaning ------------------------------------------

    def _hide(self, node: ast.AST, why: str) -> None:
        reason = f"line {getattr(node, 'lineno', 1)} {why}"
        if reason not in self.code_uses.hidden:
            self.code_uses.hidden.append(reason)

    def _check(self, node: ast.AST) -> None:
        if type(node).__name__ in _UNKNOWN_NODES:
            self._hide(node, f"has a {type(node).__name__}, which is not read")
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name.startswith("__") and name not in _READABLE_DUNDERS:
                self._hide(node, f"uses {name}, which reaches into the interpreter")
            case ast.Name(id=name) if name.startswith("__") and not name.endswith("__"):
                self._hide(node, f"uses {name}, which has another name within a class")
            case ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation):
                self._annotation(annotation)
            case (
                ast.FunctionDef(returns=ast.expr() as annotation)
                | ast.AsyncFunctionDef(returns=ast.expr() as annotation)
            ):
                self._annotation(annotation)
            case ast.Module():
                for name in self.scopes.module.bound:
                    if name.startswith("__") and name not in _OWN_DUNDERS:
                        self._hide(node, f"gives {name} another meaning")
            case _:
                pass

    def _annotation(self, annotation: ast.expr) -> None:
        """Hide texts in an annotation that may be code, since libraries run annotations that are texts."""
        for node in ast.walk(annotation):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _runs(node.value):
                self._hide(node, "has an annotation that is a text which may be run")

    def _imports(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            modules = [(alias.name, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                self._hide(node, "imports a file next to the code")
            if module == "__future__":
                return
            if any(alias.name == "*" for alias in node.names):
                self._hide(node, f"imports * from {module}, which may be any names")
            modules = [(module, f"{module}.{alias.name}") for alias in node.names]
        else:
            return
        for module, path in modules:
            self.code_uses.imports.add(module)
            why = hiding_module(module) or hiding_path(named_path(path))
            if why is not None:
                self._hide(node, why)

    # --- what names mean ----------------------------------------------------------

    def _stands_for(self, name: ast.Name, depth: int = 0) -> tuple[frozenset[str], bool]:
        """The paths that a name may mean, and whether it may be a value of the code.

        They are found once for a name and depth: names that are bound to each other have as many ways as
        there are orders of them.
        """
        found = self._found.get((id(name), depth))
        if found is None:
            found = self._found[id(name), depth] = self._bound_to(name, depth)
        return found

    def _bound_to(self, name: ast.Name, depth: int) -> tuple[frozenset[str], bool]:
        meaning = self.scopes.meaning(name)
        paths: set[str] = set()
        value = depth > _DEPTH
        for binding in meaning.bindings:
            root, attributes = (None, ()) if binding.value is None else _chain(binding.value)
            if binding.path:
                paths.add(binding.path)
            elif isinstance(root, ast.Name) and not binding.element and depth <= _DEPTH:
                inner, inner_value = self._stands_for(root, depth + 1)
                paths |= {_path(path, attributes) for path in inner}
                value = value or inner_value
            else:
                value = True
        if meaning.free and name.id in BUILTIN_NAMES | self._given_names:
            paths.add(name.id)
        elif not meaning.bindings:
            value = True
        return frozenset(paths), value

    def _defined(self, name: ast.Name, meaning: Meaning) -> bool:
        known_names = BUILTIN_NAMES | self._given_names | _READABLE_DUNDERS
        return bool(meaning.bindings) or name.id in known_names

    # --- walking ------------------------------------------------------------------

    def _visit(self, node: ast.AST, call: ast.Call | None = None, *, alias: bool = False) -> None:
        match node:
            case ast.Name() | ast.Attribute():
                self._named(node, call, alias=alias)
            case ast.Call():
                self._call(node)
            case ast.Assign() | ast.AnnAssign(value=ast.expr()) | ast.NamedExpr():
                self._assigned(node)
            case ast.MatchClass():
                for name in node.kwd_attrs:
                    self._attribute(name, node.cls, None)
                self._children(node)
            case _:
                self._children(node)

    def _children(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            self._visit(child)

    def _assigned(self, node: ast.Assign | ast.AnnAssign | ast.NamedExpr) -> None:
        """Visit an assignment; uses through an alias of a module are noted where the alias is used."""
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        followed = all(
            isinstance(target, ast.Name) and self.scopes.kind_at(target) != "class" for target in targets
        )
        for child in ast.iter_child_nodes(node):
            self._visit(child, alias=followed and child is node.value)

    def _named(self, node: ast.Name | ast.Attribute, call: ast.Call | None, *, alias: bool) -> None:
        root, attributes = _chain(node)
        if not isinstance(root, ast.Name):
            self._visit(root)
            self._attributes(node, attributes, call)
            return
        if isinstance(root.ctx, ast.Store | ast.Del):
            return
        meaning = self.scopes.meaning(root)
        if not self._defined(root, meaning):
            self._hide(node, f"uses {root.id}, which nothing defines")
            return
        paths, value = self._stands_for(root)
        for path in sorted(paths):
            self._path(_path(path, attributes), node, call, alias=alias)
        if value:
            self._attributes(node, attributes, call)

    def _path(self, path: str, node: ast.expr, call: ast.Call | None, *, alias: bool) -> None:
        why = hiding_path(path)
        if why is not None:
            self._hide(node, why)
        if path in BY_NAME and call is None:
            self._hide(node, f"hands {path} on")
        module = (
            path in INNER_MODULES
            or path in self.code_uses.imports
            or any(imported.startswith(f"{path}.") for imported in self.code_uses.imports)
        )
        if module and not alias:
            self._hide(node, f"hands the module {path} on")
        self.code_uses.uses.append(NamedUse(path, node, call))

    def _attributes(self, node: ast.expr, attributes: tuple[str, ...], call: ast.Call | None) -> None:
        for name in attributes[:-1]:
            self._attribute(name, node, None)
        if attributes:
            self._attribute(attributes[-1], node, call)

    def _attribute(self, name: str, node: ast.expr, call: ast.Call | None) -> None:
        why = hiding_attribute(name)
        is_of_self = (
            isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
        )
        if why is None and name == "obj" and not is_of_self:
            # An AttributeError has this attribute, and its value may be a module.
            why = "uses the attribute obj, which may be a module"
        if why is not None:
            self._hide(node, why)
        self.code_uses.uses.append(NamedUse(f".{name}", node, call))
        if name == "format":
            self._format(node)
        if name in ("query", *_BY_TEXT) and (self._given_names or self._tables()):
            self._by_text(name, node, call)

    # --- calls ----------------------------------------------------------------------

    def _call(self, node: ast.Call) -> None:
        parts = [*node.args, *node.keywords]
        if isinstance(node.func, ast.Name) and node.func.id in BY_NAME:
            parts = self._reached_by_name(node)
        self._visit(node.func, node)
        for part in parts:
            self._visit(part)

    def _reached_by_name(self, node: ast.Call) -> list[ast.expr | ast.keyword]:
        """Follow ``getattr(x, "name")`` like ``x.name``; an unknown name may reach any attribute."""
        texts = self.texts.of(node.args[1]) if len(node.args) > 1 else None
        if texts is None or node.keywords or any(isinstance(part, ast.Starred) for part in node.args):
            self._hide(node, "reaches an attribute whose name is only known when the code runs")
            return []
        for text in sorted(texts):
            reached = ast.copy_location(ast.Attribute(node.args[0], text, ast.Load()), node)
            self._visit(reached)
        return list(node.args[1:])

    def _format(self, node: ast.expr) -> None:
        """Hide a format text that is unknown, or whose fields read parts of its arguments."""
        texts = self.texts.of(node.value) if isinstance(node, ast.Attribute) else None
        if texts is None:
            self._hide(node, "fills in a text that is only known when the code runs")
        elif any("." in field or "[" in field for text in texts for field in format_fields(text)):
            self._hide(node, "fills in a text whose fields reach into a value")

    def _tables(self) -> bool:
        return any(module.partition(".")[0] in _TABLES for module in self.code_uses.imports)

    def _by_text(self, name: str, node: ast.expr, call: ast.Call | None) -> None:
        """Follow methods of tables that take the name of a method, or an expression, as a text."""
        if call is None:
            self._hide(node, f"hands {name} on, which may run a text")
            return
        for part in [*call.args, *(keyword.value for keyword in call.keywords)]:
            for value in _values(part):
                self._run_text(name, value)

    def _run_text(self, name: str, value: ast.expr) -> None:
        texts = self.texts.of(value)
        for text in sorted(texts or ()):
            if name == "query" and "@" in text:
                self._hide(value, "gives query a text that uses variables")
            elif name != "query" and text.isidentifier():
                self._attribute(text, value, None)
        number = isinstance(value, ast.Constant | ast.UnaryOp) and name != "query"
        function = isinstance(value, ast.Lambda) or bool(self.paths(value))
        is_own_function = isinstance(value, ast.Name) and self.scopes.is_function(value)
        if texts is None and not (number or ((function or is_own_function) and name != "query")):
            self._hide(value, f"gives {name} what is only known when the code runs")


def _values(node: ast.expr) -> Iterator[ast.expr]:
    """The values of displays; else the expression itself."""
    match node:
        case ast.List() | ast.Tuple() | ast.Set():
            for item in node.elts:
                yield from _values(item)
        case ast.Dict():
            for item in node.values:
                yield from _values(item)
        case _:
            yield node


def _chain(node: ast.expr) -> tuple[ast.expr, tuple[str, ...]]:
    """The expression at the beginning of a chain of attributes, and the attributes."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    return node, tuple(reversed(attributes))


def _path(path: str, attributes: tuple[str, ...]) -> str:
    return named_path(".".join((path, *attributes)))


def _runs(text: str) -> bool:
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return False
    return any(
        isinstance(node, ast.Call | ast.Lambda | ast.NamedExpr | ast.comprehension) for node in ast.walk(tree)
    )
