"""The guard behind the hooks of a coding agent: a session's accepted version decides the client's events.

It adds nothing to the decision: an event becomes a call of the run that the client names, the one guard of
the session decides it, and its log is the memory of the run, which outlives this process.
"""

from __future__ import annotations

import json
import shlex
import threading
import warnings
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, cast

from workbench.clean_text import one_line
from workbench.files.bounded_text import json_objects
from workbench.files.private import hook_folder
from workbench.files.regular import FileMark, append_line, file_mark, read_regular
from workbench.guard import Approval, DecisionLog, Guard, Mode, Outcome, PastCall, Strategy, ToolCall
from workbench.guard.adapters.hook_events import (
    BadEvent,
    Client,
    EventKind,
    HookAnswer,
    HookEvent,
    asking,
    asks,
    broken,
    denial,
    let_go_on,
    may_prompt,
    read_event,
)
from workbench.guard.log import arguments_text
from workbench.guard.run_messages import SOMEBODY
from workbench.guard.strategy import undetermined_words
from workbench.guard.subagents import hearer, of_one_agent
from workbench.model import UNANSWERED, AgentSpec, Json, Verdict, WorkbenchError
from workbench.redact import REDACTED, redact, redact_json

if TYPE_CHECKING:
    from workbench.app.enforced import Baselines
    from workbench.app.workbench import Workbench
    from workbench.session import Session

__all__ = [
    "RUNS",
    "TROUBLE",
    "Client",
    "HookAnswer",
    "HookGuard",
    "HookOrder",
    "Mode",
    "accepted_pin",
]

RUNS, TROUBLE = "runs", "trouble.jsonl"
"""In the folder of a session's hooks: the decision logs of its runs, and what went wrong beside them."""
_MOST_RUNS = 64
_MOST_LOG = 256_000_000
_REDACTED_VALUE = "redacted"
_PROMPT = "prompt"
"""In the context of a call: the client's name for the prompt in which it is made."""
_BEGINNING = b'{"format": "workbench-decision/1"'


@dataclass(frozen=True, slots=True)
class HookOrder:
    """What a hook's installation says: the client, the accepted version, and whether denials are enforced.

    ``pin`` is the hash of the accepted version, or its beginning; without one any accepted version decides.
    ``project`` is the folder in which the client was started.
    """

    client: Client
    pin: str = ""
    mode: Mode = Mode.ENFORCE
    project: str = ""


@dataclass(frozen=True, slots=True)
class _Version:
    """The accepted version that decides, and what of its spec the hook reads."""

    guard: Guard
    sha256: str
    spec: AgentSpec


@dataclass(slots=True)
class _Run:
    """A run of a client: its guard, and the facts that its first call fixed.

    ``answers`` has the calls that have not ended, by the client's names for them. ``prompts`` are its names
    for the prompts that were heard, or noted as not heard.
    """

    guard: Guard
    version: _Version
    facts: dict[str, Json]
    prompts: set[str]
    answers: dict[str, tuple[list[ToolCall], HookAnswer]] = field(
        default_factory=dict[str, tuple[list[ToolCall], HookAnswer]]
    )
    lock: threading.Lock = field(default_factory=threading.Lock)


def recorded_logs(session: Session) -> list[Path]:
    """The logs of a session, and those of its hooks on this machine."""
    return [*session.log_paths, *sorted((hook_folder(session.path) / RUNS).glob("*.jsonl"))]


def accepted_pin(session: Path) -> str:
    """The hash of the accepted version of a session. Raises WorkbenchError if there is none."""
    from workbench.app.workbench import Workbench

    bench = Workbench.open_to_guard(session)
    try:
        enforced = bench.enforced.now()
    finally:
        bench.close()
    if isinstance(enforced, str):
        raise WorkbenchError(enforced)
    return enforced.sha256


def deciding_folders(session: Path) -> tuple[Path, ...]:
    """The folders of all sessions that decide for the hooks of one: what it extends, and its subagents'."""
    from workbench.app.workbench import Workbench

    bench = Workbench.open_to_guard(session)
    try:
        every = (bench.enforced.baselines, *bench.enforced.subagents.values())
    finally:
        bench.close()
    return tuple(
        dict.fromkeys([session.resolve(), *(folder for these in every for folder in these.by_folder)])
    )


