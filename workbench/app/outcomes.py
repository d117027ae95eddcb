"""What the results of a tool say of calls that may have failed: asked where rules ask for success."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from workbench.clean_text import one_line
from workbench.model import AgentSpec, Doubt, RecordedCall, Tool
from workbench.policy.terms import PolicyTerms
from workbench.runs.world.declared_failures import DeclaredFailures

OUTCOME = "failed-result"
_MEANT, _ANY = "meant", "any"
_LONGEST = 100
"""The most characters of a result that a question shows."""
_TESTING = re.compile(r"test|lint|build|compile", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Shape:
    """How results tell what came of a call: its name, what they have, when it may have failed, an example."""

    value: str
    name: str
    seen: str
    pattern: str
    example: str


_STATES = "error|errored|fail|failed|failure|timeout|timed_out|cancelled|canceled|aborted"
_SHAPES = (
    _Shape(
        "exit-code",
        "an exit code that is not 0",
        '"(?:exit_?code|exitCode|exit_status|return_?code|returncode)" ?:',
        '"(?:exit_?code|exitCode|exit_status|return_?code|returncode)" ?:(?! ?"?0(?![0-9]))',
        '{"exit_code": 1}',
    ),
    _Shape(
        "success",
        "success that is not true",
        '"(?:success|succeeded|ok|passed)" ?: ?(?:true|false|null|"true"|"false")',
        '"(?:success|succeeded|ok|passed)" ?: ?"?(?:false|null)',
        '{"success": false}',
    ),
    _Shape(
        "is-error",
        "isError that is true",
        '"(?:isError|is_error)" ?:',
        '"(?:isError|is_error)" ?: ?"?true',
        '{"isError": true}',
    ),
    _Shape(
        "count",
        "a number or list of failures",
        '"(?:failed|failures|errors|num_failed|failed_count)" ?:',
        r'"(?:failed|failures|errors|num_failed|failed_count)" ?: ?(?:[1-9]|true|\[ ?[^\] ]|\{ ?[^} ]|"[^"])',
        '{"passed": 3, "failed": 1}',
    ),
    _Shape(
        "status",
        "a status of failure",
        '"(?:status|state|outcome|conclusion|result)" ?: ?"',
        f'(?i)"(?:status|state|outcome|conclusion|result)" ?: ?"(?:{_STATES})"',
        '{"status": "failed"}',
    ),
    _Shape(
        "words",
        "words for failure in its text",
        r"(?i)\b[0-9]{1,6} (?:passed|failed)\b|\bexit (?:code|status):? [0-9]|\b(?:PASS|FAIL)(?:ED)?\b",
        r"(?im)\b[1-9][0-9]{0,5} (?:failed|failures?|errors?)\b|^ ?(?:FAIL|FAILED|ERROR|npm ERR!)(?![a-z])"
        r"|\bexit(?:ed)?(?: with)?(?: code| status)?[: ] ?[1-9]",
        "1 failed, 3 passed",
    ),
)


def doubts_of_outcomes(
    terms: PolicyTerms, agent: AgentSpec, calls: Sequence[RecordedCall]
) -> Iterator[Doubt]:
    """Yield a question for each tool of which rules ask for success, and no logged call is told as failed.

    Asked is what logged results of failures have. A tool that runs commands or tests is asked about also
    where none is logged: about what readings of the agent find in results, if these tell it.
    """
    failures = DeclaredFailures(agent.records, agent.errors)
    for tool in agent.tools:
        if tool.name not in terms.file.outcomes or tool.may_have_failed:
            continue
        own = [one for one in calls if one.tool == tool.name and one.result is not None]
        if any(one.failed for one in own):
            continue
        results = [one.result or "" for one in own]
        by_text = _is_told_by_text(tool)
        shapes = [
            one
            for one in _SHAPES
            if any(re.search(one.seen if by_text else one.pattern, result) for result in results)
        ]
        if not shapes and by_text:
            read = " ".join(f'"{name}": true, "{name}": ""' for name in (one.name for one in agent.readings))
            shapes = [one for one in _SHAPES if re.search(one.seen, read)] or [*_SHAPES]
        open_ = [one for one in shapes if not _is_known(failures, tool, one, results)]
        if open_:
            yield _doubt(tool, open_, results)


def _is_told_by_text(tool: Tool) -> bool:
    """Whether a tool runs commands or tests, of which a result tells what came of it."""
    is_command = any(note.type == "command" for note in tool.fields.values())
    return is_command or _TESTING.search(tool.name) is not None


def _is_known(failures: DeclaredFailures, tool: Tool, shape: _Shape, results: Sequence[str]) -> bool:
    """Whether results that say so by a shape already count as those of failed calls."""
    saying = [result for result in results if re.search(shape.pattern, result)] or [shape.example]
    return all(
        failures.has_failed(RecordedCall("tried", 0, tool.name, {}, result=result)) for result in saying
    )


def _doubt(tool: Tool, shapes: Sequence[_Shape], results: Sequence[str]) -> Doubt:
    failed = [each for each in results if any(re.search(one.pattern, each) for one in shapes)]
    example = one_line(failed[0] if failed else shapes[0].example)
    listed = {one.value: one.name for one in shapes}
    if len(shapes) > 1:
        listed = {_ANY: f"any of these: {', '.join(listed.values())}", **listed}
    return Doubt(
        id=f"{OUTCOME}:{quote(tool.name, safe='')}",
        kind="failed-result",
        values=(*listed, _MEANT),
        free_text=True,
        facts={
            "tool": one_line(tool.name),
            "example": example if len(example) <= _LONGEST else f"{example[:_LONGEST]}…",
        },
        value_facts={value: {"named": named} for value, named in listed.items()},
    )


def patterns_of(value: str, offered: Collection[str]) -> tuple[str, ...]:
    """The patterns that an answer means: those of its shapes, of all ``offered`` ones, or what was typed."""
    named = offered if value == _ANY else (value,)
    return tuple(one.pattern for one in _SHAPES if one.value in named) or (value,)
