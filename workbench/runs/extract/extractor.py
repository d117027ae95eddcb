"""The extractor: the arguments of a policy from a call of a run, each by its own extraction.

An argument of a policy with its extraction, ready to be applied to many calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.guard.look_alike_names import property_names, unclear_keys
from workbench.likeness import did_you_mean
from workbench.model import (
    AgentSpec,
    Argument,
    Demonstration,
    Extracted,
    Json,
    Kind,
    LookedUp,
    Provenance,
    RecordedCall,
    WorkbenchError,
)
from workbench.policy.written import EXPRESSION
from workbench.runs.extract.fitting import Fitting
from workbench.runs.extract.jsonpath import JSONPATH, jsonpath
from workbench.runs.extract.methods import needs_package
from workbench.runs.extract.model_method import Reader, WantedValue
from workbench.runs.extract.options import Options
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing, Unknown
from workbench.runs.values.json_paths import BadPath, parse_parts
from workbench.runs.values.zones import BadZone
from workbench.runs.world.database import FolderDatabase
from workbench.runs.world.earlier_places import run_before
from workbench.runs.world.record_finder import RecordFinder
from workbench.runs.world.record_values import RecordValues
from workbench.runs.world.reports import NotUnderstood, whole_call

if TYPE_CHECKING:
    from workbench.dialect.run_values import CheckedExpressions
    from workbench.runs.expressions.moment import AgentReader
    from workbench.runs.extract.expression import ExpressionOfArgument, ExpressionsOfAgent


class Extractor:
    """Extracts the arguments of a policy by their extraction sources."""

    def __init__(
        self,
        arguments: Sequence[Argument],
        spec: AgentSpec,
        reader: Reader | None = None,
        memory: Sequence[Demonstration] | None = None,
        database: FolderDatabase | None = None,
        expressions: CheckedExpressions | None = None,
    ) -> None:
        """Prepare all methods; raises WorkbenchError for an unknown method or a wrong option.

        ``reader`` asks a model for the readings whose method is ``model``; without it they are missing.
        ``memory`` holds the session's demonstrations, the examples of the readings with ``memory = true``;
        without it they are missing. ``database`` answers for records that do not appear in the run.
        ``expressions`` are those of the arguments, if they were checked before.
        """
        speaks_of_calls = any(_is_expression(argument) for argument in arguments)
        finder = _finder(spec, database, self._not_understood if speaks_of_calls else whole_call)
        self.arguments = tuple(arguments)
        self._spec = spec
        self._finder = finder
        self._expressions = expressions
        self._of_agent: ExpressionsOfAgent | None = None
        self._reader = reader
        self._memory = memory
        self._known_by_tool = any(
            argument.type.kind is Kind.ENUM and names_tool(argument) for argument in arguments
        )
        self._names = {tool.name: property_names(dict(tool.parameters)) for tool in spec.tools}
        self._arguments = tuple(
            PreparedArgument(argument, spec, finder.values, self._agent) for argument in arguments
        )

    def extract(self, call: RecordedCall, history: Sequence[RecordedCall] = ()) -> Mapping[str, Extracted]:
        """Every argument of one call, in order; ``history`` holds the earlier calls of its run.

        An expression over the calls of other tools plays no part in this call and is left out. An argument
        that cannot be determined has ``missing`` set to the reason; none of them can if the tool could read a
        key of the call otherwise, or if the log does not name the tool, which may be one that the agent does
        not have. An optional argument that the call certainly does not have is None.
        """
        why = unclear_keys(call.arguments or {}, self._names.get(call.tool or "", ()))
        if call.tool is None and self._known_by_tool:
            why = "the log does not say which tool the call is of"
        if why:
            return {prepared.name: Extracted(missing=why, needed=True) for prepared in self._arguments}
        self.ask_model([call])
        run = run_before(history)
        extracted = {
            prepared.name: prepared.extract(call, run)
            for prepared in self._arguments
            if not prepared.left_out(call.tool)
        }
        is_refused = call.arguments is None and "arguments" in call.texts
        return _not_determinable(extracted) if is_refused else extracted

    def _agent(self) -> ExpressionsOfAgent:
        """The expressions of all arguments and their evaluator, which only policies of calls have."""
        if self._of_agent is None:
            from workbench.runs.expressions.evaluator import Evaluator
            from workbench.runs.expressions.moment import AgentReader
            from workbench.runs.extract.expression import ExpressionsOfAgent
            from workbench.runs.extract.text_readings import prepared_readings

            checked = self._expressions or self._checked()
            readings = prepared_readings(self._spec, self._reader, self._memory, self._finder.values)
            reader = AgentReader(self._spec, checked.calls, self._finder, readings)
            self._of_agent = ExpressionsOfAgent(checked, Evaluator(reader))
        return self._of_agent

    @property
    def agent_reader(self) -> AgentReader:
        """What reads the calls and records of the agent."""
        return self._agent().evaluator.reader

    def _checked(self) -> CheckedExpressions:
        from workbench.dialect.argument_expressions import checked_expressions

        return checked_expressions(self.arguments, self._spec)

    def _not_understood(self, tool: str, arguments: Mapping[str, Json]) -> str:
        return self._agent().evaluator.reader.not_understood(tool, arguments)

    @property
    def asks_model(self) -> bool:
        """Whether a model reads one of the arguments."""
        return self._reader is not None and any(prepared.asks_model for prepared in self._arguments)

    def announce(self, calls: Iterable[RecordedCall]) -> None:
        """Report to the watcher of the model what reading these calls would cost."""
        if self._reader is not None:
            self._reader.announce(self._wanted_values(calls))

    def ask_model(self, calls: Iterable[RecordedCall]) -> None:
        """Let the model read all requested values of these calls, several texts at the same time."""
        if self._reader is not None and self.asks_model:
            self._reader.ask(self._wanted_values(calls))

    def _wanted_values(self, calls: Iterable[RecordedCall]) -> list[WantedValue]:
        asking = [prepared for prepared in self._arguments if prepared.asks_model]
        return [wanted for call in calls for prepared in asking for wanted in prepared.wanted_values(call)]

    def wanted(self, call: RecordedCall, history: Sequence[RecordedCall] = ()) -> tuple[LookedUp, ...]:
        """The look-ups that would give unknown records of the call."""
        look_up_by_text: dict[str, LookedUp] = {}
        for prepared in self._arguments:
            for looked_up in prepared.wanted(call, history):
                look_up_by_text.setdefault(str(looked_up), looked_up)
        return tuple(look_up_by_text.values())


def names_tool(argument: Argument) -> bool:
    """Whether the argument is the tool of a call, by any spelling of its path."""
    extraction = argument.extraction
    if extraction is None or extraction.method != JSONPATH:
        return False
    path = extraction.options.get("path")
    try:
        return isinstance(path, str) and parse_parts(path) == ("tool",)
    except BadPath:
        return False  # preparing the argument refuses it


def _is_expression(argument: Argument) -> bool:
    return argument.extraction is not None and argument.extraction.method == EXPRESSION


def _not_determinable(extracted: Mapping[str, Extracted]) -> Mapping[str, Extracted]:
    """The values of a call whose arguments are a text and no object: a guard refuses it, whatever is read.

    Where a log does not have the arguments of a call at all, a decision hangs on them only if it reads them.
    """
    if any(item.missing is not None for item in extracted.values()):
        return {
            name: item if item.missing is None else replace(item, needed=True)
            for name, item in extracted.items()
        }
    return {
        name: Extracted(missing="the arguments of the call are unknown", needed=True) for name in extracted
    }


def _finder(spec: AgentSpec, database: FolderDatabase | None, not_understood: NotUnderstood) -> RecordFinder:
    try:
        return RecordFinder(spec.records, spec.zone, database, spec.schema, spec.errors, not_understood)
    except BadZone as error:
        raise WorkbenchError(f"In the agent spec: {error}.") from None
    except ModuleNotFoundError as error:
        raise WorkbenchError(f"In the patterns of a record: {needs_package(error.name or '')}.") from None


_NAMES = (EXPRESSION, JSONPATH)


class _OutsideEnum(Missing):
    """The value is none of the argument's enum, such as a tool that the agent does not have."""


