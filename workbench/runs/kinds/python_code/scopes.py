"""The variable of each name of Python code by Python's scoping, and all that is bound to it.

What a name means is given for any order of execution. A binding also gets a *version* if its order is
certain: if a scope's own statements bind the name one after the other, outside of loops, branches and try.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

BUILTIN_NAMES = frozenset(name for name in dir(builtins) if not name.startswith("_"))

# Most nodes bind nothing: those without names in them, and those that only have parts.
_WITHOUT_NAMES = (ast.Constant, ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop)
_OF_PARTS = (
    ast.Call,
    ast.Attribute,
    ast.Subscript,
    ast.Expr,
    ast.keyword,
    ast.Compare,
    ast.BinOp,
    ast.JoinedStr,
)

type Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
type Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
type Binder = ast.Name | ast.FunctionDef | ast.AsyncFunctionDef | ast.ExceptHandler | ast.alias


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


@dataclass(slots=True, eq=False)
class Scope:
    """A module, function, class or comprehension, and the names that it binds.

    ``yields`` is True for a function whose calls make iterators.
    """

    number: int
    kind: str
    parent: Scope | None
    bound: dict[str, list[Binding]] = field(default_factory=dict[str, list[Binding]])
    declared: dict[str, str] = field(default_factory=dict[str, str])
    # The number of bindings of each name so far, in the order of the code.
    counts: dict[str, int] = field(default_factory=dict[str, int])
    # Names whose bindings do not simply follow one another.
    unordered: set[str] = field(default_factory=set[str])
    yields: bool = False

    def block(self) -> Scope:
        """The function, class or module that contains a comprehension; any other scope itself."""
        scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        return scope


@dataclass(frozen=True, slots=True)
class Meaning:
    """All meanings of a name: the values bound to it, or a builtin or given name.

    ``free`` is True if the builtin or given name may be meant. ``kinds`` are the kinds of the scopes that
    bind it.
    """

    bindings: tuple[Binding, ...]
    free: bool
    kinds: frozenset[str]


class Variable(NamedTuple):
    """A name of a scope; ``version`` counts its bindings if their order is certain."""

    scope: int
    name: str
    version: int | None


class _Use(NamedTuple):
    scope: Scope
    seen: int
    deferred: bool


class CodeScopes:
    """The scopes of programs that share one module; ``ordered`` if they run as they are written."""

    def __init__(self, trees: Sequence[ast.Module], *, ordered: bool = True) -> None:
        """Find all bindings."""
        self.module = Scope(0, "module", None)
        self.all = [self.module]
        self.inner: dict[int, Scope] = {}
        """The scopes that functions, lambdas and comprehensions make, by the ids of their nodes."""
        self._ordered = ordered
        self._uses: dict[int, _Use] = {}
        # Bindings that functions make for an enclosing function; which function it is is not determined.
        self._nonlocal: dict[str, list[Binding]] = {}
        self._variables: dict[tuple[int, bool], Variable | None] = {}
        self._deferred = False
        for tree in trees:
            self._body(tree.body, self.module)
        for scope in self.all:
            for name in scope.declared:
                owner = self._owner(scope, name)
                if owner is not None:
                    owner.unordered.add(name)

    def meaning(self, node: ast.Name) -> Meaning:
        """The possible meanings of a name at the place of its use."""
        scope: Scope | None = self._uses[id(node)].scope
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

    def variable(self, node: Binder, name: str, *, before: bool = False) -> Variable | None:
        """The variable that a node names; None if the code nowhere binds it.

        With ``before`` it is the version that an augmented assignment reads. Code with classes is not asked.
        """
        key = (id(node), before)
        if key not in self._variables:
            self._variables[key] = self._variable(self._uses[id(node)], name, before=before)
        return self._variables[key]

    def _variable(self, use: _Use, name: str, *, before: bool) -> Variable | None:
        owner = self._owner(use.scope, name)
        if owner is None:
            return None
        ordered = (
            self._ordered
            and not use.deferred
            and owner.kind != "comprehension"
            and owner is use.scope.block()
            and name not in owner.unordered
        )
        return Variable(owner.number, name, use.seen - before if ordered else None)

    def kind_at(self, node: ast.Name) -> str:
        """The kind of the scope that contains a name."""
        return self._uses[id(node)].scope.kind

    def is_function(self, node: ast.Name) -> bool:
        """Whether a name is only a function or class of the code."""
        meaning = self.meaning(node)
        return bool(meaning.bindings) and all(binding.function for binding in meaning.bindings)

    def _owner(self, scope: Scope | None, name: str) -> Scope | None:
        while scope is not None:
            where = scope.declared.get(name)
            if where == "global":
                return self.module if name in self.module.bound else None
            if where is None and name in scope.bound:
                return scope
            scope = scope.parent
        return None

    # --- bindings -----------------------------------------------------------------

    def _bind(self, name: str, scope: Scope, binding: Binding, *, straight: bool = False) -> None:
        where = scope.declared.get(name)
        if where == "nonlocal":
            self._nonlocal.setdefault(name, []).append(binding)
        else:
            block = self.module if where == "global" else scope
            block.bound.setdefault(name, []).append(binding)
            block.counts[name] = block.counts.get(name, 0) + 1
            if not straight:
                block.unordered.add(name)

    def _use(self, node: Binder, name: str, scope: Scope) -> None:
        self._uses[id(node)] = _Use(scope, scope.block().counts.get(name, 0), self._deferred)

    def _target(self, node: ast.expr, scope: Scope, binding: Binding, *, straight: bool = False) -> None:
        match node:
            case ast.Name():
                self._bind(node.id, scope, binding, straight=straight)
                self._use(node, node.id, scope)
            case ast.Tuple() | ast.List():
                for item in node.elts:
                    self._target(item, scope, Binding(), straight=straight)
            case ast.Starred():
                self._target(node.value, scope, Binding(), straight=straight)
            case _:
                self._node(node, scope)

    # --- walking ------------------------------------------------------------------

    def _body(self, body: Sequence[ast.stmt], scope: Scope) -> None:
        for node in _own(body):
            if isinstance(node, ast.Global | ast.Nonlocal) and scope.kind != "module":
                kind = "global" if isinstance(node, ast.Global) else "nonlocal"
                scope.declared.update(dict.fromkeys(node.names, kind))
        for statement in body:
            self._node(statement, scope, straight=True)

    def _node(self, node: ast.AST, scope: Scope, *, straight: bool = False) -> None:
        if isinstance(node, _OF_PARTS):
            self._nodes(ast.iter_child_nodes(node), scope)
            return
        match node:
            case ast.Name():
                self._name(node, scope)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.NamedExpr():
                self._assigned(node, scope, straight=straight)
            case ast.For() | ast.AsyncFor() | ast.withitem():
                self._entered(node, scope)
            case ast.Import() | ast.ImportFrom():
                self._imported(node, scope, straight=straight)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Lambda():
                self._defined(node, scope, straight=straight)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self._comprehension(node, scope)
            case _:
                if isinstance(node, ast.Yield | ast.YieldFrom):
                    scope.block().yields = True
                self._caught(node, scope)
                self._nodes(ast.iter_child_nodes(node), scope)

    def _name(self, node: ast.Name, scope: Scope) -> None:
        if isinstance(node.ctx, ast.Del):
            scope.block().unordered.add(node.id)
        self._use(node, node.id, scope)

    def _imported(self, node: ast.Import | ast.ImportFrom, scope: Scope, *, straight: bool) -> None:
        for alias in node.names:
            path, name = imported(node, alias)
            self._bind(name, scope, Binding(path), straight=straight)
            self._use(alias, name, scope)

    def _nodes(self, nodes: Iterable[ast.AST | None], scope: Scope) -> None:
        for node in nodes:
            if node is not None and not isinstance(node, _WITHOUT_NAMES):
                self._node(node, scope)

    def _assigned(
        self,
        node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr,
        scope: Scope,
        *,
        straight: bool,
    ) -> None:
        if isinstance(node, ast.AnnAssign):
            self._node(node.annotation, scope)
        if node.value is not None:
            self._node(node.value, scope)
        match node:
            case ast.Assign():
                for target in node.targets:
                    self._target(target, scope, Binding(value=node.value), straight=straight)
            case ast.AnnAssign():
                straight = straight and node.value is not None
                self._target(node.target, scope, Binding(value=node.value), straight=straight)
            case ast.AugAssign():
                self._target(node.target, scope, Binding(), straight=straight)
            case ast.NamedExpr():
                self._target(node.target, scope.block(), Binding(value=node.value))

    def _entered(self, node: ast.For | ast.AsyncFor | ast.withitem, scope: Scope) -> None:
        if isinstance(node, ast.withitem):
            self._node(node.context_expr, scope)
            if node.optional_vars is not None:
                self._target(node.optional_vars, scope, Binding())
            return
        self._node(node.iter, scope)
        self._target(node.target, scope, Binding(value=node.iter, element=True))
        self._nodes([*node.body, *node.orelse], scope)

    def _caught(self, node: ast.AST, scope: Scope) -> None:
        """Bind the names of handlers and patterns."""
        match node:
            case ast.ExceptHandler(name=str(name)):
                self._bind(name, scope, Binding())
                self._use(node, name, scope)
            case (
                ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name))
            ):
                self._bind(name, scope, Binding())
            case _:
                pass

    def _defined(self, node: Defined | ast.ClassDef, scope: Scope, *, straight: bool) -> None:
        if isinstance(node, ast.ClassDef):
            self._nodes([*node.decorator_list, *node.bases, *node.keywords], scope)
            self._bind(node.name, scope, Binding(function=True), straight=straight)
            self._body(node.body, self._new("class", scope, node))
            return
        if not isinstance(node, ast.Lambda):
            self._nodes([*node.decorator_list, node.returns], scope)
        # Defaults and annotations belong to the enclosing scope.
        parameters = parameters_of(node.args)
        self._nodes([*node.args.defaults, *node.args.kw_defaults], scope)
        self._nodes([parameter.annotation for parameter in parameters], scope)
        if not isinstance(node, ast.Lambda):
            self._bind(node.name, scope, Binding(function=True), straight=straight)
            self._use(node, node.name, scope)
        inner = self._new("function", scope, node)
        for parameter in parameters:
            inner.bound.setdefault(parameter.arg, []).append(Binding())
        deferred, self._deferred = self._deferred, False
        if isinstance(node, ast.Lambda):
            self._node(node.body, inner)
        else:
            self._body(node.body, inner)
        self._deferred = deferred

    def _comprehension(self, node: Comprehension, scope: Scope) -> None:
        inner = self._new("comprehension", scope, node)
        deferred = self._deferred
        # A generator runs when its elements are requested, perhaps after names around it were bound again.
        self._deferred = deferred or isinstance(node, ast.GeneratorExp)
        for index, generator in enumerate(node.generators):
            self._node(generator.iter, inner if index else scope)
            self._target(generator.target, inner, Binding(value=generator.iter, element=True))
            self._nodes(generator.ifs, inner)
        self._nodes((node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,), inner)
        self._deferred = deferred

    def _new(self, kind: str, parent: Scope, node: ast.AST) -> Scope:
        scope = Scope(len(self.all), kind, parent)
        self.all.append(scope)
        self.inner[id(node)] = scope
        return scope


def parameters_of(args: ast.arguments) -> list[ast.arg]:
    """All parameters of a function."""
    variadic = [parameter for parameter in (args.vararg, args.kwarg) if parameter is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *variadic]


def imported(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> tuple[str, str]:
    """The path that an import binds, and the name."""
    if isinstance(node, ast.ImportFrom):
        return f"{node.module or ''}.{alias.name}", alias.asname or alias.name
    if alias.asname is not None:
        return alias.name, alias.asname
    top = alias.name.partition(".")[0]
    return top, top


def _own(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The statements of a scope, without those of functions and classes in it."""
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _own(child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))
