"""The checker of policies that speak of calls: from the text of a file to typed terms, for each tool.

Only text that passed ``check_calls`` is ever lowered.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import cast

from workbench.dialect.call_fields import CALL_TIME
from workbench.dialect.call_file import (
    AGENT,
    ANY_CALL,
    KIND_CLASSES,
    RUN,
    TEXT,
    Fact,
    FactParameter,
    Found,
    common,
)
from workbench.dialect.call_types import AgentTypes
from workbench.dialect.checked import CallClause, CallPolicy, CallRule, CallTheorem, TermOfTool
from workbench.dialect.class_names import RESERVED_CLASSES
from workbench.dialect.element_names import copied, with_own_names
from workbench.dialect.reading import call_file
from workbench.dialect.run_values import CALL, RunExpression
from workbench.dialect.theorems import PREFIX as THEOREM
from workbench.dialect.theorems import TheoremReader
from workbench.dialect.told_apart import TEST, Test, expression_for_class, for_class, tests
from workbench.model import TOOL_ARGUMENT, ArgumentType, Kind, Problem, RecordType
from workbench.policy.checker.bodies import assigned, block_of, docstring, without_docstring
from workbench.policy.checker.constants import (
    annotation,
    name_is_free,
    need_import,
    read_constant,
    read_import,
)
from workbench.policy.checker.present_values import condition
from workbench.policy.checker.scope import File, Meaning, Scope, Signature, Typed, suggestion
from workbench.policy.checker.syntax_tree import nodes_in, read, split_requirements
from workbench.policy.names import IMPORTS
from workbench.policy.problems import PolicyError, Problems
from workbench.policy.result_cache import Recent
from workbench.policy.rule_names import DEFAULT, RULES
from workbench.policy.terms import Elements, Term, Variable
from workbench.policy.types import BOOL, STR


def check_calls(
    source: str,
    types: AgentTypes,
    *,
    all_have_ended: bool = False,
    theorems_alone: bool = False,
) -> CallPolicy:
    """Read the text of a policy of calls, without running any of it.

    With ``all_have_ended`` every earlier call has failed or has succeeded, so that these two are one value.
    With ``theorems_alone`` rules and clauses are left out. Raises ``PolicyError`` with every problem found,
    in the order of the file.
    """
    try:
        reader = _PolicyReader(source, types, all_have_ended=all_have_ended)
        return reader.read(theorems_alone=theorems_alone)
    except RecursionError:
        problem = Problem("The text is nested too deeply to be read.", "Split it into functions.")
        raise PolicyError([problem]) from None


def run_expression(
    text: str, types: AgentTypes, tool: str, element: tuple[str, ArgumentType] | None = None
) -> RunExpression:
    """Read the text of one expression about a call of a tool; the tool is empty for calls of all tools.

    ``element`` is the name and type of an element of a list that the expression is about. Raises
    ``PolicyError`` with every problem found.
    """
    read_text = read(text)
    file = File(read_text, Problems(read_text.source), read_text.places)
    file.imported |= {name for module in ("datetime", "decimal") for name in IMPORTS[module]}
    file.lifted = True
    calls = call_file(file, types, tool)
    body = read_text.tree.body
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        raise PolicyError([Problem("This is not one expression.", "Write nothing else.")])
    names: dict[str, Meaning] = {CALL: _call(types, (tool,) if tool else ()), "run": _RUN}
    if element is not None:
        names[element[0]] = Typed(Variable(element[0], element[1]), element[1])
    node, scope = body[0].value, Scope(names)
    many = calls.is_collection(node, scope)
    found = file.collection(node, scope) if many else file.term(node, scope)
    file.problems.raise_if_any()
    assert found is not None
    return RunExpression(
        tool, text, _as_term(found), dict(calls.values), None if element is None else element[1]
    )


def _as_term(found: Meaning) -> Term:
    if isinstance(found, Typed):
        return found.term
    if isinstance(found.collection, Elements):
        return found.collection.term
    name = getattr(found.collection, "name", None)
    assert isinstance(name, str)
    return Variable(name, ArgumentType(Kind.SET))


_RUN = Typed(Variable("run", RUN), RUN)


def _call(types: AgentTypes, tools: tuple[str, ...]) -> Typed:
    """The decided call of one of these tools, or of any tool."""
    record = common([types.decided[tool] for tool in tools]) if tools else RecordType(ANY_CALL, CALL_TIME)
    type_ = ArgumentType(Kind.RECORD, record=record)
    return Typed(Variable(CALL, type_), type_)


@dataclass(frozen=True, slots=True)
class _About:
    """A rule or contract: its function, the tools of its call, and the names of call and run in it.

    ``differs`` is whether tests of the class of its call make it another one for each class.
    """

    node: ast.FunctionDef
    tools: tuple[str, ...]
    call_name: str
    run_name: str
    differs: bool


_FOR = re.compile(r"\bfor\b")
_READ_APART = (*RULES, "contract_", THEOREM)
"""The names of functions that no other function reads."""
type _Part = CallRule | CallTheorem | tuple[CallClause, ...] | None
_read_before: Recent[Hashable, tuple[AgentTypes, tuple[int, ...], _Part, Found]] = Recent(4096)
"""What functions were read as, and at which lines they and their surroundings stood, by the texts of these.