class PreparedArgument:
    """An argument with its method, ready to be applied to many calls."""

    def __init__(
        self,
        argument: Argument,
        spec: AgentSpec,
        values: RecordValues,
        agent: Callable[[], ExpressionsOfAgent],
    ) -> None:
        """Prepare the method; raises WorkbenchError for an unknown method or a wrong option.

        ``agent`` gives the reader of the agent's calls, for expressions over them.
        """
        self.name = argument.name
        extraction = argument.extraction
        self._method: Method | None = None
        self._expression: ExpressionOfArgument | None = None
        self._unread = "the session does not say how to extract it"
        if extraction is None:
            return
        if extraction.method not in _NAMES:
            hint = did_you_mean(extraction.method, _NAMES) or f"known are {', '.join(_NAMES)}"
            raise WorkbenchError(
                f"The argument {argument.name} has the unknown extraction {extraction.method!r}: {hint}"
            )
        self._method_name = extraction.method
        options = Options(argument.name, extraction)
        self._fitting = Fitting(argument.type, spec, options, values)
        if extraction.method == JSONPATH:
            self._method = jsonpath(argument, options)
        else:
            try:
                self._method = self._expression = _expression(argument, options, agent())
            except ModuleNotFoundError as error:
                self._unread = needs_package(error.name or "")
                return
        options.done()

    def extract(self, call: RecordedCall, history: Sequence[RecordedCall]) -> Extracted:
        """The argument of one call; ``missing`` is the reason if it cannot be determined."""
        if self._method is None:
            return Extracted(missing=self._unread)
        outside = False
        try:
            return self._fitted(self._method(call, history))
        except Absent as absent:
            if self._fitting.type.optional:
                return Extracted(None, (Provenance(self._method_name),))
            why = str(absent)
        except Unknown as unknown:
            look_up = next(iter(unknown.look_ups), None)
            return Extracted(missing=str(unknown), look_up=look_up, between=unknown.between)
        except _OutsideEnum as missing:
            why, outside = str(missing), True
        except Missing as missing:
            why = str(missing)
        except ModuleNotFoundError as error:
            why = needs_package(error.name or "")
        except Exception as error:
            # A log is hostile: an error in a parser of it must neither stop the replay nor allow the call.
            why = f"{self._method_name} failed on this call ({type(error).__name__})"
        return Extracted(missing=why, needed=outside)

    def left_out(self, tool: str | None) -> bool:
        """Whether the argument is an expression over the calls of other tools, so that it plays no part."""
        return self._expression is not None and self._expression.left_out(tool)

    @property
    def asks_model(self) -> bool:
        """Whether a model reads a text in the argument."""
        return self._expression is not None and self._expression.asks_model

    def wanted_values(self, call: RecordedCall) -> Sequence[WantedValue]:
        """The requests to the model about a call; none if the model is not asked."""
        if self._expression is None or self.left_out(call.tool):
            return ()
        try:
            return self._expression.wanted_values(call)
        except Exception:  # extracting the call reports the error
            return ()

    def wanted(self, call: RecordedCall, history: Sequence[RecordedCall]) -> tuple[LookedUp, ...]:
        """The look-ups that would give the records that an expression names."""
        if self._expression is None:
            return ()
        try:
            found_value = self._expression(call, history)
        except Unknown as unknown:
            return tuple(replace(look_up, again=False) for look_up in unknown.look_ups)
        except Missing:
            return ()
        return () if found_value.look_up is None else (found_value.look_up,)

    def _fitted(self, found_value: FoundValue) -> Extracted:
        try:
            value = self._fitting.value(found_value)
        except Missing as missing:
            if self._fitting.type.kind is Kind.ENUM and found_value.value is not None:
                raise _OutsideEnum(str(missing)) from None
            raise
        items = self._fitting.items(found_value)
        return Extracted(value, found_value.provenance, None, items, found_value.look_up, found_value.state)


def _expression(argument: Argument, options: Options, agent: ExpressionsOfAgent) -> ExpressionOfArgument:
    # Only policies of calls load what evaluates expressions.
    from workbench.runs.extract.expression import ExpressionOfArgument

    return ExpressionOfArgument(argument, options, agent)
