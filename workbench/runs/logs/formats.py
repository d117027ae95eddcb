"""All importers, and the choice among them by content."""

from __future__ import annotations

from workbench.likeness import did_you_mean
from workbench.model import WorkbenchError
from workbench.runs.logs.agentdojo import AgentDojo
from workbench.runs.logs.agents_sdk import AgentsSdk
from workbench.runs.logs.anthropic import Anthropic
from workbench.runs.logs.asb import AsbCsv, AsbRuns
from workbench.runs.logs.atif import Atif
from workbench.runs.logs.claude_code import ClaudeCode
from workbench.runs.logs.claude_code_hooks import ClaudeCodeHooks
from workbench.runs.logs.codex import Codex
from workbench.runs.logs.ehragent import EhrAgent
from workbench.runs.logs.gemini import Gemini
from workbench.runs.logs.guardagent import GuardAgentLog
from workbench.runs.logs.importer import Importer
from workbench.runs.logs.inspect_ai import Inspect
from workbench.runs.logs.log_stream import Sample
from workbench.runs.logs.mcp import Mcp
from workbench.runs.logs.opa import Opa
from workbench.runs.logs.openai_chat import OpenAiChat
from workbench.runs.logs.openai_responses import OpenAiResponses
from workbench.runs.logs.openhands import OpenHands
from workbench.runs.logs.otel import OpenInference, OpenTelemetry
from workbench.runs.logs.platforms import Langfuse, LangSmith
from workbench.runs.logs.seeact import SeeAct
from workbench.runs.logs.tool_calls import ToolCallLog
from workbench.runs.logs.workbench_calls import Own

_SURE_ENOUGH = 0.25

IMPORTERS: tuple[Importer, ...] = (
    ToolCallLog(),
    Own(),
    GuardAgentLog(),
    AgentDojo(),
    OpenHands(),
    OpenAiChat(),
    EhrAgent(),
    SeeAct(),
    OpenAiResponses(),
    Anthropic(),
    ClaudeCode(),
    ClaudeCodeHooks(),
    Codex(),
    Gemini(),
    Atif(),
    AgentsSdk(),
    Mcp(),
    OpenTelemetry(),
    OpenInference(),
    LangSmith(),
    Langfuse(),
    Inspect(),
    Opa(),
    AsbCsv(),
    AsbRuns(),
)


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


def importer_named(name: str) -> Importer:
    """The importer of that name; raises WorkbenchError with the nearest known name."""
    for importer in IMPORTERS:
        if importer.name == name:
            return importer
    names = [importer.name for importer in IMPORTERS]
    hint = did_you_mean(name, names) or f"known are {', '.join(names)}."
    raise WorkbenchError(f"There is no log format {name!r}: {hint}")
