"""The recorded runs of a session's agent: importing, extracting, deciding, explaining.

Reading logs: listeners get calls as they arrive; of a log that grew only new calls are extracted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import batched
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.model import (
    TOOL_ARGUMENT,
    AgentSpec,
    Argument,
    CallDecision,
    Demonstration,
    Extracted,
    ImportProblem,
    PathRule,
    RecordedCall,
    Run,
    Tool,
    WorkbenchError,
    learns,
)
from workbench.runs.replay.filtering import Filters

if TYPE_CHECKING:
    from workbench.app.authorship import Authorship
    from workbench.app.results import Logs, Replay
    from workbench.policy.terms import PolicyTerms
    from workbench.runs.extract.extractor import Extractor
    from workbench.runs.extract.model_method import Reader
    from workbench.runs.logs import Imported
    from workbench.runs.replay.decide import Redecider
    from workbench.runs.replay.explanation import CallExplanation, Explainer
    from workbench.runs.replay.facts_at_call import FactAtCall
    from workbench.runs.replay.joint_decisions import Decided, KeptGuard
    from workbench.runs.replay.origins import Origin
    from workbench.runs.replay.strategy_comparison import Regime, StrategyComparison
    from workbench.runs.replay.typed_parts import TypedPart
    from workbench.session import Session
    from workbench.session.watching import FileWatch


__all__ = ["CallExplanation", "FactAtCall", "Origin", "Regime", "Runs", "StrategyComparison"]

EVERY_CALL = Filters()


@dataclass(frozen=True, slots=True)
class _CurrentLogs:
    """Logs, with the agent spec, arguments and memory by which they were extracted."""

    logs: Logs
    spec: AgentSpec
    arguments: tuple[Argument, ...]
    memory: tuple[Demonstration, ...]


type Tell = Callable[[Logs], None]
"""A listener, called with the part of the logs that is read."""

type _Read = tuple[Run, Sequence[Mapping[str, Extracted]]]
type _Known = tuple[Sequence[RecordedCall], Sequence[Mapping[str, Extracted]]]

FIRST_TOLD = 100
"""The number of calls at the first report to a listener; each further report has four times as many."""


_ASKED_RUNS = 32

RECORDS = 20
"""The number of records that are read per wanted call: results and messages are records too."""


def _first_calls(items: Iterable[Run | ImportProblem], most: int = FIRST_TOLD) -> list[Run | ImportProblem]:
    """The beginning of logs, up to this number of calls."""
    first, count = list[Run | ImportProblem](), 0
    for item in items:
        if isinstance(item, Run):
            item = replace(item, calls=item.calls[: most - count])
            count += len(item.calls)
        first.append(item)
        if count >= most:
            break
    return first


def read_logs(extractor: Extractor, items: Iterable[Run | ImportProblem], tell: Tell | None = None) -> Logs:
    """The runs with every call extracted, and the problems between them."""
    from workbench.app.results import Logs

    return _read_each(extractor, items, {}, Logs(), tell)


def _read_grown(
    logs: Logs,
    paths: Collection[str],
    items: Iterable[Run | ImportProblem],
    extractor: Extractor,
    tell: Tell | None = None,
) -> Logs:
    """The logs after some of their files, or further ones, were read again.

    A call is extracted anew only if it, or a call before it in its run, differs. ``extractor`` is the one
    that read the other calls, or an equal one.
    """
    known_by_run: dict[str, _Known] = {}
    before, after = list[_Read](), list[_Read]()
    position = 0
    for run in logs.runs:
        extracted = logs.extracted[position : position + len(run.calls)]
        position += len(run.calls)
        if run.path in paths:
            known_by_run[run.id] = (run.calls, extracted)
        else:
            (after if known_by_run else before).append((run, extracted))
    problems = [problem for problem in logs.problems if problem.path not in paths]
    read = _read_each(extractor, items, known_by_run, _logs_of(before, problems), tell)
    rest = _logs_of(after)
    return replace(
        read,
        runs=(*read.runs, *rest.runs),
        calls=(*read.calls, *rest.calls),
        extracted=(*read.extracted, *rest.extracted),
    )


def _logs_of(read: Sequence[_Read], problems: Sequence[ImportProblem] = ()) -> Logs:
    from workbench.app.results import Logs

    return Logs(
        tuple(run for run, _ in read),
        tuple(call for run, _ in read for call in run.calls),
        tuple(values for _, extracted in read for values in extracted),
        tuple(problems),
    )


def _read_each(
    extractor: Extractor,
    items: Iterable[Run | ImportProblem],
    known_by_run: Mapping[str, _Known],
    begun: Logs,
    tell: Tell | None,
) -> Logs:
    from workbench.app.results import Logs

    runs, calls, extracted = list(begun.runs), list(begun.calls), list(begun.extracted)
    problems = list(begun.problems)

    def so_far() -> Logs:
        return Logs(tuple(runs), tuple(calls), tuple(extracted), tuple(problems), extractor.arguments)

    to_tell = len(calls) + FIRST_TOLD
    for item in _asked_ahead(extractor, items):
        if isinstance(item, ImportProblem):
            problems.append(item)
            continue
        runs.append(item)
        for call, extracted_by_name in _extracted_calls(extractor, item, known_by_run.get(item.id)):
            calls.append(call)
            extracted.append(extracted_by_name)
            if tell is not None and len(calls) >= to_tell:
                tell(so_far())
                to_tell = 4 * len(calls)
    return so_far()


def _unless[T](ended: threading.Event, items: Iterable[T], name: str) -> Iterator[T]:
    """The items, until somebody ends it."""
    for item in items:
        if ended.is_set():
            raise WorkbenchError(f"The reading of {name} was stopped; none of its calls is shown.")
        yield item


def _asked_ahead(extractor: Extractor, items: Iterable[Run | ImportProblem]) -> Iterator[Run | ImportProblem]:
    """The items; a model that reads arguments gets many calls at once, after the cost is announced."""
    if not extractor.asks_model:
        yield from items
        return
    every = list(items)
    extractor.announce(call for item in every if isinstance(item, Run) for call in item.calls)
    for batch in batched(every, _ASKED_RUNS):
        extractor.ask_model(call for item in batch if isinstance(item, Run) for call in item.calls)
        yield from batch


def _extracted_calls(
    extractor: Extractor, run: Run, known_run: _Known | None
) -> Iterator[tuple[RecordedCall, Mapping[str, Extracted]]]:
    """The calls of a run with the values of each; known values are reused up to the first difference."""
    from workbench.runs.world.earlier_calls import Earlier

    before, extracted = known_run or ((), ())
    is_same = True
    for position, call in enumerate(run.calls):
        is_same = is_same and position < len(before) and before[position] == call
        yield call, extracted[position] if is_same else extractor.extract(call, Earlier(run.calls, position))


class Runs:
    """The recorded runs of a session's agent: reading, deciding and explaining them."""

    def __init__(self, session: Session, authorship: Authorship) -> None:
        self._session = session
        self._authorship = authorship
        self._redeciders: dict[bool, tuple[Logs, Redecider]] = {}
        """The last logs with their decisions, and by True those that another policy reads otherwise."""
        self._explainer: tuple[Logs, PolicyTerms, Explainer] | None = None
        self._current: _CurrentLogs | None = None
        self._read_otherwise: tuple[Logs, Logs] | None = None
        self._reading = threading.Lock()
        self._watch: FileWatch | None = None
        self.followed: Path | None = None

    def load(
        self,
        paths: Iterable[Path] | None = None,
        database: Path | None = None,
        *,
        terms: PolicyTerms | None = None,
    ) -> Logs:
        """Import the session's logs (or the given files) and extract every call once.

        ``database`` is a folder that answers for records that the runs do not show. With the ``terms`` of a
        policy, its arguments are extracted.
        """
        arguments = self.arguments() if terms is None else terms.sources
        extractor = self.extractor(arguments, database)
        return read_logs(extractor, self._read(self._session.log_paths if paths is None else paths))

    def load_by(self, extractor: Extractor, paths: Iterable[Path], tools: Iterable[Tool]) -> Logs:
        """Import files of an agent with these tools, and extract every call by this extractor."""
        from workbench.runs.logs import read_all

        return read_logs(extractor, read_all(paths, tools=[tool.name for tool in tools]))

    def _read(
        self, paths: Iterable[Path], known_runs: Collection[str] = (), enough: int | None = None
    ) -> Iterator[Run | ImportProblem]:
        from workbench.runs.logs import read_all

        tools = [tool.name for tool in self._session.spec.tools]
        return read_all(paths, tools=tools, taken_ids=known_runs, enough=enough)

    @property
    def asks_model(self) -> bool:
        """Whether a model that can be asked reads arguments of the agent spec."""
        return self.asks_model_of(self._session.spec)

    def asks_model_of(self, spec: AgentSpec) -> bool:
        """Whether a model that can be asked reads arguments of an agent spec."""
        from workbench.author.choice_of_author import read_by_model

        try:
            asking = self._authorship.model() if read_by_model(spec) else None
        except WorkbenchError:
            return False  # the code that needs the spec or the model reports the error
        return asking is not None and not asking.replay_only

    def recorded(self, paths: Iterable[Path] | None = None) -> tuple[RecordedCall, ...]:
        """The calls of the session's logs, or of the given files, with no argument extracted."""
        runs = self._recorded(self._session.log_paths if paths is None else paths).runs
        return tuple(call for run in runs for call in run.calls)

    def _recorded(self, paths: Iterable[Path]) -> Imported:
        from workbench.runs.logs import load_runs

        return load_runs(tuple(paths), tools=[tool.name for tool in self._session.spec.tools])

    @property
    def known(self) -> Logs | Imported:
        """The logs that were read, else those of the session, with no argument extracted."""
        return self._recorded(self._session.log_paths) if self._current is None else self._current.logs

    def unread(self, problems: Iterable[ImportProblem]) -> Mapping[str, Sequence[ImportProblem]]:
        """The records that could not be read of each log of the session, by the name of the log."""
        names = {str(path): path.name for path in self._session.log_paths}
        found: dict[str, list[ImportProblem]] = {}
        for problem in problems:
            if problem.path in names:
                found.setdefault(names[problem.path], []).append(problem)
        return found

    def strange_tools(self, runs: Iterable[Run]) -> Mapping[str, Sequence[str]]:
        """The tools of each log of the session that calls tools and none that the agent spec names.

        They are by the name of the log. An agent may call a tool that it does not have; a log in which it
        calls no other is that of another agent. A spec without tools says nothing of them.
        """
        known = {tool.name for tool in self._session.spec.tools}
        paths = {str(path): path.name for path in self._session.log_paths}
        if not known or not paths:
            return {}
        called: dict[str, set[str]] = {}
        for run in runs:
            if run.path in paths:
                tools = called.setdefault(paths[run.path], set())
                tools.update(call.tool for call in run.calls if call.tool is not None)
        return {log: tuple(sorted(tools)) for log, tools in called.items() if tools and not tools & known}

    def import_report(self, logs: Logs) -> tuple[str, ...]:
        """A sentence for each file of the logs: the number of its runs, and their ids."""
        from workbench.runs.logs.import_report import import_report

        return import_report(logs.runs)

    def extract_again(self, logs: Logs) -> Logs:
        """The same runs with their arguments extracted anew, without reading a file.

        After a change of the agent spec ``read_again`` is cheaper.
        """
        return read_logs(self.extractor(), (*logs.runs, *logs.problems))

    def first(self, terms: PolicyTerms, most: int = FIRST_TOLD) -> Logs:
        """A quick reading of the first calls of the session's logs, with the arguments of a policy."""
        items = self._read(self._session.log_paths, enough=RECORDS * most)
        return read_logs(self.extractor(terms.sources), _first_calls(items, most))

    def current(self, tell: Tell | None = None) -> Logs:
        """The session's logs, their files read once; arguments are extracted anew if they changed.

        If the memory that teaches an extraction changed, all arguments are extracted anew, else those whose
        definition changed. ``tell`` is called with the calls as they arrive. The logs include those that
        ``open_log`` added.
        """
        with self._reading:
            session, current_logs = self._session, self._current
            spec = session.spec
            taught = current_logs is not None and current_logs.memory == session.demonstrations
            if current_logs is not None and taught and current_logs.spec == spec:
                return current_logs.logs
            arguments = self.arguments()
            if current_logs is None:
                logs = read_logs(self.extractor(arguments), self._read(session.log_paths), tell)
            elif not taught:
                logs = self.extract_again(current_logs.logs)
            else:
                logs = self.read_again(current_logs.logs, current_logs.spec, current_logs.arguments)
            self._current = _CurrentLogs(logs, spec, arguments, session.demonstrations)
            return logs

    def open_log(self, path: Path, tell: Tell | None = None, ended: threading.Event | None = None) -> Logs:
        """Read a log in addition to the session's own, for as long as the session is open.

        A log that is open already is read again, and only its new calls are extracted. Raises WorkbenchError
        if there is no such file, or if ``ended`` is set meanwhile; then nothing of it is kept.
        """
        log_path = path.expanduser()
        if not log_path.exists():
            raise WorkbenchError(f"There is no file {log_path}; name a log, or a folder of logs.")
        self.current()
        with self._reading:
            current_logs = self._current
            assert current_logs is not None
            known_files = _files_of(current_logs.logs, log_path)
            known_runs = {run.id for run in current_logs.logs.runs if run.path not in known_files}
            paths, extractor = (
                sorted(map(Path, known_files)) or [log_path],
                self.extractor(current_logs.arguments),
            )
            if tell is not None and not known_files:
                soon = _first_calls(self._read(paths, known_runs, enough=RECORDS * FIRST_TOLD))
                tell(_read_grown(current_logs.logs, known_files, soon, extractor))
            items = self._read(paths, known_runs)
            items = items if ended is None else _unless(ended, items, log_path.name)
            logs = _read_grown(current_logs.logs, known_files, items, extractor, tell)
            self._current = replace(current_logs, logs=logs)
            return logs

    def follow(
        self,
        path: Path,
        grown: Callable[[], None],
        tell: Tell | None = None,
        ended: threading.Event | None = None,
    ) -> Logs:
        """Read a log as ``open_log`` does; a thread calls ``grown`` whenever the log has grown.

        Only one log is followed at a time. Raises WorkbenchError as ``open_log`` does; then the log that was
        followed before still is.
        """
        from workbench.session.watching import FileWatch

        followed = path.expanduser()
        watch = FileWatch([followed], grown, growing=True)  # before reading: the log may grow meanwhile
        logs = self.open_log(followed, tell, ended)
        self.unfollow()
        self.followed, self._watch = followed, watch
        watch.start()
        return logs

    def read_on(self) -> Logs:
        """The session's logs, with the new calls of the followed log."""
        return self.current() if self.followed is None else self.open_log(self.followed)

    def unfollow(self) -> None:
        """Stop following a log."""
        watch, self._watch, self.followed = self._watch, None, None
        if watch is not None:
            watch.stop()

    def begin_with(self, others: Runs) -> None:
        """Take the logs that were read for another session with the same log files."""
        self._current = others._current

    def arguments(self) -> tuple[Argument, ...]:
        """The arguments that the policy comes to."""
        return self._session.spec.arguments

    def decide(
        self, terms: PolicyTerms, logs: Logs, cancelled: threading.Event | None = None
    ) -> tuple[CallDecision, ...]:
        """Decide every loaded call by the policy; after an edit, only affected decisions are computed again.

        If ``cancelled`` is set, the result may be empty.
        """
        from workbench.engines.compiled.compile import compile_policy
        from workbench.runs.replay.decide import Redecider

        read = self._read_for(terms, logs)
        cached = self._redeciders.get(read is not logs)
        if cached is None or cached[0] is not read:
            cached = self._redeciders[read is not logs] = (read, Redecider(read.calls, read.extracted))
        return cached[1].decide(compile_policy(terms), cancelled)

    def _read_for(self, terms: PolicyTerms, logs: Logs) -> Logs:
        """The logs with the arguments of a policy, which another policy may read otherwise."""
        from workbench.runs.replay.decide import read_again

        wanted = terms.sources
        known = {argument.name: argument for argument in logs.arguments}
        if all(known.get(argument.name) == argument for argument in wanted):
            return logs
        last = self._read_otherwise
        if last is None or last[0] is not logs or last[1].arguments != wanted:
            extracted = read_again(self.extractor, logs.arguments, wanted, logs.runs, logs.extracted)
            read = replace(logs, extracted=extracted, arguments=tuple(wanted))
            last = self._read_otherwise = (logs, read)
        return last[1]

    def read_by(self, agent: AgentSpec, terms: PolicyTerms, logs: Logs) -> Logs:
        """The logs with the arguments of a policy as another agent file reads them."""
        from workbench.runs.replay.decide import read_again

        wanted, extractor = terms.sources, partial(self.extractor, spec=agent)
        read = read_again(extractor, logs.arguments, wanted, logs.runs, logs.extracted, all_of_them=True)
        return replace(logs, extracted=read, arguments=tuple(wanted))

    def replay(
        self,
        terms: PolicyTerms,
        logs: Logs,
        filters: Filters = EVERY_CALL,
        *,
        also: Sequence[tuple[str, Sequence[CallDecision | None]]] = (),
        kept_guards: Sequence[KeptGuard] = (),
        fail_closed: bool = False,
    ) -> Replay:
        """Decide every loaded call; the filters choose the calls to show, the figures count all of the run.

        Without a run among the filters they count all calls. ``also`` are other sessions' policies, by name,
        with their decisions on the same logs: a call is allowed only if all of them allow it. The decisions
        of ``kept_guards`` count in the same way on the calls about which these guards were asked. On other
        calls the policies decide alone; with ``fail_closed`` these calls cannot be evaluated.
        """
        from workbench.app.results import Replay
        from workbench.runs.replay.filtering import filtered
        from workbench.runs.replay.joint_decisions import unasked, with_kept_guards
        from workbench.runs.replay.summary import summarise

        decided = self.decide(terms, logs)
        several = bool(also or kept_guards)
        parts = _by_name([(self._session.info.name, decided), *also])
        if several:
            decided = with_kept_guards(parts, kept_guards, logs.calls, logs.runs, fail_closed=fail_closed)
        filtered_calls = filtered(logs.calls, decided, filters)
        shown_decisions = tuple(decided[position] for position in filtered_calls.positions)
        missed = unasked(parts, kept_guards, logs.calls)
        of_run = [one for call, one in zip(logs.calls, decided, strict=True) if filters.run in ("", call.run)]
        return Replay(shown_decisions, summarise(of_run), filtered_calls.emptied, terms, several, missed)

    def decided_of(
        self, paths: Iterable[Path], database: Path | None, terms: PolicyTerms
    ) -> tuple[CallDecision, ...]:
        """The decisions of a policy on some logs, which are read for this."""
        return self.decide(terms, self.load(paths, database, terms=terms))

    def explain(
        self, terms: PolicyTerms, logs: Logs, run: str, index: int | None = None
    ) -> tuple[CallExplanation, ...]:
        """Explain a recorded call, or every call of a run that is not allowed; see ``explain_recorded``."""
        from workbench.runs.replay.explanation import explain_recorded

        decided = self.decide(terms, logs)
        explainer = self._explaining(terms, logs, decided)
        places = {
            logged_run.id: " ".join(part for part in (logged_run.path, logged_run.locator) if part)
            for logged_run in logs.runs
        }
        explanations = explain_recorded(explainer, logs.calls, decided, run, index, places)
        return self._with_facts(terms, logs, explanations)

    def explain_call(
        self, terms: PolicyTerms, logs: Logs, run: Sequence[RecordedCall], decided: CallDecision
    ) -> CallExplanation:
        """Explain the decision on the last call of a run, which the logs need not have."""
        explainer = self._explaining(terms, logs, self.decide(terms, logs))
        explained = explainer.explain(run[-1], decided, run={call.index: call for call in run})
        return self._with_facts(terms, replace(logs, calls=tuple(run)), (explained,))[0]

    def _with_facts(
        self, terms: PolicyTerms, logs: Logs, explanations: Sequence[CallExplanation]
    ) -> tuple[CallExplanation, ...]:
        """Explanations by a policy of calls, with the facts of the calls, in the words of the policy.

        The tool is left out of the values: the call has it.
        """
        from workbench.app.session_language import conditions_in_words, words_of_arguments
        from workbench.dialect.call_types import agent_types
        from workbench.dialect.lowered_policy import lowered_policy
        from workbench.runs.replay.facts_at_call import elements_at, facts_at
        from workbench.runs.replay.typed_parts import typed_parts

        types = agent_types(self._session.agent)
        calls = lowered_policy(terms.file.text, self._session.agent).calls
        run = [call for call in logs.calls if call.run == explanations[0].call.run]
        agent = self._session.agent
        words = words_of_arguments(terms.file, agent)

        def parts(call: RecordedCall) -> tuple[TypedPart, ...]:
            type_ = next((one for one in types.calls.values() if one.tool == call.tool), None)
            return () if type_ is None else typed_parts(type_, self.extractor, run, run.index(call))

        def behind(explanation: CallExplanation, rule: PathRule) -> tuple[str, ...]:
            if not rule.fired:
                return ()
            at = run.index(explanation.call)
            return elements_at(terms.sources, self.extractor, run, at, rule.conditions)

        return tuple(
            replace(
                explanation,
                reason=words.told(explanation.reason),
                message=words.said(explanation.message),
                origins=tuple(one for one in explanation.origins if one.name != TOOL_ARGUMENT),
                path=tuple(
                    replace(
                        rule,
                        conditions=conditions_in_words(
                            rule.conditions, explanation.call.tool or "", terms.file, agent
                        ),
                        elements=behind(explanation, rule),
                    )
                    for rule in explanation.path
                    if rule.rule in terms.file.parts
                ),
                facts=facts_at(calls, self.extractor, run, run.index(explanation.call)),
                parts=parts(explanation.call),
            )
            for explanation in explanations
        )

    def _explaining(self, terms: PolicyTerms, logs: Logs, decided: Sequence[CallDecision]) -> Explainer:
        """The explainer of these decisions, cached until the policy or the logs change."""
        from workbench.app.session_language import condition_in_words
        from workbench.engines.compiled.compile import compile_policy
        from workbench.runs.replay.explanation import Explainer

        cached = self._explainer
        same = cached is not None and cached[0] is logs and cached[1] == terms
        if cached is None or not same or cached[1].file.arguments != terms.file.arguments:
            explainer = Explainer(
                compile_policy(terms),
                terms.sources,
                decided,
                self._session.spec.zone,
                partial(condition_in_words, terms.file, self._session.agent),
            )
            cached = self._explainer = (logs, terms, explainer)
        return cached[2]

    def strategies(self, terms: PolicyTerms, logs: Logs, label: str | None = "") -> StrategyComparison:
        """The comparison of all strategies and controls on the loaded runs, counted by ``label``.

        ``label`` is a key of the calls' context, such as an attack's type; with None the first key that sorts
        the runs into a few kinds.
        """
        from workbench.runs.replay.strategy_comparison import compare, label_of

        by = label_of(logs.calls) if label is None else label
        return compare(logs.calls, self.decide(terms, logs), label=by)

    def extractor(
        self,
        arguments: Sequence[Argument] | None = None,
        database: Path | None = None,
        *,
        memory: Sequence[Demonstration] | None = None,
        spec: AgentSpec | None = None,
        reader: Reader | None = None,
    ) -> Extractor:
        """The extractor of the given arguments, or of all, taught by the session's memory or another one.

        ``spec`` replaces the session's agent spec, ``reader`` the session's model as reader of texts.
        """
        from workbench.author.choice_of_author import reader_of
        from workbench.runs.extract.extractor import Extractor
        from workbench.runs.world.database import FolderDatabase

        wanted_arguments = arguments
        if wanted_arguments is None:  # the session's arguments need its request to be read, which is slow
            wanted_arguments = self.arguments() if spec is None else spec.arguments
        spec = spec or self._session.spec
        folder = None if database is None else FolderDatabase(database, spec.records)
        reader = reader or reader_of(spec, self._authorship.model)
        taught = self._session.demonstrations if memory is None else memory
        return Extractor(wanted_arguments, spec, reader, taught, folder)

    def taught(self, logs: Logs, memory: Sequence[Demonstration]) -> Logs:
        """The logs as read with this memory; the same object if the memory teaches no argument."""
        if not learns(self._session.spec.readings):
            return logs
        return read_logs(self.extractor(memory=memory), (*logs.runs, *logs.problems))

    def read_again(self, logs: Logs, old: AgentSpec, before: Sequence[Argument]) -> Logs:
        """Loaded logs under the session's agent spec; they were read by ``old`` with arguments ``before``."""
        from workbench.runs.replay.decide import read_again

        spec = self._session.spec
        extracted = read_again(
            self.extractor,
            before,
            self.arguments(),
            logs.runs,
            logs.extracted,
            all_of_them=replace(spec, arguments=()) != replace(old, arguments=()),
        )
        if extracted is logs.extracted:
            return logs
        return replace(logs, extracted=extracted, arguments=tuple(self.arguments()))


def _files_of(logs: Logs, path: Path) -> frozenset[str]:
    """The files of a log or folder that are read already, by their names in the runs."""
    resolved_path = path.resolve()
    named = {run.path: Path(run.path).resolve() for run in logs.runs}
    return frozenset(
        name for name, file in named.items() if resolved_path == file or resolved_path in file.parents
    )


def _by_name(decisions: Sequence[tuple[str, Sequence[CallDecision | None]]]) -> Decided:
    names = [name for name, _ in decisions]
    if len(set(names)) < len(names):
        raise WorkbenchError("Two of these sessions have one name; give each its own in session.toml.")
    return dict(decisions)
