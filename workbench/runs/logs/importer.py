"""The protocol of importers, and the functions that all of them share.

An importer converts the records of a file one by one (``read_each``). It builds a run from the calls that it
finds (``build_run``). A call is a ``LoggedCall``. Its texts are the messages before it, which
``workbench.guard.run_messages`` gathers. Its arguments are None if the log does not hold them, never
``{}``.
If the result comes later in the log, the call waits (``known_from=UNANSWERED``) until ``give_result``
brings it.

``anthropic`` is the model to copy if a record is a conversation: ``read_conversation`` does what is listed
below. Other importers do it themselves.

* If ``give_result`` returns False, yield an ``ImportProblem`` with the text of ``lost_result``. ``RunSoFar``
  does it, and counts what is of an unknown kind.
* The context of a run is ``facts`` of the record, without what ``judged_by`` finds: that is ``judged``.
* Call ``interrupt`` of ``MessagesSoFar`` for each call and each result.
* Roles are named ``user``, ``system`` and ``assistant``, however the log names them (``model``, ``human``).
* ``message`` of a call names the message that made it: calls of one message are one action.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

from workbench.model import UNANSWERED, ImportProblem, Json, Run
from workbench.runs.calls.logged_call import NOTHING, LoggedCall
from workbench.runs.logs.events import are_events
from workbench.runs.logs.log_stream import LogSource, Sample
from workbench.runs.logs.message_forms import are_messages
from workbench.runs.logs.unread import Unread
from workbench.runs.values.jsontext import dump

ID_KEYS = (
    "example_id", "trace_id", "traceId", "run_id", "conversation_id", "session_id", "sessionId", "session",
    "thread_id", "custom_id", "id", "task_id", "instance_id", "index",
)  # fmt: skip
GIVEN_ID = ""
"""The key of the id that a run gets from its place (its session, its container). No log has this key."""
_REPEATED = "task_id"
"""The key that names a task. A task may be tried several times, so the run's id then includes the trial."""
_TRIALS = ("trial", "trial_id", "attempt")
_JUDGED = frozenset({"reward", "rewards", "reward_info", "label", "labels", "ground_truth"})
_CONTEXT = "context"
_BESIDE_REWARD = frozenset({"info", "done", "terminated", "truncated"})
# What AgentDojo's records say of the task, the attack and its checks.
_CHECKS = frozenset({"utility", "security"})
_OF_ATTACK = frozenset({"user_task_id", "injection_task_id", "attack_type", "injections"})

_SHORT = 500
_MEMBERS = 50
_OPEN_CALLS = 50_000
LONG_AGO = (-(10**15), "")


class Importer(Protocol):
    """Reads one format. ``matches`` is in [0, 1]; ``read`` streams, and never stops at a bad record."""

    @property
    def name(self) -> str:
        """The name of the format."""
        ...

    def matches(self, sample: Sample) -> float:
        """The confidence that the sampled file is of this format."""
        ...

    def read(self, source: LogSource) -> Iterator[Run | ImportProblem]:
        """The runs of the file in order, and a problem for every record that could not be read."""
        ...


class NotThisFormat(ValueError):
    """A record is not of the importer's format; its text says why."""


def build_run(
    run: str,
    calls: Iterable[LoggedCall],
    context: Mapping[str, Json],
    format_name: str,
    source: LogSource,
    locator: str,
    judged: Mapping[str, Json] = NOTHING,
) -> Run:
    """Build a run of these calls in order; they share the context and the facts that the run is judged by."""
    context_text = dump(dict(context)) if context else None
    logged_calls = list(calls)
    actions = _actions(logged_calls)
    for call in logged_calls:
        call.tool = source.servers.tool(call.tool)
        call.known_from = _after_message(call.known_from, actions)
    recorded_calls = tuple(
        call.recorded_call(run, index, context, context_text, step=actions[index], judged=judged)
        for index, call in enumerate(logged_calls)
    )
    return Run(run, recorded_calls, format_name, str(source.path), locator, source.named_by)


