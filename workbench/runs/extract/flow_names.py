"""The meaning of names of the code: a variable, a tool, a builtin, a function of the code, or a module."""

from __future__ import annotations

import ast

from workbench.runs.extract.flow_scopes import CodeScope, Scopes, known_path
from workbench.runs.extract.flow_state import FlowState
from workbench.runs.extract.flow_strings import cut
from workbench.runs.extract.flow_subset import (
    BUILTINS,
    EXCEPTIONS,
    MODULE_CONSTANTS,
    TYPE_MODULES,
    TYPES,
)
from workbench.runs.extract.flow_values import PLAIN, FlowValues, Piece, Text
from workbench.runs.values.found_value import Missing


class FlowNames:
    """Looks names up. Only variables are values; everything else may only be called, by its name."""

    def __init__(self, state: FlowState, scopes: Scopes, modules: frozenset[str]) -> None:
        """Take the state, the scopes, which give the variable of each name, and the modules."""
        self._state = state
        self._scopes = scopes
        self._modules = modules

    def value(self, node: ast.Name, *, before: bool = False) -> FlowValues:
        """The possible values of a name; raises Missing for a name that is not a variable."""
        bracketed = self._bracketed(node)
        if bracketed is not None:
            return bracketed
        owner = self._scopes.owner(node, node.id)
        variable = self._scopes.variable(node, before=before)
        if owner is None or variable is None:
            raise Missing(self._no_value(node))
        if node.id in owner.functions or node.id in owner.imports:
            raise Missing(
                f"the code hands {node.id} on in line {node.lineno}, and its calls cannot be followed"
            )
        return self._state.value(variable)

    def _no_value(self, node: ast.Name) -> str:
        is_callable_name = (
            node.id in self._state.reads.vocabulary.functions or node.id in BUILTINS | TYPES | EXCEPTIONS
        )
        if is_callable_name:
            return f"the code hands {node.id} on in line {node.lineno}, and its calls cannot be followed"
        return f"the code uses {node.id} in line {node.lineno}, which nothing defines"

    def _bracketed(self, node: ast.Name) -> FlowValues | None:
        """The SQL text in brackets that this name replaces; None if it replaces none."""
        program = self._state.program(node)
        place = program.bracketed.get(node.id)
        if place is None:
            return None
        start, end = place
        base = program.base
        return frozenset(
            {cut(Text((Piece(program.text[start:end], base + start, base + end, True),)), 0, end - start)}
        )

    def bind(self, node: ast.Name, values: FlowValues) -> None:
        """Add the values to the possible values of a name."""
        variable = self._scopes.variable(node)
        if variable is None:
            raise Missing(f"the code binds {node.id} in line {node.lineno} in a way that is not followed")
        self._state.bind(variable, values)

    def scope_of(self, node: ast.AST) -> CodeScope:
        """The scope of the body of a function."""
        return self._scopes.of[id(node)]

    def owner(self, node: ast.ExceptHandler | ast.FunctionDef, name: str) -> CodeScope | None:
        """The scope that owns the variable named in a handler or function."""
        return self._scopes.owner(node, name)

    # --- what may be called ---------------------------------------------------------

    def functions(self, node: ast.Name) -> list[ast.FunctionDef] | None:
        """The functions of the code that a name calls; None if the code defines none of this name."""
        owner = self._scopes.owner(node, node.id)
        return owner.functions.get(node.id) if owner is not None else None

    def is_free(self, node: ast.Name) -> bool:
        """Whether the code nowhere binds the name, so that it is a tool or a builtin."""
        return self._scopes.owner(node, node.id) is None

    def is_type(self, node: ast.expr, among: frozenset[str] = TYPES) -> bool:
        """Whether the expression is the name of one of these builtins, or a tuple of such names."""
        match node:
            case ast.Name():
                return node.id in among and self.is_free(node)
            case ast.Tuple():
                return all(self.is_type(item, among) for item in node.elts)
            case _:
                path = self.path(node)
                return path is not None and path in {
                    "datetime.date",
                    "datetime.datetime",
                    "datetime.timedelta",
                }

    def path(self, node: ast.expr) -> str | None:
        """The dotted path of an expression below a module; None if it does not begin with a module."""
        match node:
            case ast.Name():
                owner = self._scopes.owner(node, node.id)
                return owner.imports.get(node.id) if owner is not None else None
            case ast.Attribute():
                before = self.path(node.value)
                return f"{before}.{node.attr}" if before is not None else None
            case _:
                return None

    def may_call(self, path: str) -> bool:
        """Whether the path is a listed function of a module."""
        return known_path(path, self._modules)

    def constant(self, path: str, node: ast.expr) -> FlowValues:
        """The value of a module's number such as ``math.pi``; raises Missing for any other path."""
        if path not in MODULE_CONSTANTS:
            raise Missing(f"the code hands {path} on in line {node.lineno}, and its calls cannot be followed")
        return PLAIN

    def is_annotation(self, node: ast.expr) -> bool:
        """Whether an annotation consists of types only, so that nothing in it has to be followed."""
        match node:
            case ast.Constant():
                return True
            case ast.Name():
                path = self.path(node)
                return self.is_type(node) or (path is not None and path.split(".")[0] in TYPE_MODULES)
            case ast.Attribute():
                path = self.path(node)
                return path is not None and path.split(".")[0] in TYPE_MODULES
            case ast.Subscript():
                return self.is_annotation(node.value) and self.is_annotation(node.slice)
            case ast.Tuple() | ast.List():
                return all(map(self.is_annotation, node.elts))
            case ast.BinOp(op=ast.BitOr()):
                return self.is_annotation(node.left) and self.is_annotation(node.right)
            case _:
                return False
