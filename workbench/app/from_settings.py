"""A session made from the settings of a coding agent, what is wrong with them, and what it changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.app.named_files import read_named
from workbench.app.new_session import NewSession, check_logs, copy_logs
from workbench.app.own_copy import shipped_file
from workbench.app.runs import read_logs
from workbench.app.workbench import Workbench
from workbench.clean_text import counted
from workbench.dialect.lowered_policy import lowered_policy
from workbench.model import RecordedCall, Run, Verdict, WorkbenchError
from workbench.session import Session
from workbench.session.agent_file import NAME, read_agent
from workbench.settings.carried import Carried, carried, shown
from workbench.settings.findings import FOLDER, Finding, FindingKind, command_samples, decision_word, findings
from workbench.settings.reading import read_settings
from workbench.settings.rules import SHELL, Effect, Settings, SettingsClient

if TYPE_CHECKING:
    from workbench.model import Json

__all__ = ["ChangedCall", "FindingKind", "Rescued", "from_settings"]

_TEXT = {"Read": "file_path", "Edit": "file_path", "Write": "file_path", "DeleteFile": "file_path"}


@dataclass(frozen=True, slots=True)
class ChangedCall:
    """A call that the session decides otherwise than the settings: where it is from, and both decisions.

    The settings decide ``allow``, ``ask``, ``deny``, or ``client``: no rule speaks, so the client's own
    default counts.
    """

    call: str
    settings: str
    session: str


@dataclass(frozen=True, slots=True)
class Rescued:
    """The session of settings: the rules of each effect, what is wrong, what is not carried over.

    ``closed`` and ``open`` are the commands that slip through the settings and are denied by the session,
    and those that are not. ``tried`` are commands of the rules' own kind that both decided, ``changed``
    those and the logged calls on which they differ.
    """

    client: str
    rules: dict[str, int]
    typed: int
    findings: tuple[Finding, ...]
    lost: tuple[str, ...]
    closed: tuple[str, ...]
    open: tuple[str, ...]
    tried: int
    logged: int
    newly_denied: tuple[ChangedCall, ...]
    newly_allowed: tuple[ChangedCall, ...]
    next_step: str


def from_settings(folder: Path, files: Sequence[Path], logs: Sequence[Path]) -> tuple[NewSession, Rescued]:
    """Make a session from the settings in these files. Raises WorkbenchError; nothing is made then."""
    settings = read_settings(
        [(path.expanduser(), read_named(path, "settings of a coding agent")) for path in files]
    )
    notes = check_logs(logs)
    spec = read_agent(shipped_file("coding-agent", NAME).read_text("utf-8"), NAME)
    made = carried(settings, spec, f"Settings of {settings.client}")
    lowered_policy(made.policy, made.spec)
    session = Session.create(folder, made.request, made.spec, title=f"Settings of {settings.client}")
    created = NewSession(Workbench(session), spec_drafted=False, notes=notes)
    try:
        copy_logs(logs, folder / "logs")
        session.set_policy(made.policy, "Carry the settings over")
        return created, _rescued(settings, made, created.workbench)
    except WorkbenchError:
        created.workbench.close()
        raise


def _rescued(settings: Settings, made: Carried, bench: Workbench) -> Rescued:
    found = findings(settings)
    slips = dict.fromkeys(slip.command for one in found for slip in one.slips)
    samples = list(dict.fromkeys((*slips, *command_samples(settings))))
    has_shell = settings.client is not SettingsClient.CEDAR
    verdicts = dict(zip(samples, _verdicts(bench, samples), strict=True)) if has_shell else {}
    stopped = {command for command, verdict in verdicts.items() if not verdict.allows}
    decided = [(f"{SHELL} {text}", SHELL, text, FOLDER, verdict) for text, verdict in verdicts.items()]
    terms = bench.policy.terms()
    logs = bench.runs.current()
    for call, made_of in zip(logs.calls, bench.runs.decide(terms, logs), strict=True):
        text = _text_of(call)
        if call.tool is not None and text is not None:
            place = f"{call.run} {call.index + 1}: {call.tool} {text}"
            folder = str(call.context.get("project") or FOLDER)
            decided.append((place, call.tool, text, folder, made_of.decision.verdict))
    stricter: list[ChangedCall] = []
    laxer: list[ChangedCall] = []
    for place, tool, text, folder, verdict in decided:
        effect, _ = settings.decide(tool, text, folder)
        more = {Verdict.ALLOW: 0, Verdict.ASK: 1}.get(verdict, 2) - (effect or 0)
        if more:
            one = ChangedCall(place, decision_word(effect), verdict.value)
            (stricter if more > 0 else laxer).append(one)
    if laxer:
        bench.session.set_request(f"{made.request}\n{_laxer_sentence(laxer)}\n", "Say what is not stopped")
    counts = {effect.name.lower(): sum(rule.effect is effect for rule in settings.rules) for effect in Effect}
    return Rescued(
        client=settings.client,
        rules=counts,
        typed=len(made.places),
        findings=tuple(found),
        lost=(*settings.lost, *made.lost),
        closed=tuple(command for command in slips if command in stopped),
        open=tuple(command for command in slips if command not in stopped),
        tried=len(verdicts),
        logged=len(logs.calls),
        newly_denied=tuple(stricter),
        newly_allowed=tuple(laxer),
        next_step=bench.standing().next_step,
    )


def _laxer_sentence(calls: Sequence[ChangedCall]) -> str:
    """A sentence that no rule is about, so that the session is not good before a person answers it."""
    others = f" and {counted(len(calls) - 1, 'other call')}" if len(calls) > 1 else ""
    return f"The settings stop or ask about `{shown(calls[0].call)}`{others}, which no rule above does."


def _verdicts(bench: Workbench, commands: Sequence[str]) -> Sequence[Verdict]:
    """The session's verdicts on commands in a folder, each in a run of its own."""
    terms = bench.policy.terms()
    runs = [
        Run(f"sample-{number}", (_call(number, command),), "sample")
        for number, command in enumerate(commands)
    ]
    logs = read_logs(bench.runs.extractor(terms.sources), runs)
    return [decided.decision.verdict for decided in bench.runs.decide(terms, logs)]


def _call(number: int, command: str) -> RecordedCall:
    arguments: dict[str, Json] = {"command": command, "cwd": FOLDER}
    context: dict[str, Json] = {"folders": [FOLDER], "project": FOLDER, "cwd": FOLDER}
    texts = {"arguments": json.dumps(arguments), "arguments.command": command, "tool": SHELL}
    return RecordedCall(f"sample-{number}", 0, SHELL, arguments, texts, context)


def _text_of(call: RecordedCall) -> str | None:
    """What rules match of a call: the command, the path, the host; None where it has none."""
    arguments = call.arguments or {}
    key = (
        "command"
        if call.tool == SHELL
        else "url"
        if call.tool == "WebFetch"
        else _TEXT.get(call.tool or "", "")
    )
    text = arguments.get(key, "") if key else ""
    if not isinstance(text, str):
        return None
    if key == "file_path" and not text.startswith("/"):
        folder = arguments.get("cwd") or call.context.get("cwd") or FOLDER
        return f"{folder}/{text.removeprefix('./')}"
    return text.partition("://")[2].partition("/")[0].lower() if key == "url" else text