def _actions(calls: Iterable[LoggedCall]) -> list[int]:
    """For each call, the number of its action in the run.

    Calls of one message are one action, even if calls of another message come between them.
    """
    actions: list[int] = []
    numbers: dict[str, int] = {}
    count = 0
    for call in calls:
        number = numbers.get(call.message, count) if call.message is not None else count
        if call.message is not None:
            numbers[call.message] = number
        count += number == count
        actions.append(number)
    return actions


def _after_message(known_from: int, actions: Sequence[int]) -> int:
    """The index of the first call that knows a result which came after ``known_from`` calls.

    A log may show a result before the next call of the same message, which was written without it.
    """
    while 0 < known_from < len(actions) and actions[known_from] == actions[known_from - 1]:
        known_from += 1
    return known_from


def not_understood(message: str | None = None, texts: dict[str, str] | None = None) -> LoggedCall:
    """A placeholder for a call whose tool the log does not name: it cannot be evaluated."""
    return LoggedCall(None, texts=texts or {}, message=message, known_from=UNANSWERED)


def lost_result(calls: Sequence[LoggedCall], call_id: str | None, tool: str | None) -> str:
    """The reason why ``give_result`` found no call for a result."""
    known_call = next(
        (call for call in reversed(calls) if call_id is not None and call.call_id == call_id), None
    )
    if known_call is None:
        return f"a result of {tool or 'a tool'} belongs to no call of the run"
    return f"a second result of {known_call.tool or 'a call'} does not count"


def give_result(
    calls: Sequence[LoggedCall],
    call_id: str | None,
    result: str | None,
    *,
    tool: str | None = None,
    failed: bool = False,
) -> bool:
    """Give a result to its call among the calls of a run so far; False if no call waits for it."""
    logged_call = waiting_call(calls, call_id, tool)
    if logged_call is None:
        return False
    logged_call.result, logged_call.failed, logged_call.known_from = result, failed, len(calls)
    return True


def waiting_call(
    calls: Sequence[LoggedCall], call_id: str | None, tool: str | None = None
) -> LoggedCall | None:
    """The call that waits for this result: found by id, or by tool if the result has no id.

    Ids repeat within a run. Among the waiting calls, the first call of the latest message is meant.
    """
    logged_call: LoggedCall | None = None
    for call in reversed(calls):
        if logged_call is not None and (call.message is None or call.message != logged_call.message):
            break
        is_meant = call.call_id == call_id if call_id is not None else tool is None or call.tool == tool
        if is_meant and call.known_from == UNANSWERED:
            logged_call = call
    return logged_call


type Convert = Callable[[dict[str, Json], int], Iterable[Run | ImportProblem]]


@dataclass(slots=True)
class RunSoFar:
    """The calls of a run while its record is read, what of it was lost, and what is of an unknown kind.

    ``noun`` is what the record consists of (its messages, say), ``place`` the number of the current one.
    """

    noun: str
    line: int
    calls: list[LoggedCall] = field(default_factory=list[LoggedCall])
    lost: list[str] = field(default_factory=list[str])
    unread: Unread = field(default_factory=Unread)
    place: int = 0

    def lose(self, problem: str) -> None:
        """Note what was not understood here."""
        self.lost.append(f"{self.noun} {self.place}: {problem}")

    def miss(self, what: str, kind: Json, message: str | None = None) -> None:
        """Count a part of an unknown kind; a call that is not understood takes its place."""
        self.unread.note(what, kind, self.line, self.place)
        self.calls.append(not_understood(message))

    def give(self, call_id: str | None, tool: str | None, result: str | None, *, failed: bool) -> None:
        """Give a result to its call, or note that there is none."""
        if not give_result(self.calls, call_id, result, tool=tool, failed=failed):
            self.lose(lost_result(self.calls, call_id, tool))

    def finished(
        self,
        run: str,
        context: Mapping[str, Json],
        format_name: str,
        source: LogSource,
        judged: Mapping[str, Json] = NOTHING,
    ) -> Iterator[Run | ImportProblem]:
        """The run, and a problem for each part that could not be understood."""
        yield build_run(run, self.calls, context, format_name, source, f"line {self.line}", judged)
        for lost in self.lost:
            yield ImportProblem(str(source.path), self.line, f"run {run}, {lost}")
        yield from self.unread.problems(source, run)