class HookGuard:
    """Decides events of one session's hooks. Safe to use from several threads."""

    def __init__(self, session: Path, folder: Path) -> None:
        """Take the session, and the folder that keeps its runs."""
        self._session = session
        self._folder = folder
        self._lock = threading.Lock()
        self._runs: OrderedDict[tuple[str, Client, Mode], _Run] = OrderedDict()
        self._version: tuple[FileMark, Sequence[Baselines], _Version] | None = None

    def answer(self, order: HookOrder, data: bytes) -> HookAnswer:
        """The answer to an event; whatever goes wrong is an answer that denies."""
        try:
            event = read_event(order.client, data)
        except BadEvent as error:
            return self.trouble(order, "", f"{error}.")
        try:
            return self._answered(order, event)
        except WorkbenchError as error:
            return self.trouble(order, event.run, str(error))
        except OSError as error:
            place = error.filename or self._folder
            return self.trouble(order, event.run, f"{error.strerror or error} ({place}).")
        except Exception as error:  # a bug must not let a tool run
            name = type(error).__name__
            return self.trouble(order, event.run, f"The workbench has a bug ({name}: {error}).")

    def trouble(self, order: HookOrder, run: str, reason: str) -> HookAnswer:
        """The answer of a guard that could not decide, which is noted apart from the decisions."""
        note: dict[str, Json] = {
            "time": datetime.now(UTC).isoformat(),
            "client": order.client.value,
            "run": run,
            "trouble": one_line(redact(reason), 2_000),
        }
        try:
            append_line(self._folder / TROUBLE, json.dumps(note).encode("ascii"), private=True)
        except OSError as error:
            reason = f"{reason} It could not be noted either: {error.strerror or error}."
        return broken(redact(reason))

    def _answered(self, order: HookOrder, event: HookEvent) -> HookAnswer:
        if event.kind is EventKind.OTHER:
            return let_go_on()
        run = self._run(order, event)
        with run.lock:
            if event.kind is EventKind.MESSAGE:
                _say(run, event)
                return let_go_on()
            if event.kind is EventKind.AFTER:
                run.answers.pop(event.call_id, None)
                _end(run.guard, event)
                return let_go_on()
            _note_unheard(run, event)
            calls = _tool_calls(run, event)
            before = run.answers.get(event.call_id)
            if before is not None and _same(before[0], calls):  # two hooks of one client, or a second try
                return before[1]
            answer = self._decided(order, run, event, calls)
            if event.call_id:
                run.answers[event.call_id] = calls, answer
            return answer

    # --- deciding -----------------------------------------------------------------

    def _decided(
        self, order: HookOrder, run: _Run, event: HookEvent, calls: Sequence[ToolCall]
    ) -> HookAnswer:
        known = {tool.name for tool in run.version.spec.tools}
        unknown = event.unknown or next(
            (f"the session knows no tool {call.tool}" for call in calls if call.tool not in known), ""
        )
        if unknown:
            outcomes = [run.guard.refuse(call, f"Refused: {one_line(unknown)}.") for call in calls]
            return let_go_on() if order.mode is Mode.SHADOW else denial(order.client, outcomes[0].feedback)
        outcomes = run.guard.check_action(calls)
        refused = [outcome for outcome in outcomes if not outcome.runs]
        if refused:
            self._give_back(run.guard, outcomes)
            unwritten = [outcome for outcome in refused if outcome.decision.verdict is Verdict.ALLOW]
            if unwritten:
                return self.trouble(order, event.run, unwritten[0].feedback)
            reasons = [_reason(outcome) for outcome in refused]
            if any(outcome.decision.verdict is Verdict.ASK for outcome in refused):
                reasons.append(self._how_to_grant(run))
            return denial(order.client, " ".join(reasons))
        if order.mode is Mode.SHADOW:
            return let_go_on()
        asked = [outcome for outcome in outcomes if outcome.approved_by and not outcome.granted]
        return asking(order.client, " ".join(map(_question, asked))) if asked else let_go_on()

    def _how_to_grant(self, run: _Run) -> str:
        """What a person may do about a call that waits for one, and why what was granted is not in force."""
        problem = run.guard.grants_problem
        words = (
            f"A person may grant it by 'workbench grant {shlex.quote(str(self._session))}'; then try again."
        )
        return f"{problem} {words}" if problem else words

    def _give_back(self, guard: Guard, outcomes: Sequence[Outcome]) -> None:
        """Of an event with several calls none runs if one is refused: the others had no effect."""
        for outcome in outcomes:
            if outcome.runs:
                guard.finish(outcome, _GIVEN_BACK, failed=True)

    # --- runs ---------------------------------------------------------------------

    def _run(self, order: HookOrder, event: HookEvent) -> _Run:
        """The run that an event belongs to, which goes on from its log if this process has not seen it."""
        key = (event.run, order.client, order.mode)
        with self._lock:
            version = self._accepted(order.pin)
            run = self._runs.pop(key, None)
            if run is None or (order.pin and run.version.sha256 != version.sha256):
                run = self._resumed(order, event, version)
            self._runs[key] = run
            if len(self._runs) > _MOST_RUNS:
                self._runs.popitem(last=False)
            return run

    def _resumed(self, order: HookOrder, event: HookEvent, version: _Version) -> _Run:
        log = DecisionLog(self._folder / RUNS / log_name(order, event.run), sync=True)
        lines = _lines(log.path)
        first = next((line for line in lines if "tool" in line), None)
        context = first.get("context") if first is not None else None
        facts = dict(context) if isinstance(context, dict) else _first_facts(order)
        approval = Approval(lambda _outcome: f"the prompt of {order.client}") if asks(order.client) else None
        guard = version.guard.run(f"{order.client}:{event.run}", log=log, mode=order.mode, approval=approval)
        guard.resume(lines)
        fixed = {name: facts[name] for name in ("client", "account", "project", "folders") if name in facts}
        contexts = (past.call.context for past in guard.calls)
        prompts = {prompt for one in contexts if isinstance(prompt := one.get(_PROMPT), str)}
        return _Run(guard, version, fixed, prompts)

    def _accepted(self, pin: str) -> _Version:
        """The accepted version as it is now. Raises WorkbenchError if it is not the pinned one."""
        from workbench.app.workbench import Workbench
        from workbench.session.accepted_version import NAME

        mark, kept = file_mark(self._session / NAME), self._version
        is_current = kept is not None and kept[0] == mark and all(these.are_current for these in kept[1])
        if kept is None or mark is None or not is_current:
            bench = Workbench.open_to_guard(self._session)
            try:
                version = _read(bench)
                others = (bench.enforced.baselines, *bench.enforced.subagents.values())
                kept = self._version = (mark, others, version)
            finally:
                bench.close()
        version = kept[2]
        if pin and not version.sha256.startswith(pin):
            raise WorkbenchError(
                f"The session {self._session.name} was accepted anew ({version.sha256[:12]}), and this hook "
                f"was installed for another version ({pin[:12]}). Look at what was accepted, then run "
                "'workbench hook install' again."
            )
        return version


