"""Theorems about whole runs: what ``def theorem_paid(run: Run) -> bool`` says, as terms.

A theorem is a condition over what its run gathers: ``any``, ``all``, ``sum``, ``min`` and ``max`` over
``run.calls(...)``, the calls of the whole run that were allowed. Each of them says something about one call
``c`` and the run as it was when that call was decided, ``run.before(c)``: all that a rule may say of a call,
and ``c.succeeded``, ``c.failed`` and ``c.result`` besides.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import override

from workbench.dialect.call_file import RUN, CallFile
from workbench.dialect.call_types import AgentTypes
from workbench.dialect.checked import CallsOfTool, CallTheorem, OverCalls
from workbench.dialect.class_names import BEFORE, CALLS
from workbench.dialect.element_names import copied, with_own_names
from workbench.dialect.run_values import CALL, Applied, ReadingOf, all_parts
from workbench.dialect.told_apart import expression_for_class
from workbench.model import ArgumentType, Kind
from workbench.policy.checker.aggregates import conditions
from workbench.policy.checker.bodies import docstring, without_docstring
from workbench.policy.checker.present_values import condition, present
from workbench.policy.checker.scope import Meaning, Scope, Typed, suggestion
from workbench.policy.checker.syntax_tree import split_requirements
from workbench.policy.terms import (
    And,
    Constant,
    Count,
    Elements,
    Not,
    Quantified,
    Quantifier,
    Sum,
    Term,
    Variable,
)
from workbench.policy.types import BOOL, INT, a_type
from workbench.policy.walk import subterms

PREFIX = "theorem_"
"""How the functions that are theorems are named."""
_RUN_OF_CALL = "#run"
"""The name, which no policy can write, of the run as it was when a call was decided."""
_FORMS = ("any", "all", "sum", "max", "min")
_NUMBERS = (Kind.INT, Kind.DECIMAL)
_ORDERED = (*_NUMBERS, Kind.DATE, Kind.DATETIME, Kind.DURATION)
_SHAPE = "Write all(test(c) for c in run.calls(PayInvoice)), or any, sum, min or max of what each call has."


@dataclass
class TheoremReader:
    """Reads the theorems of one policy of calls."""

    calls: CallFile
    types: AgentTypes

    def read(self, node: ast.FunctionDef) -> CallTheorem | None:
        """The theorem of a function; None, with a problem, if it is none."""
        parameters = node.args.args
        returns = "" if node.returns is None else ast.unparse(node.returns)
        of_run = len(parameters) == 1 and ast.unparse(parameters[0].annotation or ast.Constant(None)) == "Run"
        if not of_run or returns != "bool" or node.args.defaults or node.decorator_list:
            self._say(
                node, f"`{node.name}` takes a whole run.", f"Write `def {node.name}(run: Run) -> bool:`."
            )
            return None
        requirements, sentence = split_requirements(docstring(node).strip().split("\n")[0].strip())
        if not sentence:
            self._say(node, f"The theorem `{node.name}` has no sentence.",
                      'Begin it with a docstring: """In no run is more than 5,000 EUR paid."""')  # fmt: skip
            return None
        own = with_own_names(copied(node), frozenset())
        (statement, *more) = without_docstring(own.body) or [None]
        if more or not isinstance(statement, ast.Return) or statement.value is None:
            self._say(node, f"`{node.name}` is one condition.", "Return it; name its parts as facts.")
            return None
        run = parameters[0].arg
        inner = _Gathered(self, run, node.name)
        outer = inner.visit(statement.value)
        if inner.broken:
            return None
        if stray := next(
            (one for one in ast.walk(outer) if isinstance(one, ast.Name) and one.id == run), None
        ):
            self._say(stray, f"Apart from its calls, `{run}` has no one value for a whole run.", _SHAPE)
            return None
        if not inner.found:
            self._say(node, f"`{node.name}` says nothing about the calls of its run.", _SHAPE)
            return None
        parts = tuple(replace(one, name=name) for name, one in inner.found.items())
        names: dict[str, Meaning] = {one.name: Typed(Variable(one.name, one.type), one.type) for one in parts}
        typed = condition(outer, Scope(names), self.calls.file)
        if typed is None or not self._is_plain(statement, typed.term, inner.found):
            return None
        end = node.end_lineno or node.lineno
        return CallTheorem(node.name, sentence, requirements, typed.term, parts, node.lineno, end)

    def _is_plain(self, node: ast.AST, term: Term, own: Collection[str]) -> bool:
        """Whether a theorem says something about its run only: nothing else is one value for a whole run."""
        strange = next(
            (part for part in subterms(term) if isinstance(part, Variable) and part.name not in own), None
        )
        if strange is None:
            return True
        self._say(node, f"`{strange.name}` is no value of a whole run.", _SHAPE)
        return False

    # --- what a theorem gathers -------------------------------------------------------

    def gathered(self, node: ast.Call, form: str, generator: ast.GeneratorExp, run: str) -> OverCalls | None:
        """What ``any``, ``all``, ``sum``, ``min`` or ``max`` over the calls of the run is."""
        classes = self._classes(generator.generators[0].iter)
        target = generator.generators[0].target
        plain = len(generator.generators) == 1 and isinstance(target, ast.Name)
        if classes is None or not plain or not isinstance(target, ast.Name):
            if classes is not None:
                self._say(node, "A theorem names one call at a time.", _SHAPE)
            return None
        default = self._default(node, form)
        if default is False or not self._reads_own_run(generator, target.id, run):
            return None
        parts: list[CallsOfTool] = []
        type_: ArgumentType | None = None
        for name in classes:
            found = self._of_class(generator, form, target.id, name, run)
            if found is None:
                return None
            parts.append(found[0])
            type_ = found[1] if type_ is None or found[1].kind is Kind.DECIMAL else type_
        assert type_ is not None
        if isinstance(default, Typed) and default.type.kind is not type_.kind:
            self._say(node, f"The default is {a_type(default.type)}.", "Match the type of the values.")
            return None
        operation = "any" if form in ("any", "all") else form
        if operation == "sum" and _is_one(generator.elt):
            operation, type_ = "count", INT
        before, some = self._before(generator, form, target.id, run, classes)
        return OverCalls(
            "",
            ast.unparse(node),
            operation,
            type_,
            tuple(parts),
            before,
            some,
            default.term if isinstance(default, Typed) else None,
        )

    def _classes(self, node: ast.expr) -> tuple[str, ...] | None:
        """The classes of ``run.calls(A, B)``; None, with a problem, if one is no class."""
        assert isinstance(node, ast.Call)
        names = [argument.id if isinstance(argument, ast.Name) else "" for argument in node.args]
        for argument, name in zip(node.args, names, strict=True):
            if name not in self.types.calls:
                hint = suggestion(ast.unparse(argument), self.types.calls) or "Name the class of a tool."
                self._say(argument, f"`{ast.unparse(argument)[:60]}` is not a class of calls.", hint)
                return None
        if not names or node.keywords:
            self._say(node, "`run.calls` takes the classes of calls.", "Write run.calls(PayInvoice).")
            return None
        return tuple(dict.fromkeys(names))

    def _default(self, node: ast.Call, form: str) -> Typed | bool | None:
        """The default of an extreme; None if there is none, False, with a problem, if it is wrong."""
        if form not in ("max", "min"):
            if node.keywords:
                self._say(node, f"`{form}` takes no default.", _SHAPE)
            return False if node.keywords else None
        if [keyword.arg for keyword in node.keywords] != ["default"]:
            self._say(node, f"`{form}` of the calls of a run needs a default.", "Write default=Decimal(0).")
            return False
        given = node.keywords[0].value
        typed = present(given, self.calls.file.term(given, Scope({})), self.calls.file)
        return False if typed is None else typed

    def _reads_own_run(self, generator: ast.GeneratorExp, element: str, run: str) -> bool:
        """Whether what is said of a call reads the run only as it was before that call."""
        inner = BeforeCall(element, run)
        for part in (generator.elt, *generator.generators[0].ifs):
            inner.visit(copied(part))
        if inner.other is not None:
            self._say(
                inner.other,
                f"What a theorem says of a call is about the run before it, `{run}.{BEFORE}({element})`.",
                f"Write {run}.{BEFORE}({element}) for {run}; of two calls, one is the earlier one.",
            )
        return inner.other is None

    def _of_class(
        self, generator: ast.GeneratorExp, form: str, element: str, name: str, run: str
    ) -> tuple[CallsOfTool, ArgumentType] | None:
        """The condition and value of one call of a class, over ``call`` and the run before it."""
        of = self.types.calls[name]
        self.calls.tool, self.calls.filled_in = of.tool, 0
        self.calls.read.clear()
        own = copied(generator)
        own.generators[0].ifs = [self._for_call(one, element, name, run) for one in own.generators[0].ifs]
        own.elt = self._for_call(own.elt, element, name, run)
        type_ = ArgumentType(Kind.RECORD, record=of.earlier)
        scope = Scope({element: Typed(Variable(CALL, type_), type_), _RUN_OF_CALL: Typed(_RUN, RUN)})
        found = self._parts(own, form, scope, of.tool)
        self.calls.tool = ""
        return found

    def _for_call(self, node: ast.expr, element: str, name: str, run: str) -> ast.expr:
        changed = BeforeCall(element, run).visit(expression_for_class(node, element, name))
        assert isinstance(changed, ast.expr)
        return changed

    def _parts(
        self, generator: ast.GeneratorExp, form: str, scope: Scope, tool: str
    ) -> tuple[CallsOfTool, ArgumentType] | None:
        file = self.calls.file
        tested, inner = conditions(generator, scope, file)
        value = present(generator.elt, file.term(generator.elt, inner), file)
        if tested is None or value is None:
            return None
        tests = [test.term for test in tested]
        about = _all(tests)
        if form in ("any", "all"):
            if value.type.kind is not Kind.BOOL:
                self._say(
                    generator.elt, f"`{form}` tests a condition, not {a_type(value.type)}.", "Compare it."
                )
                return None
            tests.append(value.term if form == "any" else Not(value.term))
            return CallsOfTool(tool, about, _all(tests), None), BOOL
        ordered = _NUMBERS if form == "sum" else _ORDERED
        if value.type.kind not in ordered:
            self._say(
                generator.elt, f"`{form}` is not of {a_type(value.type)}.", "Name a number of the call."
            )
            return None
        return CallsOfTool(tool, about, about, value.term), value.type

    # --- the same over earlier calls ----------------------------------------------------

    def _before(
        self, generator: ast.GeneratorExp, form: str, element: str, run: str, classes: Sequence[str]
    ) -> tuple[Term | None, Term | None]:
        """The same over ``run.earlier``, as rules say it, and whether any call counts.

        None where it reads the run before each call: no rule can say that of earlier calls.
        """
        parts = [generator.elt, *generator.generators[0].ifs]
        names = {one.id for part in parts for one in ast.walk(part) if isinstance(one, ast.Name)}
        if run in names or "isinstance" in names:
            return None, None
        many = ast.Call(
            ast.Attribute(ast.Name(_RUN_OF_CALL), "earlier"), [ast.Name(name) for name in classes], []
        )
        problems = list(self.calls.file.problems.items)
        scope = Scope({_RUN_OF_CALL: Typed(_RUN, RUN)})
        try:
            typed = self.calls.file.collection(_placed(many, generator), scope)
            if typed is None or typed.element is None or not isinstance(typed.collection, Elements):
                return None, None
            variable = Variable(element, typed.element)
            inner = scope.with_bound(element, Typed(variable, typed.element))
            found = self._parts(copied(generator), form, inner, "")
        finally:
            self.calls.file.problems.items[:] = problems
        if found is None or self._reads_run(found[0]):
            return None, None
        part, type_ = found
        some = Quantified(Quantifier.ANY, variable, typed.collection, part.condition)
        if form in ("any", "all"):
            return some, None
        assert part.value is not None
        if form == "sum":
            if _is_one(generator.elt):
                return Count(variable, typed.collection, part.condition), None
            return Sum(variable, typed.collection, part.value, part.condition, type_), None
        return None, some

    def _reads_run(self, part: CallsOfTool) -> bool:
        """Whether what is said of an earlier call depends on the run, which has gone on since."""
        terms = (part.condition,) if part.value is None else (part.condition, part.value)
        values = self.calls.values
        named = [one.name for term in terms for one in all_parts(term, values) if isinstance(one, Variable)]
        return any(name in values and not isinstance(values[name], ReadingOf | Applied) for name in named)

    def _say(self, node: ast.AST, message: str, instead: str) -> None:
        self.calls.file.say(node, message, instead)


_RUN = Variable("run", RUN)


def _all(tests: Sequence[Term]) -> Term:
    return tests[0] if len(tests) == 1 else And(tuple(tests)) if tests else Constant(True)


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1 and type(node.value) is int


def _placed[Node: ast.AST](node: Node, place: ast.AST) -> Node:
    return ast.fix_missing_locations(ast.copy_location(node, place))


def is_over_calls(node: ast.expr, run: str) -> bool:
    """Whether this is ``run.calls(...)``."""
    of = node.func if isinstance(node, ast.Call) else None
    return (
        isinstance(of, ast.Attribute)
        and of.attr == CALLS
        and isinstance(of.value, ast.Name)
        and of.value.id == run
    )


class _Gathered(ast.NodeTransformer):
    """Gives what a theorem gathers over calls names of its own."""

    def __init__(self, reader: TheoremReader, run: str, theorem: str) -> None:
        self._reader = reader
        self._run = run
        self._theorem = theorem
        self.found: dict[str, OverCalls] = {}
        self.broken = False

    @override
    def visit_Call(self, node: ast.Call) -> ast.expr:
        node = _counted(node, self._run)
        form = node.func.id if isinstance(node.func, ast.Name) else ""
        generator = node.args[0] if len(node.args) == 1 else None
        over = (
            isinstance(generator, ast.GeneratorExp)
            and form in _FORMS
            and is_over_calls(generator.generators[0].iter, self._run)
        )
        if not over or not isinstance(generator, ast.GeneratorExp):
            if is_over_calls(node, self._run):
                self._reader.calls.file.say(node, "`run.calls(...)` has elements, not a value.", _SHAPE)
                self.broken = True
                return node
            self.generic_visit(node)
            return node
        found = self._reader.gathered(node, form, generator, self._run)
        if found is None:
            self.broken = True
            return node
        number = len(self.found) + 1
        name = next((name for name, one in self.found.items() if one == found), f"{self._theorem}_{number}")
        self.found[name] = found
        own: ast.expr = _placed(ast.Name(name, ast.Load()), node)
        return _placed(ast.UnaryOp(ast.Not(), own), node) if form == "all" else own


def _counted(node: ast.Call, run: str) -> ast.Call:
    """``len(run.calls(A))`` as the count that it is; any other call stays."""
    match node:
        case ast.Call(ast.Name("len"), [many], []) if is_over_calls(many, run):
            each = ast.comprehension(ast.Name(f"{run}_call", ast.Store()), many, [], 0)
            elements = ast.GeneratorExp(ast.Constant(1), [each])
            return _placed(ast.Call(ast.Name("sum", ast.Load()), [elements], []), node)
        case _:
            return node


class BeforeCall(ast.NodeTransformer):
    """Gives the run before a call a name; ``other`` is where the run is read otherwise."""

    def __init__(self, element: str, run: str, name: str = _RUN_OF_CALL) -> None:
        """Take the names of the call and of its whole run, and the one of the run before the call."""
        self._element = element
        self._run = run
        self._name = name
        self.other: ast.expr | None = None

    @override
    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node:
            case ast.Call(ast.Attribute(ast.Name(run), attr), [ast.Name(element)], []) if (
                run == self._run and attr == BEFORE and element == self._element
            ):
                return _placed(ast.Name(self._name, ast.Load()), node)
            case _:
                self.generic_visit(node)
                return node

    @override
    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == self._run and self.other is None:
            self.other = node
        return node


def zero_of(type_: ArgumentType) -> Constant:
    """The sum of nothing."""
    return Constant(Decimal(0) if type_.kind is Kind.DECIMAL else 0)
