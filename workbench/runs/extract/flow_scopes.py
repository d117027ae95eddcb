"""The variable of each name of the code by Python's scoping, and the bindings whose order is certain.

A variable holds every value that is ever bound to it. A binding gets a variable of its own, a *version*, only
if a scope's own statements bind the name one after the other, outside of loops, branches and try.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from workbench.runs.extract.flow_subset import BUILTINS, EXCEPTIONS, TYPES
from workbench.runs.kinds.python_code.allowed_functions import MODULE_FUNCTIONS
from workbench.runs.values.found_value import Missing

type Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
MODULE = 0


class CodeVariable(NamedTuple):
    """A name of a scope; ``version`` counts its bindings if their order is certain."""

    scope: int
    name: str
    version: int | None


@dataclass(slots=True)
class CodeScope:
    """The module, a function or a comprehension."""

    number: int
    parent: CodeScope | None
    kind: str
    bound: set[str] = field(default_factory=set[str])
    elsewhere: dict[str, str] = field(default_factory=dict[str, str])
    # The number of bindings of each name so far, in the order of the code.
    counts: dict[str, int] = field(default_factory=dict[str, int])
    # Names whose bindings do not simply follow one another.
    unordered: set[str] = field(default_factory=set[str])
    functions: dict[str, list[ast.FunctionDef]] = field(default_factory=dict[str, list[ast.FunctionDef]])
    imports: dict[str, str] = field(default_factory=dict[str, str])
    values: set[str] = field(default_factory=set[str])

    def block(self) -> CodeScope:
        """The function or module that contains a comprehension; any other scope itself."""
        scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        return scope


class _Use(NamedTuple):
    scope: CodeScope
    seen: int
    deferred: bool


class Scopes:
    """The scopes of several programs that share one module."""

    def __init__(
        self, trees: Sequence[ast.Module], tools: frozenset[str], modules: frozenset[str], *, ordered: bool
    ) -> None:
        """Find all bindings; raises Missing if a binding would change the meaning of a tool or a module."""
        self.module = CodeScope(MODULE, None, "module")
        self._tools = tools
        self._modules = modules
        self._ordered = ordered
        self._scopes = [self.module]
        self._uses: dict[int, _Use] = {}
        self.of: dict[int, CodeScope] = {}
        for tree in trees:
            self._body(tree.body, self.module)
        self._check()

    # --- what names mean ------------------------------------------------------------

    def owner(self, node: ast.Name | ast.FunctionDef | ast.ExceptHandler, name: str) -> CodeScope | None:
        """The scope that owns the variable of the name; None if the code nowhere binds it."""
        return self._resolved(self._uses[id(node)].scope, name)

    def variable(self, node: ast.Name, *, before: bool = False) -> CodeVariable | None:
        """The variable of a name; with ``before`` the version that an augmented assignment reads."""
        use = self._uses[id(node)]
        owner = self._resolved(use.scope, node.id)
        if owner is None:
            return None
        ordered = (
            self._ordered
            and not use.deferred
            and owner.kind != "comprehension"
            and owner is use.scope.block()
            and node.id not in owner.unordered
        )
        return CodeVariable(owner.number, node.id, use.seen - before if ordered else None)

    def _resolved(self, scope: CodeScope | None, name: str) -> CodeScope | None:
        while scope is not None:
            where = scope.elsewhere.get(name)
            if where == "global":
                return self.module if name in self.module.bound else None
            if where is None and name in scope.bound:
                return scope
            scope = scope.parent
        return None

    def _check(self) -> None:
        for scope in self._scopes:
            for name, where in scope.elsewhere.items():
                start = self.module if where == "global" else scope.parent
                owner = self._resolved(start, name)
                if owner is not None:
                    owner.unordered.add(name)
                    if (
                        name in owner.functions
                        or name in owner.imports
                        or name in scope.functions
                        or name in scope.imports
                    ):
                        raise Missing(f"the code declares {name} as {where}, which is a function or a module")
            for name in scope.bound:
                kinds = (name in scope.functions) + (name in scope.imports) + (name in scope.values)
                if kinds > 1:
                    raise Missing(f"the code uses {name} for a value and for a function or a module")

    # --- bindings -------------------------------------------------------------------

    def _bind(self, scope: CodeScope, name: str, line: int) -> CodeScope:
        if name in self._tools:
            raise Missing(f"the code gives {name} another meaning in line {line}")
        if scope.elsewhere.get(name) == "global":
            # A name that a function declares global is bound in the module.
            scope = self.module
            scope.unordered.add(name)
        elif name in scope.elsewhere:
            return scope
        scope.bound.add(name)
        return scope

    def _bind_value(self, node: ast.Name, scope: CodeScope, *, straight: bool) -> None:
        block = self._bind(scope, node.id, node.lineno)
        block.values.add(node.id)
        block.counts[node.id] = block.counts.get(node.id, 0) + 1
        if not straight:
            block.unordered.add(node.id)
        self._use(node, scope)

    def _bind_fixed(self, scope: CodeScope, name: str, line: int) -> CodeScope:
        """Bind a function or an import; raises Missing for a builtin's name, ambiguous before the binding."""
        if name in BUILTINS | TYPES | EXCEPTIONS:
            raise Missing(f"the code gives {name} another meaning in line {line}")
        block = self._bind(scope, name, line)
        block.unordered.add(name)
        return block

    def _use(
        self,
        node: ast.Name | ast.FunctionDef | ast.ExceptHandler,
        scope: CodeScope,
        *,
        deferred: bool = False,
    ) -> None:
        name = node.id if isinstance(node, ast.Name) else node.name or ""
        self._uses[id(node)] = _Use(scope, scope.block().counts.get(name, 0), deferred)

    # --- walking --------------------------------------------------------------------

    def _body(self, body: list[ast.stmt], scope: CodeScope) -> None:
        self._declarations(body, scope)
        for statement in body:
            self._statement(statement, scope, straight=True)

    def _declarations(self, body: list[ast.stmt], scope: CodeScope) -> None:
        for part in _own(body):
            if isinstance(part, ast.Global | ast.Nonlocal):
                where = "global" if isinstance(part, ast.Global) else "nonlocal"
                if scope.kind != "module":
                    scope.elsewhere.update(dict.fromkeys(part.names, where))

    def _statement(self, node: ast.stmt, scope: CodeScope, *, straight: bool) -> None:
        match node:
            case ast.Assign():
                self._expression(node.value, scope)
                for target in node.targets:
                    self._target(target, scope, straight=straight)
            case ast.AnnAssign() | ast.AugAssign():
                parts = [node.annotation] if isinstance(node, ast.AnnAssign) else []
                for part in [*parts, *([node.value] if node.value is not None else [])]:
                    self._expression(part, scope)
                self._target(node.target, scope, straight=straight and node.value is not None)
            case ast.For():
                self._expression(node.iter, scope)
                self._target(node.target, scope, straight=False)
                self._inner([*node.body, *node.orelse], scope)
            case ast.FunctionDef():
                self._function(node, scope)
            case ast.Import() | ast.ImportFrom():
                self._import(node, scope)
            case ast.Try():
                self._inner([*node.body, *node.orelse, *node.finalbody], scope)
                for handler in node.handlers:
                    self._handler(handler, scope)
            case _:
                self._children(node, scope)

    def _children(self, node: ast.stmt, scope: CodeScope) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._expression(child, scope)
            elif isinstance(child, ast.stmt):
                self._statement(child, scope, straight=False)

    def _handler(self, handler: ast.ExceptHandler, scope: CodeScope) -> None:
        if handler.type is not None:
            self._expression(handler.type, scope)
        if handler.name is not None:
            block = self._bind(scope, handler.name, handler.lineno)
            block.values.add(handler.name)
            block.unordered.add(handler.name)
        self._use(handler, scope)
        self._inner(handler.body, scope)

    def _inner(self, body: list[ast.stmt], scope: CodeScope) -> None:
        for statement in body:
            self._statement(statement, scope, straight=False)

    def _target(self, node: ast.expr, scope: CodeScope, *, straight: bool) -> None:
        match node:
            case ast.Name():
                self._bind_value(node, scope, straight=straight)
            case ast.Tuple() | ast.List():
                for item in node.elts:
                    self._target(item, scope, straight=straight)
            case ast.Starred():
                self._target(node.value, scope, straight=straight)
            case _:
                self._expression(node, scope)

    def _function(self, node: ast.FunctionDef, scope: CodeScope) -> None:
        for default in [*node.args.defaults, *node.args.kw_defaults, node.returns, *_annotations(node.args)]:
            if default is not None:
                self._expression(default, scope)
        block = self._bind_fixed(scope, node.name, node.lineno)
        block.functions.setdefault(node.name, []).append(node)
        self._use(node, scope)
        inner = self._new(scope, "function", node)
        for parameter in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
            self._bind(inner, parameter.arg, parameter.lineno)
            inner.values.add(parameter.arg)
        self._body(node.body, inner)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: CodeScope) -> None:
        for alias in node.names:
            path, name = _imported(node, alias, self._modules)
            block = self._bind_fixed(scope, name, node.lineno)
            if block.imports.setdefault(name, path) != path:
                raise Missing(f"the code uses {name} for two modules (line {node.lineno})")

    def _new(self, parent: CodeScope, kind: str, node: ast.AST) -> CodeScope:
        scope = CodeScope(len(self._scopes), parent, kind)
        self._scopes.append(scope)
        self.of[id(node)] = scope
        return scope

    def _expression(self, node: ast.expr, scope: CodeScope, *, deferred: bool = False) -> None:
        match node:
            case ast.Name():
                self._use(node, scope, deferred=deferred)
            case ast.NamedExpr():
                self._expression(node.value, scope, deferred=deferred)
                self._bind_value(node.target, scope.block(), straight=False)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self._comprehension(node, scope, deferred=deferred)
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self._expression(child, scope, deferred=deferred)
                    elif isinstance(child, ast.keyword):
                        self._expression(child.value, scope, deferred=deferred)

    def _comprehension(self, node: Comprehension, scope: CodeScope, *, deferred: bool) -> None:
        inner = self._new(scope, "comprehension", node)
        # A generator runs when its elements are requested, perhaps after names around it were bound again.
        deferred = deferred or isinstance(node, ast.GeneratorExp)
        for index, generator in enumerate(node.generators):
            self._expression(generator.iter, scope if index == 0 else inner, deferred=deferred)
            self._target(generator.target, inner, straight=False)
            for condition in generator.ifs:
                self._expression(condition, inner, deferred=deferred)
        for part in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self._expression(part, inner, deferred=deferred)