def read_each(
    source: LogSource, convert: Convert, *, in_order: bool = False
) -> Iterator[Run | ImportProblem]:
    """Convert record by record; a record that is broken or of another format becomes a problem.

    If the records are ``in_order`` of the calls, only the first ``enough`` of them are read.
    """
    path = str(source.path)
    for record in source.first_records() if in_order else source.records():
        if record.error is not None:
            yield ImportProblem(path, record.line, record.error)
        elif not isinstance(record.value, dict):
            yield ImportProblem(path, record.line, "the record is not a JSON object")
        else:
            try:
                runs = tuple(convert(record.value, record.line))
            except NotThisFormat as error:
                yield ImportProblem(path, record.line, str(error))
                continue
            yield from runs


class InterleavedSessions:
    """Gathers the calls of interleaved sessions, with a bound on how many calls stay open.

    A call has its own context, or what the lines up to it said of its session. In a log that is sorted
    ``by_time``, these are the lines whose time is not later. A session that continues after it was closed for
    space becomes one more run. That run begins with a call that is not understood, because what happened
    before it is not known.
    """

    def __init__(
        self, format_name: str, source: LogSource, *, by_time: bool = False, named_by: str = "the session"
    ) -> None:
        """Take the name and source of the finished runs, and whether to sort their calls by time."""
        self.unread = Unread()
        self._by_time = by_time
        source.named_by = named_by
        self._format = format_name
        self._source = source
        self._open: OrderedDict[str, _GatheredSession] = OrderedDict()
        self._calls = 0
        self._closed: set[str] = set()

    def add(
        self,
        session: str,
        call: LoggedCall | None,
        context: Mapping[str, Json],
        line: int,
        time: str | None = None,
    ) -> Iterator[Run]:
        """Add a call, or only context with its time; yields the runs that had to be closed for space."""
        gathered = self._open.setdefault(session, _GatheredSession(line))
        self._open.move_to_end(session)
        gathered.hear(context, call, time if call is None else call.time, by_time=self._by_time)
        self._calls += call is not None
        while self._calls > _OPEN_CALLS:
            yield from self._close(next(iter(self._open)))

    def miss(
        self,
        session: str,
        what: str,
        kind: Json,
        line: int,
        time: str | None = None,
        ended: str | None = None,
    ) -> Iterator[Run]:
        """Add a call that is not understood in the place of a part of an unknown kind, which is counted."""
        self.unread.note(what, kind, line)
        lost = not_understood()
        lost.time, lost.ended = time, ended
        yield from self.add(session, lost, {}, line)

    def read_each(
        self, convert: Callable[[dict[str, Json], int], Iterable[Run]], *, in_order: bool = False
    ) -> Iterator[Run | ImportProblem]:
        """Convert each record of the source, then finish."""
        yield from read_each(self._source, convert, in_order=in_order)
        yield from self.finish()

    def calls(self, session: str) -> list[LoggedCall]:
        """The calls of an open session; empty if it is not open."""
        return self._open[session].calls if session in self._open else []

    def finish(self) -> Iterator[Run | ImportProblem]:
        """Close the runs that are still open, in the order in which they began; then the unknown parts."""
        for session in sorted(self._open, key=lambda name: self._open[name].line):
            yield from self._close(session)
        yield from self.unread.problems(self._source)

    def _close(self, session: str) -> Iterator[Run]:
        gathered = self._open.pop(session)
        calls = gathered.calls
        self._calls -= len(calls)
        if self._by_time:
            gathered.tell_in_time()
            calls = _in_time(calls)
        if calls and session in self._closed:
            calls = _after_one_more(calls)
        self._closed.add(session)
        if calls:
            yield build_run(session, calls, NOTHING, self._format, self._source, f"line {gathered.line}")


