"""A session made from the settings of a coding agent, what is wrong with them, and what it changes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.app.named_files import read_named
from workbench.app.new_session import NewSession, check_logs, copy_logs
from workbench.app.own_copy import shipped_file
from workbench.app.runs import read_logs
from workbench.app.workbench import Workbench
from workbench.clean_text import counted
from workbench.dialect.call_types import agent_types
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.model import CallDecision, RecordedCall, Run, Verdict, WorkbenchError
from workbench.runs.kinds.shell.program_tables import TABLES
from workbench.runs.replay.decide import bounds_by_name
from workbench.serialization.json_form import json_form
from workbench.session import Session
from workbench.session.agent_file import NAME, read_agent
from workbench.settings.carried import Carried, carried, shown
from workbench.settings.findings import FOLDER, Finding, FindingKind, command_samples, decision_word, findings
from workbench.settings.proved_difference import MatchedCall, proved_difference
from workbench.settings.reading import read_settings
from workbench.settings.rules import SHELL, CommandPattern, Effect, Settings, SettingsClient, SettingsRule

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


json_form(ChangedCall)


@dataclass(frozen=True, slots=True)
class Rescued:
    """The session of settings: the rules of each effect, what is wrong, what is not carried over.

    ``closed`` and ``open`` are the commands that slip through the settings and are denied by the session,
    and those that are not. ``tried`` are commands of the rules' own kind that both decided, ``changed``
    those and the logged calls on which they differ. ``compared`` are the tools of which every call is
    compared, by a proof: ``proved_denied`` and ``proved_allowed`` have a call for each function and rule that
    makes a difference there. ``unproved`` says of which tools that is not known, and why. ``held`` are the
    rules about commands of which it is proved that the session stops every command that begins as they say,
    whatever follows, at least as they do; ``searched`` those of which commands were only tried.
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
    compared: tuple[str, ...]
    proved_denied: tuple[ChangedCall, ...]
    proved_allowed: tuple[ChangedCall, ...]
    unproved: tuple[str, ...]
    held: tuple[str, ...]
    searched: tuple[str, ...]
    next_step: str


json_form(Rescued)


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
    commands = [_call(number, SHELL, {"command": text}, FOLDER) for number, text in enumerate(samples)]
    verdicts = dict(zip(samples, _verdicts(bench, commands), strict=True)) if has_shell else {}
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
        more, one = _changed(place, settings.decide(tool, text, folder)[0], verdict)
        if more:
            (stricter if more > 0 else laxer).append(one)
    compared = _compared(settings, made, bench)
    policy = compile_policy(terms)
    of_commands = [
        (rule.text, _holds(rule, made.places.get(number), policy, bench))
        for number, rule in _on_commands(settings)
    ]
    if every := [*compared.laxer, *laxer]:
        bench.session.set_request(f"{made.request}\n{_laxer_sentence(every)}\n", "Say what is not stopped")
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
        compared=tuple(compared.tools),
        proved_denied=tuple(compared.stricter),
        proved_allowed=tuple(compared.laxer),
        unproved=tuple(compared.unproved),
        held=tuple(text for text, holds in of_commands if holds),
        searched=tuple(text for text, holds in of_commands if not holds),
        next_step=bench.standing().next_step,
    )


def _on_commands(settings: Settings) -> Iterator[tuple[int, SettingsRule]]:
    """The rules, with their numbers, that stop commands or ask about them."""
    for number, rule in enumerate(settings.rules, 1):
        is_of_command = isinstance(rule.pattern, CommandPattern) or (not rule.pattern and SHELL in rule.tools)
        if is_of_command and rule.effect is not Effect.ALLOW and not rule.dead:
            yield number, rule


def _holds(rule: SettingsRule, name: str | None, policy: CompiledPolicy, bench: Workbench) -> bool:
    """Whether the function of a rule fires for each command that begins as the rule says.

    It is asked about the command with an open end: what fires there fires whatever the further words are. Of
    a program that is in no table what it starts is never known, so no rule about that is ever false.
    """
    begins, ends = [""], ("", ' "$@"')
    if isinstance(rule.pattern, CommandPattern):
        begins, ends = rule.pattern.begins, ends[:1] if rule.pattern.exact else ends
    texts = [begin + end for begin in begins for end in ends]
    calls = [_call(number, SHELL, {"command": text}, FOLDER) for number, text in enumerate(texts)]
    for text, decided in zip(texts, _decided(bench, calls), strict=True):
        known = {key: item.value for key, item in decided.extracted.items() if item.missing is None}
        is_certain = name in policy.certain_rules(known, bounds_by_name(decided.extracted))
        is_unknown = text.partition(" ")[0].rpartition("/")[2] not in {"", *TABLES}
        if name is None or not (
            is_certain or (is_unknown and decided.decision.verdict is Verdict.CANNOT_EVALUATE)
        ):
            return False
    return bool(texts)


