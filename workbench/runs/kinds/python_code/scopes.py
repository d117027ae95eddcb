"""The possible meanings of each name of Python code by Python's scoping, for any order of execution."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

BUILTIN_NAMES = frozenset(name for name in dir(builtins) if not name.startswith("_"))


@dataclass(frozen=True, slots=True)
class Binding:
    """One way in which a name gets a value.

    ``path`` is the path that an import binds. ``value`` is the expression that is assigned, or with
    ``element`` the expression that is looped over. ``function`` is True for a function or class of the code.
    A binding with none of these may be anything.
    """

    path: str = ""
    function: bool = False
    value: ast.expr | None = None
    element: bool = False


@dataclass(slots=True)
class CodeNames:
    """A module, function, class or comprehension, and the names that it binds."""

    kind: str
    parent: CodeNames | None
    bound: dict[str, list[Binding]] = field(default_factory=dict[str, list[Binding]])
    declared: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Meaning:
    """All meanings of a name: the values bound to it, or a builtin or given name.

    ``free`` is True if the builtin or given name may be meant. ``kinds`` are the kinds of the scopes that
    bind it.
    """

    bindings: tuple[Binding, ...]
    free: bool
    kinds: frozenset[str]


class CodeScopes:
    """The scopes of one program."""

    def __init__(self, tree: ast.Module) -> None:
        """Find all bindings."""
        self.module = CodeNames("module", None)
        self._scope_of: dict[int, CodeNames] = {}
        # Bindings that functions make for an enclosing function; which function it is is not determined.
        self._nonlocal: dict[str, list[Binding]] = {}
        self._body(tree.body, self.module)

    def meaning(self, node: ast.Name) -> Meaning:
        """The possible meanings of a name at the place of its use."""
        scope: CodeNames | None = self._scope_of[id(node)]
        bindings: list[Binding] = []
        kinds: set[str] = set()
        direct = True
        while scope is not None:
            where = scope.declared.get(node.id)
            if where == "global":
                scope = self.module
            visible = scope.kind != "class" or direct
            if visible and where != "nonlocal" and node.id in scope.bound:
                bindings += scope.bound[node.id]
                kinds.add(scope.kind)
                if scope.kind == "function":
                    bindings += self._nonlocal.get(node.id, ())
                if "class" not in kinds and scope.kind != "module":
                    # A local name never belongs to an enclosing scope; a name of a class may.
                    return Meaning(tuple(bindings), free=False, kinds=frozenset(kinds))
            direct = direct and scope.kind == "comprehension"
            scope = scope.parent
        return Meaning(tuple(bindings), free=True, kinds=frozenset(kinds))

    def kind_at(self, node: ast.Name) -> str:
        """The kind of the scope that contains a name."""
        return self._scope_of[id(node)].kind

    def is_function(self, node: ast.Name) -> bool:
        """Whether a name is only a function or class of the code."""
        meaning = self.meaning(node)
        return bool(meaning.bindings) and all(binding.function for binding in meaning.bindings)

    # --- bindings -----------------------------------------------------------------

    def _bind(self, name: str, scope: CodeNames, binding: Binding) -> None:
        where = scope.declared.get(name)
        if where == "global":
            scope = self.module
        elif where == "nonlocal":
            self._nonlocal.setdefault(name, []).append(binding)
            return
        scope.bound.setdefault(name, []).append(binding)

    def _target(self, node: ast.expr, scope: CodeNames, binding: Binding) -> None:
        match node:
            case ast.Name():
                self._scope_of[id(node)] = scope
                self._bind(node.id, scope, binding)
            case ast.Tuple() | ast.List():
                for item in node.elts:
                    self._target(item, scope, Binding())
            case ast.Starred():
                self._target(node.value, scope, Binding())
            case _:
                self._expression(node, scope)

    # --- walking ------------------------------------------------------------------

    def _body(self, body: Iterable[ast.stmt], scope: CodeNames) -> None:
        statements = list(body)
        for node in _own(statements):
            if isinstance(node, ast.Global | ast.Nonlocal) and scope.kind != "module":
                kind = "global" if isinstance(node, ast.Global) else "nonlocal"
                scope.declared.update(dict.fromkeys(node.names, kind))
        for statement in statements:
            self._node(statement, scope)

    def _node(self, node: ast.AST, scope: CodeNames) -> None:
        if isinstance(node, ast.expr):
            self._expression(node, scope)
        elif not (self._defining(node, scope) or self._binding(node, scope)):
            for child in ast.iter_child_nodes(node):
                self._node(child, scope)

    def _binding(self, node: ast.AST, scope: CodeNames) -> bool:
        match node:
            case ast.Assign():
                self._expression(node.value, scope)
                for target in node.targets:
                    self._target(target, scope, Binding(value=node.value))
            case ast.AnnAssign():
                for part in (node.annotation, node.value):
                    if part is not None:
                        self._expression(part, scope)
                self._target(node.target, scope, Binding(value=node.value))
            case ast.AugAssign():
                self._expression(node.value, scope)
                self._target(node.target, scope, Binding())
            case ast.For() | ast.AsyncFor():
                self._loop(node, scope)
            case ast.withitem(optional_vars=ast.expr() as target):
                self._expression(node.context_expr, scope)
                self._target(target, scope, Binding())
            case _:
                return self._importing(node, scope)
        return True

    def _loop(self, node: ast.For | ast.AsyncFor, scope: CodeNames) -> None:
        self._expression(node.iter, scope)
        self._target(node.target, scope, Binding(value=node.iter, element=True))
        for statement in [*node.body, *node.orelse]:
            self._node(statement, scope)

    def _importing(self, node: ast.AST, scope: CodeNames) -> bool:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                self._import(node, alias, scope)
            return True
        self._caught(node, scope)
        return False

    def _caught(self, node: ast.AST, scope: CodeNames) -> None:
        """Bind the names of handlers and patterns."""
        match node:
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                self._bind(name, scope, Binding())
            case ast.MatchMapping(rest=str(name)):
                self._bind(name, scope, Binding())
            case _:
                pass

    def _import(self, node: ast.Import | ast.ImportFrom, alias: ast.alias, scope: CodeNames) -> None:
        if isinstance(node, ast.ImportFrom):
            path = f"{node.module or ''}.{alias.name}"
            self._bind(alias.asname or alias.name, scope, Binding(path))
        elif alias.asname is not None:
            self._bind(alias.asname, scope, Binding(alias.name))
        else:
            top = alias.name.partition(".")[0]
            self._bind(top, scope, Binding(top))

    def _defining(self, node: ast.AST, scope: CodeNames) -> bool:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._bind(node.name, scope, Binding(function=True))
                for part in node.decorator_list:
                    self._expression(part, scope)
                if node.returns is not None:
                    self._expression(node.returns, scope)
                self._body(node.body, self._parameters(node.args, scope))
            case ast.ClassDef():
                self._bind(node.name, scope, Binding(function=True))
                for part in [
                    *node.decorator_list,
                    *node.bases,
                    *(keyword.value for keyword in node.keywords),
                ]:
                    self._expression(part, scope)
                self._body(node.body, CodeNames("class", scope))
            case _:
                return False
        return True

    def _parameters(self, args: ast.arguments, scope: CodeNames) -> CodeNames:
        """The scope of a function; defaults and annotations belong to the enclosing scope."""
        inner = CodeNames("function", scope)
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        for parameter in [
            *every,
            *(variadic for variadic in (args.vararg, args.kwarg) if variadic is not None),
        ]:
            self._bind(parameter.arg, inner, Binding())
            if parameter.annotation is not None:
                self._expression(parameter.annotation, scope)
        for default in [*args.defaults, *args.kw_defaults]:
            if default is not None:
                self._expression(default, scope)
        return inner

    def _expression(self, node: ast.expr, scope: CodeNames) -> None:
        match node:
            case ast.Name():
                self._scope_of[id(node)] = scope
            case ast.NamedExpr():
                self._expression(node.value, scope)
                block = scope
                while block.kind == "comprehension" and block.parent is not None:
                    block = block.parent
                self._target(node.target, block, Binding(value=node.value))
            case ast.Lambda():
                self._expression(node.body, self._parameters(node.args, scope))
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self._comprehension(node, scope)
            case _:
                for child in ast.iter_child_nodes(node):
                    self._node(child, scope)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, scope: CodeNames
    ) -> None:
        inner = CodeNames("comprehension", scope)
        for index, generator in enumerate(node.generators):
            self._expression(generator.iter, inner if index else scope)
            self._target(generator.target, inner, Binding(value=generator.iter, element=True))
            for condition in generator.ifs:
                self._expression(condition, inner)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self._expression(part, inner)


def _own(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The statements of a scope, without those of functions and classes in it."""
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _own(child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))
