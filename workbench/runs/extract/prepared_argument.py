"""An argument of a policy with its extraction, ready to be applied to many calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.likeness import did_you_mean
from workbench.model import (
    AgentSpec,
    Argument,
    Extracted,
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
from workbench.runs.extract.model_method import WantedValue
from workbench.runs.extract.options import Options
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing, Unknown
from workbench.runs.world.record_values import RecordValues

if TYPE_CHECKING:
    from workbench.runs.extract.expression import ExpressionOfArgument, ExpressionsOfAgent

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
