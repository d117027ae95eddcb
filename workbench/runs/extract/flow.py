"""Static data flow over the Python that an agent wrote, to find the columns that it reads.

The code is never run. Only a subset of Python whose meaning is certain is followed (``flow_subset``); all
other code raises Missing. All code is assumed to run, in any order and any number of times: branches, loops,
``break``, ``return``, ``try`` and unreachable code make no difference. A variable holds every value that is
ever bound to it. A container holds every value put into it under any of its names. Bindings of a name count
separately only if a scope's own statements make them one after the other.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from workbench.runs.extract.code_text import ParsedCode
from workbench.runs.extract.flow_expressions import Expressions
from workbench.runs.extract.flow_names import FlowNames
from workbench.runs.extract.flow_scopes import CodeVariable, Scopes
from workbench.runs.extract.flow_state import FlowState, Frame
from workbench.runs.extract.flow_subset import EXCEPTIONS, check_nodes
from workbench.runs.extract.flow_values import (
    COMPUTED,
    NOTHING,
    PLAIN,
    Data,
    FlowOrigin,
    FlowSite,
    FlowValues,
    Text,
)
from workbench.runs.extract.tool_roles import Reads
from workbench.runs.values.found_value import Missing

_MOST_ROUNDS = 60
_CALL_DEPTH = 12


def read_programs(programs: Sequence[ParsedCode], reads: Reads) -> None:
    """Note in ``reads`` what the programs read, run one after the other in any order; raises Missing."""
    try:
        Flow(programs, reads).run()
    except RecursionError:
        raise Missing("the code is nested too deeply") from None


class Flow:
    """Follows the statements of programs that share their variables."""

    def __init__(self, programs: Sequence[ParsedCode], reads: Reads) -> None:
        """Take the programs, and ``reads``, which notes what they read."""
        for program in programs:
            check_nodes(program.tree)
        vocabulary = reads.vocabulary
        ordered = len(programs) == 1 and not programs[0].guessed
        scopes = Scopes(
            [program.tree for program in programs],
            frozenset(vocabulary.functions),
            vocabulary.modules,
            ordered=ordered,
        )
        self._reads = reads
        self._scopes = scopes
        self._programs = programs
        self._state = FlowState(programs, Reads(vocabulary))
        self._names = FlowNames(self._state, scopes, vocabulary.modules)
        self._expressions = Expressions(self._state, self._names, self)

    def run(self) -> None:
        """Follow the programs until no value is added, and once more to note what they read."""
        for number in range(_MOST_ROUNDS):
            self._state.grown = False
            self._state.round = number
            self._state.reads = Reads(self._reads.vocabulary)
            self._round()
            if not self._state.grown:
                break
        else:
            raise Missing("the code is too intricate to be followed")
        self._state.settled = True
        self._state.reads = self._reads
        self._round()

    def _round(self) -> None:
        for program in self._programs:
            self._block(program.tree.body)
        for program in self._programs:
            self._outputs(program.tree.body)

    def _outputs(self, body: list[ast.stmt]) -> None:
        """Note the output of a run: the variables that leave the code, and the value of its last line."""
        if not body:
            return
        for name in self._reads.vocabulary.outputs:
            if name in self._scopes.module.bound and name not in self._scopes.module.functions:
                self._state.show(
                    self._state.value(CodeVariable(self._scopes.module.number, name, None)), body[-1]
                )
        if isinstance(body[-1], ast.Expr):
            self._state.show(self._expressions.evaluate(body[-1].value), body[-1])

    # --- statements ---------------------------------------------------------------

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._state.tick()
            if not (self._binding(statement) or self._control(statement) or self._other(statement)):
                kind = type(statement).__name__
                raise Missing(f"the code has a {kind} in line {statement.lineno}, which is not followed")

    def _binding(self, node: ast.stmt) -> bool:
        match node:
            case ast.Assign():
                values = self._expressions.evaluate(node.value)
                for target in node.targets:
                    self._expressions.assign(target, values)
            case ast.AnnAssign():
                self._annotation(node.annotation)
                if node.value is not None:
                    self._expressions.assign(node.target, self._expressions.evaluate(node.value))
                elif not isinstance(node.target, ast.Name):
                    self._expressions.evaluate(node.target)
            case ast.AugAssign():
                self._augment(node)
            case ast.FunctionDef():
                self._define(node)
            case ast.Import() | ast.ImportFrom():
                # The scopes know the names that an import binds, and refuse unlisted imports.
                pass
            case _:
                return False
        return True

    def _control(self, node: ast.stmt) -> bool:
        match node:
            case ast.If() | ast.While():
                self._expressions.evaluate(node.test)
                self._block([*node.body, *node.orelse])
            case ast.For():
                elements = self._state.elements(self._expressions.evaluate(node.iter), node.iter)
                self._expressions.assign(node.target, elements)
                self._block([*node.body, *node.orelse])
            case ast.Try():
                self._block([*node.body, *node.orelse, *node.finalbody])
                for handler in node.handlers:
                    self._handle(handler)
            case _:
                return False
        return True

    def _other(self, node: ast.stmt) -> bool:
        match node:
            case ast.Expr():
                self._expressions.evaluate(node.value)
            case ast.Return():
                values = self._expressions.evaluate(node.value) if node.value else PLAIN
                self._state.give_back(self._state.frame.number, values)
            case ast.Assert():
                self._expressions.evaluate(node.test)
                if node.msg is not None:
                    self._state.lose(self._expressions.evaluate(node.msg), node.msg)
            case ast.Raise():
                for part in (node.exc, node.cause):
                    if part is not None and not self._names.is_type(part, EXCEPTIONS):
                        self._state.lose(self._expressions.evaluate(part), part)
            case ast.Pass() | ast.Break() | ast.Continue() | ast.Global() | ast.Nonlocal():
                pass
            case _:
                return False
        return True

    def _augment(self, node: ast.AugAssign) -> None:
        """Follow ``x += y``: a container changes under all of its names; otherwise the name is bound anew."""
        state, expressions = self._state, self._expressions
        added = expressions.evaluate(node.value)
        target = node.target
        if isinstance(target, ast.Name):
            before = self._names.value(target, before=True)
        elif isinstance(target, ast.Subscript):
            before = expressions.evaluate(target)
        else:
            raise Missing(f"line {node.lineno} assigns in a way that is not followed")
        sites = [value for value in before if isinstance(value, FlowSite) and value.kind != "tuple"]
        for site in sites:
            keys, held = NOTHING, NOTHING
            if site.kind == "dict":
                keys, held = expressions.entries(added, node.value)
            elif not isinstance(node.op, ast.Mult):
                held = state.elements(added, node.value)
            state.write(site, held, keys)
        for value in before:
            if isinstance(value, Data) and value.origin is not FlowOrigin.NUMBER:
                # The value may be a list that has other names too. A text adds its letters at most.
                into = state.elements(
                    frozenset(item for item in added if not isinstance(item, Text)), node.value
                )
                state.into_data(value, into, node.value)
        combined = expressions.combine(node.op, before.difference(sites), added, node)
        expressions.assign(target, combined.union(sites))

    def _annotation(self, node: ast.expr) -> None:
        if not self._names.is_annotation(node):
            self._state.lose(self._expressions.evaluate(node), node)

    def _handle(self, handler: ast.ExceptHandler) -> None:
        if handler.type is not None and not self._names.is_type(handler.type, EXCEPTIONS):
            raise Missing(
                f"line {handler.lineno} catches what is no builtin exception, which is not followed"
            )
        if handler.name is not None:
            owner = self._names.owner(handler, handler.name)
            if owner is not None:
                self._state.bind(CodeVariable(owner.number, handler.name, None), COMPUTED)
        self._block(handler.body)

    # --- functions of the code ----------------------------------------------------

    def _define(self, node: ast.FunctionDef) -> None:
        parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        for annotation in [node.returns, *(parameter.annotation for parameter in parameters)]:
            if annotation is not None:
                self._annotation(annotation)
        for parameter, default in _defaults(node.args):
            # A default value is created once and shared by all calls without the argument.
            self._state.give_default(node, parameter, self._expressions.evaluate(default))

    def follow(
        self,
        function: ast.FunctionDef,
        call: ast.Call,
        positional: list[FlowValues],
        named: Mapping[str, FlowValues],
    ) -> FlowValues:
        """The return values of a function of the code for these arguments, by following its body."""
        state = self._state
        state.tick()
        scope = self._names.scope_of(function)
        outer = state.frame
        active = next((frame for caller, frame in outer.callers if caller is function), None)
        if active is None and len(outer.callers) >= _CALL_DEPTH:
            raise Missing(f"the functions of the code call each other too deeply (line {function.lineno})")
        number = state.frame_number(call, function)
        frame = active or Frame(number, {**outer.scopes, scope.number: number}, outer.callers)
        if active is None:
            frame = Frame(number, frame.scopes, (*outer.callers, (function, frame)))
        bound = self._bound(function, call, positional, named)
        state.frame = frame
        for name, values in bound.items():
            state.bind(CodeVariable(scope.number, name, 0), values)
        if active is None:
            self._block(function.body)
        state.frame = outer
        returned = state.returned(frame.number)
        return returned | PLAIN if _ends(function.body) else returned

    def _bound(
        self,
        function: ast.FunctionDef,
        call: ast.Call,
        positional: list[FlowValues],
        named: Mapping[str, FlowValues],
    ) -> dict[str, FlowValues]:
        """The values of the parameters; raises Missing if the call does not fit them."""
        args = function.args
        parameters = [parameter.arg for parameter in [*args.posonlyargs, *args.args]]
        only_named = [parameter.arg for parameter in args.kwonlyargs]
        by_name = {parameter.arg for parameter in [*args.args, *args.kwonlyargs]}
        with_default = {name for name, _ in _defaults(args)}
        bound = dict(zip(parameters, positional, strict=False))
        fits = len(positional) <= len(parameters) and named.keys() <= by_name - bound.keys()
        for name in [*parameters, *only_named]:
            values = bound.get(name, named.get(name))
            fits = fits and (values is not None or name in with_default)
            bound[name] = values if values is not None else self._state.default(function, name)
        if not fits:
            raise Missing(f"the call of {function.name} in line {call.lineno} does not fit its parameters")
        return bound


def _defaults(args: ast.arguments) -> list[tuple[str, ast.expr]]:
    """The parameters with a default, and the defaults."""
    positional = [*args.posonlyargs, *args.args]
    first = len(positional) - len(args.defaults)
    pairs = [
        *zip(positional[first:], args.defaults, strict=True),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ]
    return [(parameter.arg, default) for parameter, default in pairs if default is not None]


def _ends(body: list[ast.stmt]) -> bool:
    """Whether the function may reach the end of these statements, and so return None."""
    last = body[-1]
    if isinstance(last, ast.If):
        return not last.orelse or _ends(last.body) or _ends(last.orelse)
    return not isinstance(last, ast.Return | ast.Raise)
