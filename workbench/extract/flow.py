"""Static data flow over the Python that an agent wrote, to find the columns that it reads.

The code is never run. Every statement is followed once on each side of a branch and until nothing
changes in a loop; a variable holds the set of values that it may have. What cannot be followed
raises Missing: columns are never left out in silence.
"""

from __future__ import annotations

import ast

from workbench.extract.code_text import Program
from workbench.extract.flow_calls import Calls
from workbench.extract.flow_values import DATA, Callable_, Defined, FlowValues, Many, Table, Undefined
from workbench.extract.found import Missing
from workbench.extract.tool_roles import Reads

_LOOP_ROUNDS = 4
_CALL_DEPTH = 8
_LATE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)

type Names = dict[str, FlowValues]


class Flow(Calls):
    """Follows the statements of one program; the reads gather in ``reads``."""

    def __init__(self, program: Program, reads: Reads) -> None:
        """Take the program and where to note what it reads."""
        super().__init__(program, reads)
        self._depth = 0
        self._returned: list[FlowValues] = []

    def run(self) -> None:
        """Follow the whole program; raises Missing where the columns are not certain."""
        body = self.program.tree.body
        self._block(body)
        if any(isinstance(part, _LATE) for part in ast.walk(self.program.tree)):
            # Once more, with all that the names around functions are ever given.
            self.names = {}
            self._block(body)
        for name, values in self.names.items():
            if name in self.reads.grammar.outputs:
                for value in values:
                    self.escape(frozenset({value}), body[-1] if body else None)
        if body and isinstance(body[-1], ast.Expr):
            # The last expression of a cell is what the agent sees.
            self.escape(self.evaluate(body[-1].value), body[-1])

    # --- statements ---------------------------------------------------------------

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.tick()
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        if not (self._binding(node) or self._control(node) or self._other(node)):
            kind = type(node).__name__
            raise Missing(f"the code has a {kind} in line {node.lineno}, which is not followed")

    def _binding(self, node: ast.stmt) -> bool:
        match node:
            case ast.Assign():
                values = self.evaluate(node.value)
                for target in node.targets:
                    self.assign(target, values)
            case ast.AnnAssign():
                if node.value is not None:
                    self.assign(node.target, self.evaluate(node.value))
            case ast.AugAssign():
                left = self.evaluate(node.target)
                self.assign(node.target, self.combine(node.op, left, self.evaluate(node.value), node))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define(node)
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case _:
                return False
        return True

    def _control(self, node: ast.stmt) -> bool:
        match node:
            case ast.If():
                self.evaluate(node.test)
                self._branches([node.body, node.orelse])
            case ast.For() | ast.AsyncFor() | ast.While():
                self._loop(node)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    values = self.evaluate(item.context_expr)
                    if item.optional_vars is not None:
                        self.assign(item.optional_vars, values)
                self._block(node.body)
            case ast.Try() | ast.TryStar():
                self._try(node)
            case ast.Match():
                self._match(node)
            case _:
                return False
        return True

    def _other(self, node: ast.stmt) -> bool:
        match node:
            case ast.Expr():
                self.evaluate(node.value)
            case ast.Return():
                self._returned.append(self.evaluate(node.value) if node.value else DATA)
            case ast.Delete() | ast.Assert() | ast.Raise():
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self.evaluate(child)
            case ast.Pass() | ast.Break() | ast.Continue() | ast.Global() | ast.Nonlocal():
                pass
            case _:
                return False
        return True

    def _branches(self, bodies: list[list[ast.stmt]]) -> None:
        before = dict(self.names)
        ends: list[Names] = []
        for body in bodies:
            self.names = dict(before)
            self._block(body)
            ends.append(self.names)
        self.names = self._join(ends)

    def _join(self, ends: list[Names]) -> Names:
        joined: Names = {}
        for name in {name for end in ends for name in end}:
            values = frozenset(value for end in ends for value in end.get(name, self.outer(name)))
            # A name that one branch leaves undefined stops the program there, so it reads nothing.
            defined = frozenset(value for value in values if not isinstance(value, Undefined))
            joined[name] = self.limit(defined or values)
        return joined

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        for _ in range(_LOOP_ROUNDS):
            before = dict(self.names)
            if isinstance(node, ast.While):
                self.evaluate(node.test)
            else:
                self.assign(node.target, self.elements(self.evaluate(node.iter), node.iter))
            self._block(node.body)
            self.names = self._join([before, self.names])
            if self.names == before:
                break
        else:
            # Still changing: what changes is only known when the code runs.
            settled = dict(self.names)
            self._block(node.body)
            for name in self.names:
                if self.names[name] != settled.get(name):
                    self.names[name] = self._widened(self.names[name])
            self._block(node.body)
        self._branches([node.orelse, []])

    def _widened(self, values: FlowValues) -> FlowValues:
        kept = frozenset(value for value in values if isinstance(value, Table | Callable_ | Defined))
        return kept | DATA

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        before = dict(self.names)
        self._block(node.body)
        after = self._join([before, self.names])
        ends: list[Names] = []
        self._block(node.orelse)
        ends.append(self.names)
        for handler in node.handlers:
            self.names = dict(after)
            if handler.name:
                self.bind(handler.name, DATA)
            self._block(handler.body)
            ends.append(self.names)
        self.names = self._join(ends)
        self._block(node.finalbody)

    def _match(self, node: ast.Match) -> None:
        subject = self.evaluate(node.subject)
        for case in node.cases:
            for part in ast.walk(case.pattern):
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(name, str):
                    self.bind(name, subject | DATA)
            if case.guard is not None:
                self.evaluate(case.guard)
        self._branches([*(case.body for case in node.cases), []])

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        allowed = self.reads.grammar.modules
        if isinstance(node, ast.ImportFrom):
            module = (node.module or "").split(".")[0]
            if node.level or module not in allowed:
                raise Missing(
                    f"the code imports {node.module or '.'} in line {node.lineno}, which may read data"
                )
            for alias in node.names:
                self.bind(alias.asname or alias.name, frozenset({Callable_("module", module)}))
            return
        for alias in node.names:
            module = alias.name.split(".")[0]
            if module not in allowed:
                raise _imported(alias.name, node)
            self.bind(alias.asname or module, frozenset({Callable_("module", module)}))

    # --- functions of the code ----------------------------------------------------

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            raise Missing(f"the code decorates a function in line {decorator.lineno}, which is not followed")
        for default in [*node.args.defaults, *(item for item in node.args.kw_defaults if item)]:
            self.evaluate(default)
        self.bind(node.name, frozenset({Defined(node)}))

    def call_defined(self, function: Defined, arguments: list[FlowValues], named: Names) -> FlowValues:
        """Follow the body of a function of the code with these arguments."""
        node = function.node
        self.tick()
        if self._depth >= _CALL_DEPTH:
            raise Missing(f"the functions of the code call each other too deeply (line {node.lineno})")
        outer_names, outer_returned, outer_local = self.names, self._returned, self.local
        self.local = self.local or frozenset()
        bound = self._bound(node.args, arguments, named)
        self.names = {**outer_names, **bound}
        for name, values in bound.items():
            self.bind(name, values)
        self.local = _locals(node)
        self._returned = []
        self._depth += 1
        if isinstance(node, ast.Lambda):
            result = self.evaluate(node.body)
        else:
            self._block(node.body)
            result = frozenset(value for values in self._returned for value in values) or DATA
            globals_ = {
                name
                for part in ast.walk(node)
                if isinstance(part, ast.Global | ast.Nonlocal)
                for name in part.names
            }
            for name in globals_ & self.names.keys():
                outer_names[name] = self.limit(outer_names.get(name, frozenset()) | self.names[name])
        self._depth -= 1
        self.names, self._returned, self.local = outer_names, outer_returned, outer_local
        return self.limit(result)

    def _bound(self, args: ast.arguments, arguments: list[FlowValues], named: Names) -> Names:
        parameters = [*args.posonlyargs, *args.args]
        bound: Names = {}
        offset = len(parameters) - len(args.defaults)
        for index, parameter in enumerate(parameters):
            if index < len(arguments):
                bound[parameter.arg] = arguments[index]
            elif parameter.arg in named:
                bound[parameter.arg] = named[parameter.arg]
            elif index >= offset:
                bound[parameter.arg] = self.evaluate(args.defaults[index - offset])
            else:
                bound[parameter.arg] = frozenset({Undefined(parameter.arg)})
        for parameter, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            bound[parameter.arg] = named.get(
                parameter.arg, self.evaluate(default) if default else frozenset({Undefined(parameter.arg)})
            )
        if args.vararg:
            rest = frozenset(value for values in arguments[len(parameters) :] for value in values)
            bound[args.vararg.arg] = frozenset({Many(rest)})
        if args.kwarg:
            known = {parameter.arg for parameter in [*parameters, *args.kwonlyargs]}
            rest = frozenset(value for name, values in named.items() if name not in known for value in values)
            bound[args.kwarg.arg] = frozenset({Many(rest)})
        return bound


def _imported(module: str, node: ast.stmt) -> Missing:
    return Missing(f"the code imports {module} in line {node.lineno}, which may read data")


def _locals(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that belong to a function: its parameters and what it assigns."""
    parameters = {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
    if isinstance(node, ast.Lambda):
        return frozenset(parameters)
    shared = {
        name for part in ast.walk(node) if isinstance(part, ast.Global | ast.Nonlocal) for name in part.names
    }
    assigned = {
        part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    return frozenset((parameters | assigned) - shared)