@dataclass(slots=True)
class _Compared:
    """What is proved of the calls that are no commands: the tools, and calls that are decided otherwise."""

    tools: list[str] = field(default_factory=list[str])
    unproved: list[str] = field(default_factory=list[str])
    stricter: list[ChangedCall] = field(default_factory=list[ChangedCall])
    laxer: list[ChangedCall] = field(default_factory=list[ChangedCall])


def _compared(settings: Settings, made: Carried, bench: Workbench) -> _Compared:
    """Compare all calls of each tool that a rule names; a call that is found counts as both decide it."""
    classes = {call.tool: name for name, call in agent_types(made.spec).calls.items()}
    named = dict.fromkeys(tool for rule in settings.rules for tool in rule.tools if tool in classes)
    compared = _Compared()
    for tool in named:
        if tool == SHELL:
            continue
        found = proved_difference(settings, made.policy, classes[tool], tool)
        stricter = _decided_calls(settings, bench, found.stricter)
        laxer = _decided_calls(settings, bench, found.laxer)
        alike = [one.call for more, one in stricter if more <= 0] + [
            one.call for more, one in laxer if more >= 0
        ]
        if why := found.unproved or ("; ".join(alike) and f"both decide alike {'; '.join(alike)}"):
            compared.unproved.append(f"{tool}: {why}")
            continue
        compared.tools.append(tool)
        compared.stricter += (one for _, one in stricter)
        compared.laxer += (one for _, one in laxer)
    return compared


def _decided_calls(
    settings: Settings, bench: Workbench, calls: Mapping[str, MatchedCall]
) -> Sequence[tuple[int, ChangedCall]]:
    """How much stricter the session is about each of these calls, and both decisions."""
    made = [_call(number, one.tool, one.arguments, one.project) for number, one in enumerate(calls.values())]
    told = zip(calls.items(), _verdicts(bench, made), strict=True)
    return [
        _changed(
            f"{name}: {one.tool} {one.text} in {one.project}",
            settings.decide(one.tool, one.text, one.project)[0],
            verdict,
        )
        for (name, one), verdict in told
    ]


def _changed(call: str, effect: Effect | None, verdict: Verdict) -> tuple[int, ChangedCall]:
    """How much stricter the session is about a call, and both decisions."""
    more = {Verdict.ALLOW: 0, Verdict.ASK: 1}.get(verdict, 2) - (effect or 0)
    return more, ChangedCall(call, decision_word(effect), verdict.value)


def _laxer_sentence(calls: Sequence[ChangedCall]) -> str:
    """A sentence that no rule is about, so that the session is not good before a person answers it."""
    others = f" and {counted(len(calls) - 1, 'other call')}" if len(calls) > 1 else ""
    return f"The settings stop or ask about `{shown(calls[0].call)}`{others}, which no rule above does."


def _verdicts(bench: Workbench, calls: Sequence[RecordedCall]) -> Sequence[Verdict]:
    """The session's verdicts on calls."""
    return [decided.decision.verdict for decided in _decided(bench, calls)]


def _decided(bench: Workbench, calls: Sequence[RecordedCall]) -> Sequence[CallDecision]:
    """What the session decides on calls, each in a run of its own."""
    terms = bench.policy.terms()
    runs = [Run(call.run, (call,), "sample") for call in calls]
    return bench.runs.decide(terms, read_logs(bench.runs.extractor(terms.sources), runs))


def _call(number: int, tool: str, given: Mapping[str, Json], folder: str) -> RecordedCall:
    """A call of a client that works in a folder, in a run of its own."""
    arguments: dict[str, Json] = {**given, "cwd": folder}
    context: dict[str, Json] = {"folders": [folder], "project": folder, "cwd": folder}
    texts = {"arguments": json.dumps(arguments), "tool": tool}
    texts |= {f"arguments.{name}": value for name, value in given.items() if isinstance(value, str)}
    return RecordedCall(f"sample-{number}", 0, tool, arguments, texts, context)


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
