"""SeeAct's predictions: the prompts of the web agent, and its answer in parts (``gpt_output``)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from workbench.clean_text import counted, one_line
from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs.importer import (
    LoggedCall,
    NotThisFormat,
    build_run,
    dict_at,
    facts,
    list_at,
    read_each,
    run_id,
    text_at,
)
from workbench.runs.logs.log_stream import LogSource, Sample

_KEYS = frozenset({"gpt_output", "prompt"})
_TASK = re.compile(r"complete the following task:\s*(.*?)(?:\n\s*\n|\Z)", re.DOTALL | re.IGNORECASE)
_LAST = re.compile(
    r"ELEMENT:\s*(?P<element>[^\n]*)\s+ACTION:\s*(?P<action>[^\n]*)\s+VALUE:\s*(?P<value>[^\n]*)",
    re.IGNORECASE,
)
_IDS = ("annotation_id", "action_uid", "multichoice_id")


class SeeAct:
    """Reads each record as one run of one web action."""

    name = "seeact"

    def matches(self, sample: Sample) -> float:
        """The share of records with prompt and answer."""
        return sample.share(_KEYS)

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """Read each record as a run of one call; its tool is the web operation (click, type, select)."""

        def convert(record: dict[str, Json], line: int) -> Iterator[Run | ImportProblem]:
            output = _joined(record.get("gpt_output"))
            prompt = _joined(record.get("prompt"))
            if output is None:
                raise NotThisFormat("the record has no gpt_output")
            task = text_at(record, "confirmed_task", "task") or _task(prompt or "")
            profile = dict_at(record, "user_info")
            texts = {"agent_output": output, "agent_input": _agent_input(task, profile)}
            if prompt is not None:
                texts["prompt"] = prompt
            parts = [part for key in sorted(_KEYS) for part in list_at(record, key)]
            if odd := sum(not isinstance(part, str) for part in parts):
                reason = f"{counted(odd, 'part')} of the prompt or the answer cannot be read"
                yield ImportProblem(str(source.path), line, reason, odd)
            tool, raw = _operation(output)
            yield build_run(
                text_at(record, *_IDS) or run_id(record, source, line),
                [LoggedCall(tool=tool, raw=raw, texts=texts)],
                facts(record, _KEYS),
                self.name,
                source,
                f"line {line}",
            )

        return read_each(source, convert)


def _joined(value: Json) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n\n".join(item for item in value if isinstance(item, str))
    return None


def _task(prompt: str) -> str:
    match = _TASK.search(prompt)
    return match.group(1).strip() if match else ""


def _agent_input(task: str, profile: Mapping[str, Json]) -> str:
    """The agent's task and profile, written as GuardAgent writes them; each text stays within its line."""
    lines = [f"Task: {one_line(task)}"]
    if profile:
        facts = (f"  {one_line(key)}: {one_line(str(value))}" for key, value in profile.items())
        lines += ["", "user_info:", *facts]
    return "\n".join(lines)


def _operation(output: str) -> tuple[str | None, Json]:
    """The last ELEMENT, ACTION and VALUE of the answer; (None, None) if there are none."""
    last: re.Match[str] | None = None
    for match in _LAST.finditer(output):
        last = match
    if last is None:
        return None, None
    value = last["value"].strip()
    return last["action"].strip().lower() or None, {
        "element": last["element"].strip(),
        "value": None if value in ("", "None") else value,
    }