_GIVEN_BACK = "Not carried out: another call of the same event was refused."


def _read(bench: Workbench) -> _Version:
    """The accepted version of a session, with its guard. Raises WorkbenchError if there is none."""
    enforced = bench.enforced.now()
    if isinstance(enforced, str):
        raise WorkbenchError(enforced)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the session was edited since says 'workbench check'
        guard = bench.policy.guard(Strategy.BLOCK_CALL, mode=Mode.ENFORCE)
    return _Version(guard, enforced.sha256, enforced.spec)


def log_name(order: HookOrder, run: str) -> str:
    """The name of the file of a run: its own if every file system takes it, else its hash."""
    plain = run.isascii() and run.replace("-", "").replace("_", "").isalnum() and run == run.lower()
    plain = plain and not run.endswith("shadow")  # which tells the log of the same run in shadow mode
    name = run if plain and len(run) <= 80 else sha256(run.encode()).hexdigest()[:40]
    return f"{order.client}-{name}{'-shadow' if order.mode is Mode.SHADOW else ''}.jsonl"


def _lines(path: Path) -> list[dict[str, Json]]:
    """The whole lines of a run's log. Raises WorkbenchError if one in the middle is damaged.

    The last line may be torn: its decision was never answered, so its call did not run.
    """
    try:
        data = read_regular(path, _MOST_LOG)
    except FileNotFoundError:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return []
    last = data.count(b"\n") + 1

    def damaged(number: int, text: bytes) -> None:
        # A process may have begun a line and not finished it: the next writer ended it.
        is_torn = text.startswith(_BEGINNING) or _BEGINNING.startswith(text)
        if number < last and not is_torn:
            raise WorkbenchError(
                f"The log of this run, {path}, is damaged in line {number}; begin a new run."
            )

    return [cast("dict[str, Json]", line) for _, line in json_objects(data, damaged)]


def _first_facts(order: HookOrder) -> dict[str, Json]:
    """What is fixed for a run when it begins: the client, the user, its folder, the repository around it."""
    from workbench.app.grants import user_name

    facts: dict[str, Json] = {"client": order.client.value, "account": user_name()}
    if order.project:
        facts["project"] = str(Path(order.project))
        repository = _repository(Path(order.project))
        if repository is not None:
            facts["folders"] = [str(repository)]
    return facts


def _repository(project: Path) -> Path | None:
    """The root of the repository around a folder, or the folder itself; None for / and the home folder."""
    home = Path.home()
    for folder in (project, *project.parents):
        if folder in (home, Path(folder.anchor)):
            break
        if (folder / ".git").exists():
            return folder
    return project if project.is_absolute() and project not in (home, Path(project.anchor)) else None


