"""A LangChain tool that asks a guard before it runs another tool."""

# LangChain declares the inputs and outputs of tools as Any.
# pyright: reportAny=false, reportExplicitAny=false

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, cast

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from pydantic import BaseModel, ValidationError

from workbench.guard.adapters.call_schemas import check_names, checked_arguments
from workbench.guard.adapters.strict_json import Unclear
from workbench.guard.calls import Outcome, TaskTerminated, ToolCall
from workbench.guard.enforce import Guard
from workbench.model import Json


class GuardedTool(BaseTool):
    """A tool with the name, description and parameters of ``inner`` whose calls the guard decides first."""

    inner: BaseTool
    guard: Any

    @classmethod
    def around(cls, guard: Guard, tool: BaseTool) -> GuardedTool:
        """A guarded copy of a tool."""
        return cls(
            name=tool.name,
            description=tool.description,
            args_schema=tool.args_schema or tool.get_input_schema(),
            return_direct=tool.return_direct,
            response_format=tool.response_format,
            tags=tool.tags,
            metadata=tool.metadata,
            inner=tool,
            guard=guard,
        )

    def run(self, tool_input: str | dict[str, Any], *args: Any, **options: Any) -> Any:
        """Decide, then run the inner tool with exactly the input that was decided on."""
        tool_input = copy.deepcopy(tool_input)  # no change after the check
        outcome = cast(Guard, self.guard).check(self._call(tool_input, options))
        if not outcome.runs:
            return self._refusal(outcome)
        try:
            result = self.inner.run(tool_input, *args, **options)
        except Exception as error:
            cast(Guard, self.guard).fail(outcome, error)
            raise
        self._finish(outcome, result)
        return result

    async def arun(self, tool_input: str | dict[str, Any], *args: Any, **options: Any) -> Any:
        """Like ``run``, without blocking the event loop."""
        tool_input = copy.deepcopy(tool_input)
        outcome = await cast(Guard, self.guard).check_async(self._call(tool_input, options))
        if not outcome.runs:
            return self._refusal(outcome)
        try:
            result = await self.inner.arun(tool_input, *args, **options)
        except Exception as error:
            cast(Guard, self.guard).fail(outcome, error)
            raise
        self._finish(outcome, result)
        return result

    def _finish(self, outcome: Outcome, result: Any) -> None:
        failed = isinstance(result, ToolMessage) and result.status == "error"
        cast(Guard, self.guard).finish(outcome, _content(result), failed=failed)

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        """Refuse: LangChain calls ``run``, so a direct call would bypass the guard."""
        raise NotImplementedError("A guarded tool runs through run, arun, invoke and ainvoke.")

    def _call(self, tool_input: str | dict[str, Any], options: Mapping[str, Any]) -> ToolCall:
        call_id = options.get("tool_call_id")
        call_id = str(call_id or "")
        return ToolCall(self.name, self._arguments(tool_input, call_id), call_id=call_id)

    def _arguments(self, tool_input: str | dict[str, Any], call_id: str) -> Mapping[str, Json] | None:
        """The arguments that the inner tool receives, with its defaults and conversions applied.

        Arguments that the framework injects are left out. None if the input does not fit the schema: the
        inner tool would not accept it either.
        """
        schema = self.inner.args_schema or self.inner.get_input_schema()
        if isinstance(schema, dict):
            return _checked(tool_input, cast(Mapping[str, Json], schema))
        shown_schema = self.inner.tool_call_schema
        if (
            isinstance(shown_schema, dict)
            or not issubclass(schema, BaseModel)
            or not issubclass(shown_schema, BaseModel)
        ):
            return None
        names = set(shown_schema.model_fields)
        if isinstance(tool_input, str):
            if len(names) != 1:
                return None
            tool_input = {next(iter(names)): tool_input}
        try:
            check_names(tool_input, names)
        except Unclear:
            return None
        injected = dict.fromkeys(set(schema.model_fields) - names, call_id)
        try:
            parsed = schema.model_validate({**injected, **tool_input})
        except (ValidationError, RecursionError):
            return None
        extra = parsed.model_extra or {}
        dumped = parsed.model_dump(mode="json", include=names | set(extra), fallback=str)
        return cast(Mapping[str, Json], dumped)

    def _refusal(self, outcome: Outcome) -> Any:
        if outcome.ends_task:
            raise TaskTerminated(outcome)
        if not outcome.call.call_id:
            return outcome.feedback
        return ToolMessage(
            outcome.feedback, tool_call_id=outcome.call.call_id, name=self.name, status="error"
        )  # fmt: skip


def _checked(tool_input: str | dict[str, Any], schema: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """The arguments checked against a JSON schema; None if they could be read in two ways."""
    if isinstance(tool_input, str):
        return None
    try:
        return checked_arguments(tool_input, schema)
    except Unclear:
        return None


def _content(result: Any) -> Any:
    return result.content if isinstance(result, ToolMessage) else result