def _after_one_more(calls: Iterable[LoggedCall]) -> list[LoggedCall]:
    """The calls with a call before them that is not understood."""
    logged_calls = [not_understood()]
    for call in calls:
        if call.known_from not in (0, UNANSWERED):
            call.known_from += 1
        logged_calls.append(call)
    return logged_calls


def _in_time(calls: list[LoggedCall]) -> list[LoggedCall]:
    """The calls in the order of their start times; unchanged if a call has no time.

    Calls that ran at the same time knew no result of each other. What is not understood and has no time stays
    after the call before it.
    """
    times: list[tuple[tuple[int, str], LoggedCall]] = []
    for call in calls:
        began = instant(call.time)
        if began is None and call.tool is None and call.time is None:
            began = times[-1][0] if times else LONG_AGO
        if began is None:
            return calls
        times.append((began, call))
    times.sort(key=lambda pair: pair[0])
    begun = [began for began, _ in times]
    for place, (_, call) in enumerate(times):
        if (ended := instant(call.ended)) is not None:
            call.known_from = max(place + 1, bisect_left(begun, ended))
    return [call for _, call in times]


def text_at(record: Mapping[str, Json], *keys: str) -> str | None:
    """The first of these keys that holds a non-empty text or a number, as text."""
    for key in keys:
        value = record.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
    return None


def dict_at(record: Mapping[str, Json], *keys: str) -> dict[str, Json]:
    """The object at the first of these keys that holds one, else an empty one."""
    for key in keys:
        value = record.get(key)
        if isinstance(value, dict):
            return value
    return {}


def list_at(record: Mapping[str, Json], key: str) -> list[Json]:
    """The list at a key, else an empty one."""
    value = record.get(key)
    return value if isinstance(value, list) else []


def dicts_at(record: Mapping[str, Json], key: str) -> list[dict[str, Json]]:
    """The objects in the list at a key."""
    return [item for item in list_at(record, key) if isinstance(item, dict)]


def run_id(record: Mapping[str, Json], source: LogSource, line: int) -> str:
    """The record's own id; the id of a task is followed by its trial: ``3-0`` for trial 0 of task 3.

    A record without an id is named by its file and line.
    """
    given_id = text_at(record, GIVEN_ID)
    if given_id is not None:
        source.named_by = "the key, session or file that holds it"
        return given_id
    key = next((key for key in ID_KEYS if text_at(record, key)), None)
    if key is None:
        source.named_by = "the name of the file and the line"
        return f"{stem(source.path)}:{line}"
    trial = next((one for one in _TRIALS if key == _REPEATED and text_at(record, one)), None)
    source.named_by = f"{key} and {trial}" if trial else key
    return f"{text_at(record, key)}-{text_at(record, trial)}" if trial else text_at(record, key) or ""


def stem(path: Path) -> str:
    """The file's name without its endings; a folder ``events`` has the name of the folder that it is in."""
    name = path.parent.name if path.name == "events" and path.is_dir() else path.name
    return name.split(".")[0] or name


def facts(record: Mapping[str, Json], leave_out: frozenset[str]) -> dict[str, Json]:
    """The short facts of a record, which describe the user and the run, and the members of its context.

    An object ``context`` is what an application gives to a guard as the context of the run, so that its
    members have the same paths here. Facts are scalars, and objects with few scalars at any depth.
    """
    known: dict[str, Json] = {
        key: value
        for key, value in record.items()
        if key not in leave_out and key != GIVEN_ID and value is not None and is_fact(key, value)
    }
    context = known.get(_CONTEXT)
    if isinstance(context, dict):
        del known[_CONTEXT]
        known.update(context)
    return known