The types stay, so their identity does.
"""


def _moved(part: _Part, by: int) -> _Part:
    """What a function was read as, some lines further down."""
    if part is None:
        return None
    if isinstance(part, tuple):
        return tuple(replace(one, line=one.line + by, end_line=one.end_line + by) for one in part)
    return replace(part, line=part.line + by, end_line=part.end_line + by)


class _PolicyReader:
    """Reads one policy of calls."""

    def __init__(self, source: str, types: AgentTypes, *, all_have_ended: bool) -> None:
        self.text = read(source)
        self.file = File(self.text, Problems(self.text.source), self.text.places)
        self.types = types
        self.of_agent = {"Run", ANY_CALL, TEXT, "looked_up", *KIND_CLASSES, *types.calls}
        self.of_agent |= types.record_classes.keys()
        self.calls = call_file(self.file, types)
        self.calls.all_have_ended = all_have_ended
        self.default: bool | None = None

    def read(self, *, theorems_alone: bool) -> CallPolicy:
        functions = self._top_level()
        if theorems_alone:
            functions = [one for one in functions if not one.name.startswith((*RULES, "contract_"))]
        self._need_imports()
        for function in functions:
            if not function.name.startswith(_READ_APART):
                self._fact(function)
        surroundings = self._surroundings()
        theorem = TheoremReader(self.calls, self.types).read
        rules = [rule for rule in self._each(RULES, functions, self._rule, surroundings) if rule is not None]
        clauses = self._each(("contract_",), functions, self._clauses, surroundings)
        theorems = self._each((THEOREM,), functions, theorem, surroundings)
        if self.default is None:
            self.file.say(None, "The policy does not say what is decided where no rule speaks.",
                          'Write DEFAULT = "deny" or DEFAULT = "allow" above the functions.')  # fmt: skip
        self.file.problems.raise_if_any()
        policy = CallPolicy(
            source=self.text.source,
            title=(ast.get_docstring(self.text.tree) or "").strip().split("\n")[0],
            types=self.types,
            rules=tuple(rules),
            clauses=tuple(clause for of_function in clauses for clause in of_function),
            theorems=tuple(theorem for theorem in theorems if theorem is not None),
            facts=self.calls.facts,
            values=dict(self.calls.values),
            named=self.calls.found.named,
            constants=self.file.constants,
            constant_names=frozenset(self.file.defined()),
            sets=self.file.sets,
            tables=self.file.tables,
            default_allow=bool(self.default),
            places=self.file.places,
            spots=self.calls.found.spots,
        )
        self._check_unread(functions)
        self.file.problems.raise_if_any()
        return policy

    def _check_unread(self, functions: Sequence[ast.FunctionDef]) -> None:
        """Report problems of the facts that nothing reads yet: what reads one fills it in, and finds them.

        A fact about other values than calls and runs depends on what it is given.
        """
        if not self.calls.facts:
            return
        named = {
            part.id
            for node in functions
            for part in nodes_in(node)
            if isinstance(part, ast.Name) and part.id != node.name
        }
        for fact in self.calls.facts.values():
            about = [one for one in fact.parameters if one.classes]
            if fact.name in named or any(not one.classes and one.type != RUN for one in fact.parameters):
                continue
            classes = about[0].classes if about else (ANY_CALL,)
            for name in classes:
                tools = (self.types.calls[name].tool,) if name in self.types.calls else ()
                self.calls.tool, self.calls.filled_in = "".join(tools), 0
                said = f"{fact.name}({', '.join(one.name for one in fact.parameters)})"
                call = ast.copy_location(ast.parse(said, mode="eval").body, fact.node)
                names = {
                    one.name: _call(self.types, tools) if one.classes else _RUN for one in fact.parameters
                }
                self.file.term(ast.fix_missing_locations(call), Scope(names))
            self.calls.tool = ""

    def _surroundings(self) -> Hashable:
        """Everything outside of rules, contracts and theorems on which their meaning depends.

        It is empty if that part has a problem.
        """
        if self.file.problems.items:
            return ()
        shared = tuple(map(self.file.lines_of, self._shared))
        return id(self.types), self.calls.all_have_ended, self.file.places, shared

    @cached_property
    def _shared(self) -> tuple[ast.stmt, ...]:
        """The statements that rules, contracts and theorems may read."""
        return tuple(
            node
            for node in self.text.tree.body
            if not (isinstance(node, ast.FunctionDef) and node.name.startswith(_READ_APART))
        )

    def _each[Read: _Part](
        self,
        prefixes: tuple[str, ...],
        functions: Iterable[ast.FunctionDef],
        read: Callable[[ast.FunctionDef], Read],
        surroundings: Hashable,
    ) -> list[Read]:
        """What the functions of a kind are read as.

        One that was read before in the same surroundings is not read again, at whichever lines they are now.
        """
        around = tuple(node.lineno for node in self._shared)
        results: list[Read] = []
        for node in functions:
            if not node.name.startswith(prefixes):
                continue
            above = self.text.comment_above(node.lineno), tuple(map(ast.unparse, node.decorator_list))
            key = surroundings, self.file.lines_of(node), above
            known = _read_before.get(key) if surroundings else None
            if known is None:
                problems = len(self.file.problems.items)
                result, found = self.calls.apart(partial(read, node))
                if surroundings and len(self.file.problems.items) == problems:
                    _read_before.put(key, (self.types, (node.lineno, *around), result, found))
            else:
                _, lines, part, found = known
                if lines != (node.lineno, *around):
                    part = _moved(part, node.lineno - lines[0])
                    found = found.moved(lines, (node, *self._shared), self.calls.facts)
                    _read_before.put(key, (self.types, (node.lineno, *around), part, found))
                self.calls.add(found)
                result = cast("Read", part)
            results.append(result)
        return results

    # --- top level ----------------------------------------------------------------

    def _top_level(self) -> list[ast.FunctionDef]:
        functions: dict[str, ast.FunctionDef] = {}
        for node in without_docstring(self.text.tree.body):
            if isinstance(node, ast.FunctionDef):
                if self._is_new(node, node.name, functions):
                    functions[node.name] = node
            elif functions:
                self.file.say(node, "Imports and constants come before the functions.", "Move it up.")
            elif isinstance(node, ast.ImportFrom) and node.module == AGENT and not node.level:
                self._import(node)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                read_import(node, self.file)
            elif isinstance(node, ast.Assign):
                self._constant(node)
            else:
                self.file.say(node, "This statement is not allowed at the top of a policy.",
                              "Keep imports, constants and functions only.")  # fmt: skip
        return list(functions.values())

    def _is_new(self, node: ast.stmt, name: str, before: Container[str]) -> bool:
        """Whether a name stands for nothing else; if not, report it. A record may stay without its class."""
        if name in self.of_agent - (self.types.record_classes.keys() - self.file.imported):
            self.file.say(
                node, f"`{name}` is a name of the agent's calls and records.", "Choose another name."
            )
        elif name in before:
            self.file.say(node, f"`{name}` is defined twice.", "Rename one.")
        else:
            return True
        return False

    def _import(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name not in self.of_agent:
                hint = (
                    suggestion(alias.name, self.of_agent)
                    or "It has a class for each tool and record, Call and Run."
                )
                self.file.say(node, f"The agent has no `{alias.name}`.", hint)
            elif alias.asname:
                self.file.say(node, f"`{alias.name}` must keep its name.", f"Remove `as {alias.asname}`.")
            else:
                self.file.imported.add(alias.name)

    def _need_imports(self) -> None:
        """Report the first use of each name of the agent that is not imported."""
        source, others = self.text.source, self.of_agent - self.file.imported
        if not any(name in source and re.search(rf"\b{name}\b", source) for name in others):
            return
        parts = nodes_in(self.text.tree)
        names = [part for part in parts if isinstance(part, ast.Name)]
        own = {name.id for name in names if isinstance(name.ctx, ast.Store)}
        own |= {part.arg for part in parts if isinstance(part, ast.arg)}
        own |= {part.name for part in parts if isinstance(part, ast.FunctionDef)}
        said = {*self.file.imported, *own}
        for name in sorted(names, key=lambda name: (name.lineno, name.col_offset)):
            if name.id in self.of_agent and name.id not in said:
                self.file.say(
                    name, f"`{name.id}` is not imported.", f"Add `from {AGENT} import {name.id}` at the top."
                )
                said.add(name.id)

    def _constant(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if isinstance(target, ast.Name) and target.id == DEFAULT:
            value = node.value.value if isinstance(node.value, ast.Constant) else None
            if value not in ("allow", "deny"):
                self.file.say(node, "The default is to allow or to deny.", 'Write DEFAULT = "deny".')
            else:
                self.default = value == "allow"
            return
        if isinstance(target, ast.Name) and target.id == TOOL_ARGUMENT:
            self.file.say(node, f"`{TOOL_ARGUMENT}` is the tool of a call.", "Choose another name.")
        elif not isinstance(target, ast.Name) or self._is_new(node, target.id, ()):
            read_constant(node, self.file)

    # --- functions ----------------------------------------------------------------

    def _fact(self, node: ast.FunctionDef) -> None:
        if not self._is_plain(node) or not name_is_free(node, node.name, self.file):
            return
        parameters = [self._parameter(argument) for argument in node.args.args]
        result = None if node.returns is None else self._type(node.returns)
        if node.returns is None:
            self.file.say(node, f"`{node.name}` does not say what it returns.", "Write `-> type`.")
        if result is None or any(parameter is None for parameter in parameters):
            return
        noun = docstring(node).strip().split("\n")[0].strip()
        known_parameters = tuple(parameter for parameter in parameters if parameter is not None)
        if not all(
            self._tells_apart(tests(node, one.name), one.name, one.classes) for one in known_parameters
        ):
            return
        self.calls.facts[node.name] = Fact(node.name, known_parameters, result, node, noun)

    def _parameter(self, argument: ast.arg) -> FactParameter | None:
        if argument.annotation is None:
            self.file.say(
                argument, f"The parameter `{argument.arg}` has no type.", f"Write `{argument.arg}: type`."
            )
            return None
        classes = self._classes(argument.annotation)
        if classes is not None:
            return FactParameter(argument.arg, RUN, classes)
        if isinstance(argument.annotation, ast.Name) and argument.annotation.id == "Run":
            return FactParameter(argument.arg, RUN)
        text, may_be_none = _without_none(argument.annotation)
        if isinstance(text, ast.Name) and text.id in (TEXT, *KIND_CLASSES):
            type_ = replace(STR, optional=may_be_none)
            return FactParameter(argument.arg, type_, kind=KIND_CLASSES.get(text.id, ""))
        type_ = self._type(argument.annotation)
        return None if type_ is None else FactParameter(argument.arg, type_)

    def _classes(self, node: ast.expr) -> tuple[str, ...] | None:
        """The classes of calls of an annotation ``A | B``; None if it is another type."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            left, right = self._classes(node.left), self._classes(node.right)
            return None if left is None or right is None else (*left, *right)
        is_class = isinstance(node, ast.Name) and (node.id in self.types.calls or node.id == ANY_CALL)
        return (node.id,) if is_class and isinstance(node, ast.Name) else None

    def _type(self, node: ast.expr) -> ArgumentType | None:
        """The type of an annotation; a record of the agent may be one."""
        inner, may_be_none = _without_none(node)
        if may_be_none:
            type_ = self._type(inner)
            return None if type_ is None else replace(type_, optional=True)
        if isinstance(node, ast.Name) and (record := self.types.record_classes.get(node.id)) is not None:
            return ArgumentType(Kind.RECORD, record=record)
        return annotation(node, self.file)

    def _is_plain(self, node: ast.FunctionDef) -> bool:
        arguments = node.args
        strange = arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg
        if node.decorator_list or node.type_params or strange or arguments.defaults:
            self.file.say(node, f"`{node.name}` is not a plain function.",
                          "Write `def name(call: PayInvoice, run: Run) -> bool:`.")  # fmt: skip
            return False
        return True

    def _about(self, node: ast.FunctionDef, result: str) -> _About | None:
        """The calls that a rule or contract is about; None, with a problem, if it does not say."""
        if not self._is_plain(node):
            return None
        parameters = node.args.args
        shape = f"Write `def {node.name}(call: PayInvoice, run: Run) -> {result}:`."
        classes = self._classes(parameters[0].annotation) if parameters and parameters[0].annotation else None
        is_run = len(parameters) < 2 or _is_written(parameters[1].annotation, "Run")
        if classes is None and parameters and self._says_other_class(parameters[0]):
            return None
        if classes is None or len(parameters) > 2 or not is_run or not _is_written(node.returns, result):
            self.file.say(
                node, f"`{node.name}` takes a call of the agent, and its run if it reads it.", shape
            )
            return None
        text = self.file.lines_of(node)
        tested = tuple(tests(node, parameters[0].arg)) if TEST in text else ()
        if not self._tells_apart(tested, parameters[0].arg, classes):
            return None
        if ANY_CALL in classes:
            tools: tuple[str, ...] = ("",)
        else:
            tools = tuple(dict.fromkeys(self.types.calls[name].tool for name in classes))
        run_name = parameters[1].arg if len(parameters) > 1 else ""
        call_name = parameters[0].arg
        return _About(node, tools, call_name, run_name, bool(tested))

    def _says_other_class(self, parameter: ast.arg) -> bool:
        """Say which class the calls of a tool have whose name is that of a class of the dialect."""
        for name in ast.walk(parameter.annotation or parameter):
            own = self.types.calls.get(f"{name.id}_") if isinstance(name, ast.Name) else None
            if isinstance(name, ast.Name) and own is not None and name.id in RESERVED_CLASSES:
                message = f"`{name.id}` is a class of the dialect; the calls of {own.tool} are of another."
                self.file.say(name, message, f"Write `{parameter.arg}: {name.id}_`.")
                return True
        return False

    def _tells_apart(self, tests_of: Iterable[Test], name: str, classes: Sequence[str]) -> bool:
        """Whether every ``isinstance`` of a parameter tells some of its classes from the others."""
        for test, tested in tests_of:
            if tested is None or test.keywords or not set(tested) < set(classes):
                of = " | ".join(classes) or "no class of calls"
                self.file.say(
                    test,
                    f"`isinstance` does not tell the classes of `{name}` apart: it is {of}.",
                    f"Test for some of its classes: isinstance({name}, {(*classes, 'PayInvoice')[0]}).",
                )
                return False
        return True

    def _scope(self, about: _About, tool: str) -> Scope:
        names: dict[str, Meaning] = {about.call_name: _call(self.types, (tool,) if tool else ())}
        if about.run_name:
            names[about.run_name] = _RUN
        return Scope(names)

    def _for_each_tool(self, about: _About, read: Callable[[str], Typed | None]) -> tuple[TermOfTool, ...]:
        terms: list[TermOfTool] = []
        for tool in about.tools:
            self.calls.tool, self.calls.filled_in = tool, 0
            self.calls.read.clear()
            typed = read(tool)
            if typed is not None:
                terms.append(TermOfTool(tool, typed.term))
            elif not self.file.problems.items:  # nothing that is left out may pass as read
                self.file.say(
                    about.node, f"`{about.node.name}` has a part that is not read.", "Say it otherwise."
                )
        self.calls.tool = ""
        return tuple(terms)

    def _with_own_names(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """The function with names of its own for elements; without the word of generators it has none."""
        has_elements = _FOR.search(self.file.lines_of(node)) is not None
        return with_own_names(node, frozenset()) if has_elements else node

    # --- rules --------------------------------------------------------------------

    def _rule(self, node: ast.FunctionDef) -> CallRule | None:
        about = self._about(node, "bool")
        if about is None:
            return None
        requirements, message = split_requirements(docstring(node).strip().split("\n")[0].strip())
        if not message and not node.name.startswith("permit_"):
            self.file.say(node, f"The rule `{node.name}` has no message.",
                          'Begin it with a docstring: """R1: Why it is denied."""')  # fmt: skip
        function = self._with_own_names(node)

        def read(tool: str) -> Typed | None:
            of_tool = function
            if about.differs:
                of_tool = for_class(function, about.call_name, self.calls.classes.get(tool, ""))
            signature = Signature(node.name, BOOL, of_tool)
            return block_of(signature, self._scope(about, tool), self.file)

        terms = self._for_each_tool(about, read)
        end = node.end_lineno or node.lineno
        return CallRule(node.name, terms, message, requirements, node.lineno, end)

    # --- contract -----------------------------------------------------------------

    def _clauses(self, node: ast.FunctionDef) -> tuple[CallClause, ...]:
        about = self._about(node, "None")
        if about is None:
            return ()
        clauses: list[CallClause] = []
        copy = self._with_own_names(node)
        names: list[ast.Assign] = []
        above = ""
        for statement, own in zip(without_docstring(node.body), without_docstring(copy.body), strict=True):
            comment = self.text.comment_above(statement.lineno)
            if isinstance(own, ast.Assign):
                names.append(own)
                above = comment if split_requirements(comment)[0] else above
                continue
            if (clause := self._clause(statement, own, names, about, comment or above)) is not None:
                clauses.append(clause)
            above = ""
        return tuple(clauses)

    def _clause(
        self, statement: ast.stmt, own: ast.stmt, names: Sequence[ast.Assign], about: _About, above: str
    ) -> CallClause | None:
        """One clause; ``above`` is the comment above it, or the citation above the names before it."""
        call = own.value if isinstance(own, ast.Expr) else None
        name = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
        if not isinstance(call, ast.Call) or name not in ("Requires", "Ensures") or len(call.args) != 1:
            self.file.say(
                statement,
                f"`{about.node.name}` holds only local names and clauses.",
                "Write Ensures(condition).",
            )
            return None
        need_import(statement, name, self.file)
        inner = call.args[0]
        signature = Signature(about.node.name, BOOL, about.node)

        def read(tool: str) -> Typed | None:
            class_name = self.calls.classes.get(tool, "")
            scope: Scope | None = self._scope(about, tool)
            for assignment in names:
                own_name = assignment
                if about.differs:
                    own_name = copied(assignment)
                    own_name.value = expression_for_class(own_name.value, about.call_name, class_name)
                scope = None if scope is None else assigned(own_name, scope, signature, self.file)
            if scope is None:
                return None
            of_class = inner
            if about.differs:
                of_class = expression_for_class(inner, about.call_name, class_name)
            return condition(of_class, replace(scope, contract=True, result=name == "Ensures"), self.file)

        terms = self._for_each_tool(about, read)
        requirements, comment = split_requirements(above)
        end = statement.end_lineno or statement.lineno
        source = self.file.problems.segment(_argument_of(statement))
        return CallClause(
            about.node.name, terms, requirements, comment, source, statement.lineno, end, name == "Requires"
        )


def _argument_of(statement: ast.stmt) -> ast.expr:
    assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    return statement.value.args[0]


def _is_written(node: ast.expr | None, text: str) -> bool:
    """Whether an annotation is a name, or None."""
    return (isinstance(node, ast.Name) and node.id == text) or (
        isinstance(node, ast.Constant) and node.value is None and text == "None"
    )


def _without_none(node: ast.expr) -> tuple[ast.expr, bool]:
    """An annotation without ``| None``, and whether it had it."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        right = node.right
        if isinstance(right, ast.Constant) and right.value is None:
            return node.left, True
    return node, False