def _own(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The nodes in a scope's statements, without the insides of nested functions."""
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef):
            yield from _own(list(ast.iter_child_nodes(node)))


def _annotations(args: ast.arguments) -> list[ast.expr]:
    parameters = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return [parameter.annotation for parameter in parameters if parameter.annotation is not None]


def _imported(
    node: ast.Import | ast.ImportFrom, alias: ast.alias, modules: frozenset[str]
) -> tuple[str, str]:
    """The path that an import binds, and the name; raises Missing for an unlisted module."""
    if isinstance(node, ast.Import):
        if alias.name not in modules:
            raise Missing(f"the code imports {alias.name} in line {node.lineno}, which may read data")
        return alias.name, alias.asname or alias.name
    module = node.module or "."
    if node.level or module not in modules:
        raise Missing(f"the code imports {module} in line {node.lineno}, which may read data")
    if alias.name == "*":
        raise Missing(f"the code imports * from {module} in line {node.lineno}, which cannot be followed")
    return f"{module}.{alias.name}", alias.asname or alias.name


def known_path(path: str, modules: frozenset[str]) -> bool:
    """Whether the dotted path is a function that the code may call."""
    if path in modules and "." in path:
        return True
    module, _, function = path.partition(".")
    return module in modules and function in MODULE_FUNCTIONS.get(module, frozenset())
