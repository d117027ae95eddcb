"""An argument of a policy with its method of extraction, ready to be applied to many calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.likeness import did_you_mean
from workbench.model import (
    AgentSpec,
    Argument,
    Demonstration,
    Extracted,
    Extraction,
    Json,
    Kind,
    LookedUp,
    Provenance,
    RecordedCall,
    WorkbenchError,
)
from workbench.runs.extract.fitting import Fitting
from workbench.runs.extract.jsonpath import parse_path
from workbench.runs.extract.methods import (
    FINDING,
    METHODS,
    MODEL,
    OF_CALLS,
    TAUGHT,
    needs_package,
    text_method,
    without_package,
)
from workbench.runs.extract.model_method import AsksModel, Reader, WantedValue
from workbench.runs.extract.options import Options
from workbench.runs.values.call_paths import matches
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing, Unknown
from workbench.runs.values.json_paths import Pattern
from workbench.runs.world.record_of_call import RecordFinder

if TYPE_CHECKING:
    from workbench.runs.extract.expression import ExpressionsOfAgent

_NAMES = (*METHODS, *TAUGHT, *FINDING, *OF_CALLS, MODEL)


class _OutsideEnum(Missing):
    """The value is none of the argument's enum, such as a tool that the agent does not have."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """The calls that have an argument, and the value of the argument for all other calls.

    A call has it if its tool is one of ``tools`` (if there are any) and it has the values of ``when``.
    ``owners`` are the tools outside which no call has it; ``elsewhere`` is the value of the other calls.
    """

    tools: frozenset[str] = frozenset()
    owners: frozenset[str] = frozenset()
    when: tuple[tuple[Pattern, Json], ...] = ()
    elsewhere: tuple[Json] | None = None

    @classmethod
    def of(cls, extraction: Extraction, options: Options) -> _Scope:
        """Read the options of the scope; raises WorkbenchError for a wrong one."""
        tools = frozenset(options.texts("tools"))
        owners = tools or _with_a_path(extraction) or _of_expression(extraction)
        when = _conditions(options)
        if not options.has("elsewhere"):
            return cls(tools, owners, when)
        if not owners and not when:
            raise options.error(
                "elsewhere needs tools, when or paths by tool, which say where it does not apply"
            )
        return cls(tools if when else owners, owners, when, (options.value("elsewhere"),))

    def outside(self, call: RecordedCall) -> FoundValue | None:
        """The value for a call without the argument, else None; raises Absent without ``elsewhere``.

        Raises Missing where the log does not tell whether the call has it.
        """
        if self.tools and call.tool is None:
            raise Missing("the log does not say which tool the call is of")
        if self.tools and call.tool not in self.tools:
            why = f"it is not an argument of {call.tool}"
        elif self.when and call.arguments is None:
            raise Missing("the log does not have the arguments of the call")
        elif not all(_says(call, path, wanted_value) for path, wanted_value in self.when):
            why = "it is not an argument of this call"
        else:
            return None
        if self.elsewhere is None:
            raise Absent(why)
        return FoundValue(self.elsewhere[0], (Provenance("elsewhere"),))


class PreparedArgument:
    """An argument with its method, ready to be applied to many calls."""

    def __init__(
        self,
        argument: Argument,
        spec: AgentSpec,
        reader: Reader | None,
        memory: Sequence[Demonstration] | None,
        finder: RecordFinder,
        agent: Callable[[], ExpressionsOfAgent],
    ) -> None:
        """Prepare the method; raises WorkbenchError for an unknown method or a wrong option.

        ``agent`` gives the reader of the agent's calls, for expressions over them.
        """
        self.name = argument.name
        self._joins = finder.joins(argument.type)
        extraction = argument.extraction
        self._method_name = extraction.method if extraction else ""
        self._method: Method | None = None
        self._scope = _Scope()
        self._minimum = 0.0
        if extraction is None:
            return
        if extraction.method not in _NAMES:
            hint = did_you_mean(extraction.method, _NAMES) or f"known are {', '.join(sorted(_NAMES))}"
            raise WorkbenchError(
                f"The argument {argument.name} has the unknown extraction {extraction.method!r}: {hint}"
            )
        options = Options(argument.name, extraction.method, extraction.options)
        self._scope = _Scope.of(extraction, options)
        self._minimum = options.number("confidence")
        self._fitting = Fitting(argument.type, spec, options, finder.values)
        try:
            if extraction.method in OF_CALLS:
                self._method = OF_CALLS[extraction.method](argument, options, agent())
            elif extraction.method in FINDING:
                self._method = FINDING[extraction.method](argument, spec, options, finder)
            else:
                self._method = text_method(argument, spec, options, reader, memory)
        except ModuleNotFoundError as error:
            self._method = without_package(error.name or "")
            return
        options.done()

    def extract(self, call: RecordedCall, history: Sequence[RecordedCall]) -> Extracted:
        """The argument of one call; ``missing`` is the reason if it cannot be determined."""
        if self._method is None:
            return Extracted(missing="the session does not say how to extract it")
        outside = False
        try:
            return self._fitted(self._find(self._method, call, history))
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

    def never_of(self, tool: str) -> bool:
        """Whether by the extraction no call of the tool has the argument."""
        return bool(self._scope.owners) and tool not in self._scope.owners

    def left_out(self, tool: str | None) -> bool:
        """Whether the argument is an expression over the calls of other tools, so that it plays no part."""
        return tool is not None and self._method_name in OF_CALLS and self.never_of(tool)

    @property
    def asks_model(self) -> bool:
        """Whether a model reads the argument, or a text in it."""
        return isinstance(self._method, AsksModel) and self._method.asks_model

    def wanted_values(self, call: RecordedCall) -> Sequence[WantedValue]:
        """The requests to the model about a call; none if the model is not asked."""
        if not isinstance(self._method, AsksModel) or self.left_out(call.tool):
            return ()
        try:
            return self._method.wanted_values(call) if self._scope.outside(call) is None else ()
        except Exception:  # extracting the call reports the error
            return ()

    def wanted(self, call: RecordedCall, history: Sequence[RecordedCall]) -> tuple[LookedUp, ...]:
        """The look-ups that would give the records that elements of a list, or an expression, name."""
        if self._method is None or not (self._joins or self._method_name in OF_CALLS):
            return ()
        try:
            found_value = self._find(self._method, call, history)
        except Unknown as unknown:
            return tuple(replace(look_up, again=False) for look_up in unknown.look_ups)
        except Missing:
            return ()
        return (*((found_value.look_up,) if found_value.look_up is not None else ()), *found_value.more)

    def _find(self, method: Method, call: RecordedCall, history: Sequence[RecordedCall]) -> FoundValue:
        outside = self._scope.outside(call)
        return method(call, history) if outside is None else outside

    def _fitted(self, found_value: FoundValue) -> Extracted:
        if self._minimum:
            self._check_confidence(found_value)
        try:
            value = self._fitting.value(found_value)
        except Missing as missing:
            if self._fitting.type.kind is Kind.ENUM and found_value.value is not None:
                raise _OutsideEnum(str(missing)) from None
            raise
        items = self._fitting.items(found_value)
        return Extracted(value, found_value.provenance, None, items, found_value.look_up, found_value.state)

    def _check_confidence(self, found_value: FoundValue) -> None:
        confidence = min((entry.confidence for entry in found_value.provenance), default=1.0)
        if confidence < self._minimum:
            raise Missing(f"it is not sure enough ({confidence:.2f} of {self._minimum:.2f} needed)")


def _with_a_path(extraction: Extraction) -> frozenset[str]:
    """The tools whose calls have the argument because each has its own path; empty if one path is for all.

    The paths of a history are those of earlier calls.
    """
    paths = extraction.options.get("path")
    return frozenset(paths) if extraction.method == "jsonpath" and isinstance(paths, Mapping) else frozenset()


def _of_expression(extraction: Extraction) -> frozenset[str]:
    """The tool whose calls an expression is about; empty if it is about all."""
    tool = extraction.options.get("tool")
    is_of_tool = extraction.method in OF_CALLS and isinstance(tool, str) and tool != ""
    return frozenset({tool}) if is_of_tool and isinstance(tool, str) else frozenset()


def _conditions(options: Options) -> tuple[tuple[Pattern, Json], ...]:
    """The values that a call needs at some paths to have the argument."""
    when = options.value("when")
    if when is None:
        return ()
    if not isinstance(when, dict) or not when:
        raise options.error("when must be a table of paths with the value at each")
    return tuple((parse_path(path, options), value) for path, value in when.items())


def _says(call: RecordedCall, path: Pattern, expected: Json) -> bool:
    """Whether the only value at the path is the expected one. Raises Missing if there are several values."""
    try:
        placed_values = matches(call, path)
    except Absent:
        return False
    if len(placed_values) != 1:
        raise Missing(f"the call has {len(placed_values)} values where one decides")
    value = placed_values[0][0]
    return value == expected and isinstance(value, bool) == isinstance(expected, bool)