def judged_by(record: Mapping[str, Json]) -> dict[str, Json]:
    """The values of a record that were known only after the run: rewards, labels, the trial.

    Next to a reward, ``info`` and the flags of the end are from the environment too, as in every gym.
    """
    names = set(_JUDGED)
    if not _JUDGED.isdisjoint(record):
        names |= _BESIDE_REWARD
    if record.keys() >= _CHECKS:
        names |= _CHECKS | _OF_ATTACK
    if _REPEATED in record:
        names.update(_TRIALS, (_REPEATED,))
    return {key: value for key, value in record.items() if key in names and value is not None}


def is_fact(key: str, value: Json) -> bool:
    """Whether the value at a key of a record is a fact of the run, rather than what happened in it."""
    if isinstance(value, dict):
        scalars = _scalars(value)
        return scalars is not None and (key == _CONTEXT or (0 < len(scalars) <= _MEMBERS and _short(scalars)))
    return not isinstance(value, list) and _short([value])


def _scalars(value: Json) -> list[Json] | None:
    """The scalars in a value; None if it contains messages or events, so that it holds a run."""
    if not isinstance(value, dict | list):
        return [value]
    if are_messages(value) or are_events(value):
        return None
    scalars: list[Json] = []
    for item in value.values() if isinstance(value, dict) else value:
        inner = _scalars(item)
        if inner is None:
            return None
        scalars.extend(inner)
    return scalars


def _short(scalars: Iterable[Json]) -> bool:
    return all(not isinstance(scalar, str) or len(scalar) <= _SHORT for scalar in scalars)


# --- the calls of one session of a log while it is read, each with the context that was known at it

_TIME = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))?(Z|[+-]\d\d:?\d\d)?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_NUMBER = 40


@dataclass(frozen=True, slots=True)
class _Said:
    """What a line says of its session, the time of the line, and the call that it has."""

    context: Mapping[str, Json]
    time: str | None
    call: LoggedCall | None


@dataclass(slots=True)
class _GatheredSession:
    """The calls of a session that begins at a line, and what its lines say of it."""

    line: int
    calls: list[LoggedCall] = field(default_factory=list[LoggedCall])
    _known: Mapping[str, Json] = NOTHING
    _said: list[_Said] = field(default_factory=list[_Said])

    def hear(
        self, context: Mapping[str, Json], call: LoggedCall | None, time: str | None, *, by_time: bool
    ) -> None:
        """Take the next line. With ``by_time`` its context is told to the calls when all lines are there."""
        if call is not None:
            self.calls.append(call)
        if by_time:
            self._said.append(_Said(context, time, call))
        else:
            self._tell(_Said(context, time, call))

    def tell_in_time(self) -> None:
        """Give each call the context of the lines whose time is not later, and its own line's above all.

        If a line with context has no time, the lines count in the order of the log.
        """
        said = [line for line in self._said if line.context or line.call is not None]
        times = [began for line in said if (began := instant(line.time)) is not None]
        if len(times) == len(said):
            said = [line for _, line in sorted(zip(times, said, strict=True), key=lambda pair: pair[0])]
        for line in said:
            self._tell(line)

    def _tell(self, line: _Said) -> None:
        if line.context:
            self._known = {**self._known, **line.context}
        if line.call is not None and line.call.context is None:
            line.call.context = self._known


def instant(time: str | None) -> tuple[int, str] | None:
    """The seconds of a time, and the digits of their fraction.

    The time is in nanoseconds or in ISO 8601; without a zone it is UTC.
    """
    if time is not None and time.isdecimal() and len(time) < _LONGEST_NUMBER:
        seconds, nanoseconds = divmod(int(time), 10**9)
        return seconds, f"{nanoseconds:09}".rstrip("0")
    match = _TIME.fullmatch(time or "")
    if match is None:
        return None
    try:
        whole = datetime.fromisoformat(match[1] + (match[3] or "Z"))
    except ValueError:
        return None
    return (whole - _EPOCH) // timedelta(seconds=1), (match[2] or "").rstrip("0")