# --- calls --------------------------------------------------------------------


def _say(run: _Run, event: HookEvent) -> None:
    """Take a prompt into the run; the user's only if nothing in the run can have put it there."""
    if event.prompt:
        run.prompts.add(event.prompt)
    prompted = any(past.ran and may_prompt(past.call.tool) for past in run.guard.calls)
    role = SOMEBODY if event.role == "user" and prompted else event.role
    run.guard.message(hearer(role, event.facts or {}), redact(event.text))


def _note_unheard(run: _Run, event: HookEvent) -> None:
    """Note that somebody spoke, if a call is made in a prompt of which no event told."""
    if event.prompt and event.prompt not in run.prompts:
        run.prompts.add(event.prompt)
        run.guard.message(SOMEBODY, "")


def _tool_calls(run: _Run, event: HookEvent) -> list[ToolCall]:
    """The calls of an event as the guard takes them; what is secret in them is known to nobody."""
    context = {**(event.facts or {}), **({_PROMPT: event.prompt} if event.prompt else {}), **run.facts}
    folders = {tool.name: tool.cwd_parameter for tool in run.version.spec.tools}
    calls: list[ToolCall] = []
    for place, call in enumerate(event.calls):
        arguments = {name: _without_secrets(value) for name, value in call.arguments.items()}
        parameter = folders.get(call.tool, "")
        if parameter:
            # A folder that the call itself gives under this name was not given by the client.
            known = parameter not in arguments and event.folder != ""
            arguments[parameter] = str(Path(event.folder) / call.folder) if known else {"not told": True}
        name = f"{event.call_id}/{place}" if event.call_id and len(event.calls) > 1 else event.call_id
        calls.append(ToolCall(call.tool, arguments, context, call_id=name))
    return calls


def _without_secrets(value: Json) -> Json:
    """The value without what looks like a key; a text that had one is no text, so that no rule reads it.

    What is decided is what is written, so that a replay decides the same.
    """
    if isinstance(value, str):
        text = redact(value)
        return value if text == value else {_REDACTED_VALUE: text}
    if isinstance(value, list):
        return [_without_secrets(item) for item in value]
    if isinstance(value, dict):
        return {redact(key): _without_secrets(item) for key, item in value.items()}
    return value


def _same(one: Sequence[ToolCall], other: Sequence[ToolCall]) -> bool:
    """Whether these are the same calls, of the same agent: agents may choose the same ids."""
    return len(one) == len(other) and all(
        first.tool == second.tool
        and arguments_text(first) == arguments_text(second)
        and of_one_agent(first.context, second.context)
        for first, second in zip(one, other, strict=True)
    )


def _end(guard: Guard, event: HookEvent) -> None:
    """Report the end of the calls of an event: by its id, or without one by its tool and arguments."""
    result = redact_json(event.result)
    open_calls = [past for past in guard.calls if past.ran and past.known_from == UNANSWERED]
    for place, call in enumerate(event.calls):
        name = f"{event.call_id}/{place}" if event.call_id and len(event.calls) > 1 else event.call_id
        called = [past for past in open_calls if _is_of(past, name, call.tool, call.arguments)]
        if called:
            own = [past for past in called if of_one_agent(past.call.context, event.facts or {})]
            guard.finish_call((own or called)[0].call, result, failed=event.failed)


def _is_of(past: PastCall, call_id: str, tool: str, arguments: Mapping[str, Json]) -> bool:
    if call_id:
        return past.call.call_id == call_id and past.call.tool == tool
    own = {name: _without_secrets(value) for name, value in arguments.items()}
    return past.call.tool == tool and all(
        (past.call.arguments or {}).get(name) == value for name, value in own.items()
    )


def _reason(outcome: Outcome) -> str:
    rules = ", ".join(violation.rule for violation in outcome.decision.violations)
    text = outcome.feedback or outcome.refused_because
    values = (outcome.call.arguments or {}).values()
    if any(isinstance(value, dict) and _REDACTED_VALUE in value for value in values):
        text = f"{text} What looks like a key in the call was not read: {REDACTED}."
    return f"{text} [{rules}]" if rules and outcome.decision.verdict is not Verdict.ALLOW else text


def _question(outcome: Outcome) -> str:
    messages = [violation.message.rstrip(".") for violation in outcome.decision.violations]
    undetermined = [f"not determined: {reason}" for reason in undetermined_words(outcome.decision.reasons)]
    return f"The policy asks: {'; '.join([*messages, *undetermined])}."
