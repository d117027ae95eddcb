"""All importers, and the choice among them by content."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from workbench.model import Json
from workbench.runs.logs.agents_sdk import AgentsSdk
from workbench.runs.logs.anthropic import Anthropic
from workbench.runs.logs.atif import Atif
from workbench.runs.logs.claude_code import ClaudeCode
from workbench.runs.logs.claude_code_hooks import ClaudeCodeHooks
from workbench.runs.logs.codex import Codex
from workbench.runs.logs.gemini import Gemini
from workbench.runs.logs.importer import Importer, dict_at
from workbench.runs.logs.inspect_ai import Inspect
from workbench.runs.logs.log_stream import Sample
from workbench.runs.logs.mcp import Mcp
from workbench.runs.logs.opa import Opa
from workbench.runs.logs.openai_chat import OpenAiChat
from workbench.runs.logs.openai_responses import OpenAiResponses
from workbench.runs.logs.openhands import OpenHands
from workbench.runs.logs.otel import OPEN_INFERENCE, OPEN_TELEMETRY
from workbench.runs.logs.platforms import Langfuse, LangSmith
from workbench.runs.logs.tool_calls import ToolCallLog
from workbench.runs.logs.workbench_calls import Own

_SURE_ENOUGH = 0.25

IMPORTERS: tuple[Importer, ...] = (
    ToolCallLog(), Own(), OpenHands(), OpenAiChat(), OpenAiResponses(), Anthropic(), ClaudeCode(),
    ClaudeCodeHooks(), Codex(), Gemini(), Atif(), AgentsSdk(), Mcp(), OPEN_TELEMETRY, OPEN_INFERENCE,
    LangSmith(), Langfuse(), Inspect(), Opa(),
)  # fmt: skip


class MatchingFailed(Exception):
    """An importer failed on a sample; the error that it raised is the cause."""

    def __init__(self, importer: Importer) -> None:
        """Name the importer."""
        super().__init__(importer.name)
        self.importer = importer


def choose(sample: Sample) -> Importer | None:
    """The importer that is surest of the sample; None if none is sure enough."""
    likeness = {importer: _likeness(importer, sample) for importer in IMPORTERS}
    best = max(IMPORTERS, key=lambda importer: likeness[importer])
    return best if likeness[best] >= _SURE_ENOUGH else None


def _likeness(importer: Importer, sample: Sample) -> float:
    try:
        return importer.matches(sample)
    except Exception as error:
        raise MatchingFailed(importer) from error


# --- Formats that are known by what their writers put in them, and that no importer reads yet
#
# Some of them look like a format that is read: they would be misread, or their calls passed over. Such a file
# is refused as a whole, with what it is and what to do.


type _Sign = Callable[[Mapping[str, Json]], bool]

_DEEPEST = 8
_MOST_VALUES = 20_000
# What a tool received or returned may be any JSON: no sign is looked for in it.
_OF_A_TOOL = frozenset({
    "arguments", "args", "input", "output", "result", "response", "tool_input", "tool_response",
    "structuredContent",
})  # fmt: skip


def _typed(*kinds: str) -> _Sign:
    return lambda value: value.get("type") in kinds


_SIGNS: tuple[tuple[str, _Sign], ...] = (
    (
        "messages of the Vercel AI SDK",
        lambda value: (
            (value.get("type") in ("tool-call", "tool-result") and "toolCallId" in value)
            or "toolInvocations" in value
            or (str(value.get("type")).startswith("tool-") and "toolCallId" in value and "state" in value)
        ),
    ),
    ("messages of Pydantic AI", lambda value: isinstance(value.get("part_kind"), str)),
    (
        "messages dumped by LangChain",
        lambda value: value.get("lc") == 1 and value.get("type") == "constructor" and "kwargs" in value,
    ),
    (
        "messages of Bedrock's Converse, as Strands has them",
        lambda value: "toolUseId" in dict_at(value, "toolUse", "toolResult"),
    ),
    (
        "steps of smolagents",
        lambda value: "step_number" in value and ("code_action" in value or "model_output" in value),
    ),
    (
        "spans of Traceloop",
        lambda value: any(key.startswith("traceloop.") for key in dict_at(value, "attributes")),
    ),
    (
        "parts of a session of OpenCode",
        lambda value: value.get("type") == "tool" and "callID" in value and "state" in value,
    ),
    ("events of an OpenCode plugin", lambda value: str(value.get("hook")).startswith("tool.execute.")),
    (
        "events of Google's ADK",
        lambda value: "author" in value and ("invocation_id" in value or "invocationId" in value),
    ),
    (
        "messages of AutoGen",
        _typed("ToolCallRequestEvent", "ToolCallExecutionEvent", "ToolCallSummaryMessage"),
    ),
    (
        "events of codex exec --json",
        lambda value: str(value.get("type")).startswith("item.") and isinstance(value.get("item"), dict),
    ),
    ("events of the Copilot CLI", _typed("tool.execution_start", "tool.execution_complete")),
    (
        "messages of Gemini's API",
        lambda value: value.get("role") == "model" and isinstance(value.get("parts"), list),
    ),
)


def not_yet_read(sample: Sample) -> str | None:
    """The sentence that refuses a file of a known format that is not read; None for any other file."""
    left = _MOST_VALUES
    pending: list[tuple[Json, int]] = [(record, _DEEPEST) for record in reversed(sample.records)]
    while pending and left:
        left -= 1
        value, depth = pending.pop()
        if isinstance(value, dict):
            for name, sign in _SIGNS:
                if sign(value):
                    return _refusal(name)
        if depth and isinstance(value, dict | list):
            pending.extend((inner, depth - 1) for inner in _inside(value))
    return None


def _inside(value: dict[str, Json] | list[Json]) -> list[Json]:
    if isinstance(value, list):
        return value
    if value.get("role") in ("tool", "function") or str(value.get("type")).endswith("tool_result"):
        return []
    return [item for key, item in value.items() if key not in _OF_A_TOOL and isinstance(item, dict | list)]


def _refusal(name: str) -> str:
    return (
        f"the file has {name}, which are not read yet; "
        "write its calls in the format workbench, one call a line, as the page of log formats describes"
    )
