"""The version of a session that guards enforce: the one that a person accepted, whatever was edited since.

A session without such a version is guarded too: every call is denied, with a sentence about what to do.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.files.regular import FileMark, file_mark, read_regular
from workbench.model import (
    AgentSpec,
    Argument,
    CallDecision,
    Case,
    WorkbenchError,
)
from workbench.session.accepted_version import NAME, fingerprint, is_of_baseline
from workbench.session.session_files import SessionInfo

if TYPE_CHECKING:
    from workbench.app.authorship import Authorship
    from workbench.app.guardagent_guard import KeptGuarding
    from workbench.app.live_grants import GuardPart, LiveGrants
    from workbench.app.results import Logs
    from workbench.app.runs import Runs
    from workbench.guard.call_reading import NamedPolicy
    from workbench.runs.extract.extractor import Extractor
    from workbench.session import Session
    from workbench.session.accepted_version import AcceptedVersion


class Enforced:
    """The accepted version of a session, as guards enforce it and exported files carry it."""

    def __init__(
        self,
        session: Session,
        authorship: Authorship,
        runs: Runs,
        opened: Callable[[Path], Enforced],
        broken: str = "",
    ) -> None:
        """Take the session; ``opened`` gives the accepted version of the session in another folder.

        ``broken`` is a sentence if the session has nothing but its accepted version.
        """
        self._session = session
        self._authorship = authorship
        self._runs = runs
        self._opened = opened
        self._broken = broken
        self._read: tuple[AcceptedVersion | None, AcceptedVersion | str] | None = None
        self._extended: tuple[SessionInfo, Baselines] | None = None
        self._subagents: tuple[SessionInfo, Mapping[str, Baselines]] | None = None

    @cached_property
    def broken(self) -> str:
        """A sentence if nothing but the session's accepted version can be read; else empty."""
        return self._broken or self._session.trouble()

    def now(self) -> AcceptedVersion | str:
        """The version that a guard made now enforces, or the sentence by which it denies every call.

        Without all of its baselines it enforces nothing.
        """
        own = self.own()
        if isinstance(own, str):
            return own
        try:
            self.extended(own.info)
        except WorkbenchError as error:
            return f"Every call is denied by {self._folder}: {str(error).removesuffix('.')}."
        return own

    def extended(self, info: SessionInfo) -> Baselines:
        """The baselines of the session with this ``session.toml``, as they are now.

        Raises WorkbenchError if one is missing or decides nothing.
        """
        if not info.extends:
            return Baselines()
        if self._extended is None or self._extended[0] != info or not self._extended[1].are_current:
            self._extended = info, baselines_of(self._session.path, info, self._opened)
        return self._extended[1]

    @property
    def accepted_text(self) -> str:
        """The text of ``accepted.toml``; empty if there is none."""
        return self._session.text(NAME)

    @property
    def baselines(self) -> Baselines:
        """The baselines of the version that is enforced; none if every call is denied."""
        return self.extended(self.info)

    @property
    def info(self) -> SessionInfo:
        """The ``session.toml`` of the version that is enforced; an empty one if every call is denied."""
        version = self.version
        return SessionInfo(0, "") if version is None else version.info

    @property
    def present_info(self) -> SessionInfo:
        """The ``session.toml`` as it is now."""
        return self._session.info

    @property
    def subagents(self) -> Mapping[str, Baselines]:
        """What decides the calls of each kind of subagents that the enforced version names, as it is now."""
        return self.narrowing(self.info)

    def narrowing(self, info: SessionInfo) -> Mapping[str, Baselines]:
        """What decides the calls of each kind of subagents that this ``session.toml`` names, as it is now."""
        kept = self._subagents
        if kept is None or kept[0] != info or not all(these.are_current for these in kept[1].values()):
            kept = self._subagents = info, subagents_of(self._session.path, info, self._opened)
        return kept[1]

    def own(self) -> AcceptedVersion | str:
        """The accepted version, or why it denies every call, whatever its baselines are."""
        try:
            version = self._session.accepted_version
        except WorkbenchError as error:
            return self._denial(f"accepted.toml cannot be read: {error}")
        if self._read is None or self._read[0] is not version:
            self._read = (version, self._checked(version))
        return self._read[1]

    def _checked(self, version: AcceptedVersion | None) -> AcceptedVersion | str:
        if version is None:
            return self._denial("no version of it was accepted")
        if not version.unchanged:
            return self._denial("accepted.toml was changed after the workbench wrote it")
        try:
            _ = (version.terms, version.spec, version.info, version.demonstrations, version.own_functions)
        except WorkbenchError as error:
            return self._denial(f"accepted.toml cannot be enforced: {error}")
        return version

    def _denial(self, why: str) -> str:
        return f"Every call is denied by {self._folder}: {why}. Run '{accept_command(self._session.path)}'."

    @property
    def _folder(self) -> str:
        return self.folder.name

    @property
    def version(self) -> AcceptedVersion | None:
        """The version that is enforced; None if every call is denied."""
        now = self.now()
        return None if isinstance(now, str) else now

    def needed(self) -> AcceptedVersion:
        """The version that is enforced. Raises WorkbenchError if there is none."""
        now = self.now()
        if isinstance(now, str):
            raise WorkbenchError(f"{self._folder} has no accepted version to export. {now}", exit_code=1)
        return now

    @property
    def notice(self) -> str:
        """The sentence about a session that is not what its guards enforce; empty if it is."""
        now = self.now()
        if isinstance(now, str):
            return now
        lead = f"{self.name} is guarded by the version accepted {now.when}"
        differing = () if self._broken else now.differing(self.present_text)
        if not (differing or self._broken):
            return ""
        if self.broken:
            return f"{lead}; the session itself cannot be read: {self.broken}"
        return (
            f"{lead}, and differs from it in {', '.join(differing)}: "
            f"'workbench diff {shlex.quote(str(self._session.path))} accepted' shows what that changes, "
            f"'{accept_command(self._session.path)}' accepts it."
        )

    @property
    def compared_otherwise(self) -> str:
        """The sentence about a version that was compared with another one of a baseline; else empty."""
        now = self.now()
        files = dict[str, str]() if isinstance(now, str) else now.files
        baselines = [name for name in files if is_of_baseline(name)]
        names = [name for name in baselines if fingerprint(self.present_text(name)) != files[name]]
        if not names:
            return ""
        return (
            f"{self.name} was compared with another version of {', '.join(names)}: "
            f"'{accept_command(self._session.path)}' compares it again."
        )

    @property
    def words(self) -> str:
        """The notice in four words, for a line with other things; empty where there is none."""
        if not self.notice:
            return ""
        return "guards deny every call" if self.version is None else "guards run another version"

    def present_text(self, name: str) -> str:
        """The present text of a file that a guard may read; empty if there is none."""
        from workbench.session import FILES

        if is_of_baseline(name):
            try:
                return self._opened(self._session.path / Path(name).parent).accepted_text
            except WorkbenchError:
                return ""

        if name in FILES:
            return self._session.text(name)
        from workbench.session.guardagent_file import read_functions

        try:
            return read_functions(self._session.path, (name,))[0][1]
        except WorkbenchError:
            return ""

    # --- guarding -----------------------------------------------------------------

    @property
    def folder(self) -> Path:
        """The folder of the session, as the file system has it."""
        return self._session.path.resolve()

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases of the session; none where only the accepted version can be read."""
        return () if self.broken else self._session.cases

    @property
    def name(self) -> str:
        """The name of the policy among several: the name of its session."""
        version = self.version
        if version is not None:
            return version.info.name
        return self._folder if self.broken else self._session.info.name

    def named(self, without: Collection[str] = (), version: AcceptedVersion | None = None) -> NamedPolicy:
        """The policy with its name and its reader of calls; ``without`` are rules that are left out of it.

        It is the policy of ``version``, else of the version that is enforced now.
        """
        from workbench.engines.compiled.compile import compile_policy
        from workbench.guard.call_reading import NamedPolicy
        from workbench.guard.denying import denying
        from workbench.runs.replay.live_guard import RecordedCallReader

        now = version or self.now()
        if not isinstance(now, str):
            try:
                if without:
                    lowered = now.lowered_without(without)
                    reader = RecordedCallReader(self._extractor(now, arguments=lowered.arguments))
                    return NamedPolicy(self.name, compile_policy(lowered.terms), reader)
                reader = RecordedCallReader(self._extractor(now))
                return NamedPolicy(self.name, compile_policy(now.terms), reader)
            except WorkbenchError as error:
                now = self._denial(f"accepted.toml cannot be enforced: {error}")
        return denying(self.name, now)

    @property
    def spec(self) -> AgentSpec:
        """The agent spec of the version; an empty one if every call is denied."""
        version = self.version
        return AgentSpec(self._folder) if version is None else version.spec

    def _extractor(
        self,
        version: AcceptedVersion,
        database: Path | None = None,
        *,
        arguments: Sequence[Argument] | None = None,
    ) -> Extractor:
        """What reads calls as a version does, for its own arguments or these."""
        spec = version.spec if arguments is None else replace(version.spec, arguments=tuple(arguments))
        return self._runs.extractor(spec.arguments, database, memory=version.demonstrations, spec=spec)

    def extractor_of(self, arguments: Sequence[Argument]) -> Extractor:
        """What reads these arguments of calls as the version reads its own."""
        return self._extractor(self.needed(), arguments=arguments)

    @property
    def asking_rules(self) -> tuple[str, ...]:
        """The names of the rules by which the version asks a person; none where grants cannot be read."""
        version = self.version
        return () if version is None else tuple(rule.name for rule in version.terms.rules if rule.asks)

    def live_grants(self, parts: Sequence[GuardPart]) -> LiveGrants | None:
        """The grants of the session for a guard with these parts; None if every call is denied."""
        from workbench.app.live_grants import LiveGrants

        version = self.version
        if version is None:
            return None
        return LiveGrants(
            self.folder, version, parts, lambda arguments: self._extractor(version, arguments=arguments)
        )

    @property
    def asks_model(self) -> bool:
        """Whether a model that can be asked reads arguments of the version."""
        version = self.version
        return version is not None and self._runs.asks_model_of(version.spec)

    def replayed(
        self, paths: Sequence[Path], database: Path | None = None
    ) -> tuple[Logs, tuple[CallDecision, ...]]:
        """The calls of logs, and the decisions of the version on them; ``database`` as in ``Runs.load``."""
        from workbench.guard.denying import denying

        now = self.now()
        if isinstance(now, str):
            logs = self._runs.load_by(self._runs.extractor(()), paths, ())
            denied = denying(self.name, now).policy.decide({})
            return logs, tuple(
                CallDecision(call.run, call.index, denied, step=call.step) for call in logs.calls
            )
        logs = self._runs.load_by(self._extractor(now, database), paths, now.spec.tools)
        return logs, self._runs.decide(now.terms, logs)

    # --- GuardAgent ---------------------------------------------------------------

    @property
    def asks_guardagent(self) -> bool:
        """Whether GuardAgent guards live calls together with the policy, as accepted."""
        from workbench.app.guardagent_guard import asks_guardagent

        version = self.version
        return version is not None and asks_guardagent(version)

    def guardagent(self, stopped: Callable[[], bool] = lambda: False) -> NamedPolicy:
        """GuardAgent as a guard, behind the policies or in parallel; its decisions are stored in the session.

        Once ``stopped`` returns true, the guard no longer waits for the model. Raises WorkbenchError if the
        session cannot be written.
        """
        from workbench.app.guardagent_guard import GuardAgentReader, NoArguments, name_of
        from workbench.guard.call_reading import NamedPolicy

        version = self.needed()
        reader = GuardAgentReader(self._session, version, self._authorship, stopped)
        return NamedPolicy(name_of(version), NoArguments(), reader, not version.info.guardagent.beside)

    def kept_guarding(self) -> KeptGuarding | None:
        """The repetition of GuardAgent's live decisions without a model; None if it guards no call."""
        from workbench.app.guardagent_guard import KeptGuarding

        version = self.version
        return KeptGuarding(self._session, version) if version and self.asks_guardagent else None


# --- the baselines of a session, and what decides for its subagents
#
# A baseline is the folder of another session, of which nothing but ``accepted.toml`` is read; it may extend
# one itself. A call runs only if the session and every baseline allow it, whatever is proved. So what holds
# of each run that a baseline lets through, as its theorems say, holds of each that the session lets through.


@dataclass(frozen=True, slots=True)
class Baselines:
    """The baselines of a session, the nearest first, with the marks of the files that were read.

    ``broken`` is the reason why there are none where some are needed.
    """

    every: tuple[Enforced, ...] = ()
    read: Mapping[Path, FileMark] = field(default_factory=dict[Path, FileMark])
    broken: str = ""

    @property
    def are_current(self) -> bool:
        """Whether every file is as it was read."""
        return not self.broken and all(file_mark(path) == mark for path, mark in self.read.items())

    @property
    def by_folder(self) -> Mapping[Path, Enforced]:
        """The baselines by their folders."""
        return dict(zip((path.parent for path in self.read), self.every, strict=True))

    def named(self, folder: Path, without: Collection[str] = ()) -> NamedPolicy:
        """The policy of the baseline in a folder, which denies every call once its file was edited."""
        from workbench.guard.denying import while_unedited

        path = folder / NAME
        return while_unedited(self.by_folder[folder].named(without), path, self.read[path])


def baselines_of(folder: Path, info: SessionInfo, opened: Callable[[Path], Enforced]) -> Baselines:
    """What a session with this ``session.toml`` extends, and what that extends, and so on.

    ``opened`` opens the accepted version in a folder. Raises WorkbenchError if a baseline is missing, has no
    version that can decide, extends the session, or has its name.
    """
    place, extends = folder.resolve(), info.extends
    seen, names = {place: place.name}, {info.name}
    found: list[Enforced] = []
    read: dict[Path, FileMark] = {}
    while extends:
        at = (place / extends).resolve()
        why = f"{place.name} extends {extends}"
        if at in seen:
            raise _circle(why, [*seen.values(), at.name])
        if not at.is_dir():
            raise WorkbenchError(f"{why}, and there is no such folder; mend session.toml")
        read[at / NAME] = file_mark(at / NAME)
        found.append(opened(at))
        if isinstance(found[-1].own(), str) and (chain := _written_circle(at, seen)):
            raise _circle(why, chain)
        version = _deciding(found[-1], why)
        if version.info.name in names:
            raise WorkbenchError(f"{why}, and both are named {version.info.name}; give each its own name")
        seen[at] = at.name
        names.add(version.info.name)
        place, extends = at, version.info.extends
    return Baselines(tuple(found), read)


def _circle(why: str, chain: Sequence[str]) -> WorkbenchError:
    return WorkbenchError(
        f"{why}, and so itself ({' > '.join(chain)}); take one of these out of a session.toml"
    )


def _written_circle(at: Path, seen: Mapping[Path, str]) -> Sequence[str]:
    """The folders of sessions that extend themselves by their ``session.toml``; none if they do not.

    None of them can be accepted before the others, so that an accepted version does not show it.
    """
    from workbench.session.session_files import SESSION, read_info

    chain, visited = [*seen.values()], set(seen)
    while at not in visited:
        visited.add(at)
        chain.append(at.name)
        try:
            extends = read_info(read_regular(at / SESSION).decode("utf-8")).extends
        except (OSError, ValueError, WorkbenchError):
            return ()
        if not extends:
            return ()
        at = (at / extends).resolve()
    return (*chain, at.name)


def subagents_of(folder: Path, info: SessionInfo, opened: Callable[[Path], Enforced]) -> dict[str, Baselines]:
    """What decides the calls of each kind of subagents that a session with this ``session.toml`` names.

    That is a session, and what it extends: the session in ``folder`` among others, so that a subagent does
    nothing that its parent may not do.
    """
    return {kind: _of_kind(folder.resolve(), kind, place, opened) for kind, place in info.agents.items()}


def _of_kind(folder: Path, kind: str, place: str, opened: Callable[[Path], Enforced]) -> Baselines:
    at = (folder / place).resolve()
    why = f"{folder.name} leaves its subagents {kind} to {place}"
    try:
        if not at.is_dir():
            raise WorkbenchError(f"{why}, and there is no such folder; mend session.toml")
        mark = file_mark(at / NAME)
        own = opened(at)
        chain = baselines_of(at, _deciding(own, why).info, opened)
        if folder not in chain.by_folder:
            raise WorkbenchError(f"{why}, which does not extend {folder.name}; write so in its session.toml")
    except WorkbenchError as error:
        return Baselines(broken=str(error))
    return Baselines((own, *chain.every), {at / NAME: mark, **chain.read})


def _deciding(baseline: Enforced, why: str) -> AcceptedVersion:
    """The version by which a baseline decides. Raises WorkbenchError if it cannot without a model."""
    from workbench.app.guardagent_guard import asks_guardagent
    from workbench.author.choice_of_author import read_by_model

    version = baseline.own()
    if isinstance(version, str):
        raise WorkbenchError(f"{why}, which decides nothing: {version}")
    if asks_guardagent(version) or read_by_model(version.spec):
        raise WorkbenchError(f"{why}, whose decisions need a model; a baseline decides by its policy alone")
    return version


@dataclass(frozen=True, slots=True)
class Subagents:
    """What decides only the calls of subagents: the sessions by their folders, each with its kinds.

    ``broken`` has a name, a kind and a reason where what should decide cannot: each call of it is denied.
    """

    deciding: Mapping[Path, tuple[Baselines, frozenset[str]]]
    broken: Sequence[tuple[str, str, str]] = ()

    @classmethod
    def of(cls, parents: Mapping[Path, tuple[str, Mapping[str, Baselines]]]) -> Subagents:
        """The subagents of sessions that decide every call, by their folders, each with its name."""
        deciding: dict[Path, tuple[Baselines, frozenset[str]]] = {}
        broken: list[tuple[str, str, str]] = []
        for name, of_kinds in parents.values():
            for kind, these in of_kinds.items():
                if these.broken:
                    broken.append((f"{name}-{kind}".replace(":", "-"), kind, these.broken))
                for folder in these.by_folder.keys() - parents.keys():
                    kinds = deciding[folder][1] if folder in deciding else frozenset[str]()
                    deciding[folder] = these, kinds | {kind}
        return cls(dict(sorted(deciding.items())), broken)

    @property
    def every(self) -> Sequence[tuple[Enforced, frozenset[str]]]:
        """The sessions that decide, each with the kinds of subagents whose calls it decides."""
        return [(these.by_folder[folder], kinds) for folder, (these, kinds) in self.deciding.items()]

    def named(self) -> list[NamedPolicy]:
        """Their policies, each for the calls of its kinds of subagents."""
        from workbench.guard.denying import denying

        found = [
            replace(these.named(folder), agents=kinds) for folder, (these, kinds) in self.deciding.items()
        ]
        return found + [
            replace(denying(name, f"{why}."), agents=frozenset({kind})) for name, kind, why in self.broken
        ]

    def replayed(
        self, paths: Sequence[Path], database: Path | None = None
    ) -> Iterator[tuple[str, Sequence[CallDecision | None]]]:
        """The decisions of each on the calls of logs; None for a call that it does not decide.

        Raises WorkbenchError where one cannot decide.
        """
        from workbench.guard.subagents import concerns

        for _, _, why in self.broken:
            raise WorkbenchError(why)
        for enforced, kinds in self.every:
            logs, decided = enforced.replayed(paths, database)
            yield (
                enforced.name,
                [
                    decision if concerns(kinds, call.context) else None
                    for call, decision in zip(logs.calls, decided, strict=True)
                ],
            )


def extended_by(
    every: Sequence[Enforced], info_of: Callable[[Enforced], SessionInfo]
) -> dict[Path, Baselines]:
    """The folders that sessions extend by their ``session.toml`` and that are none of theirs.

    Raises WorkbenchError if one of them is missing or decides nothing.
    """
    own = {one.folder for one in every}
    found = [one.extended(info_of(one)) for one in every]
    return {folder: these for these in found for folder in these.by_folder if folder not in own}


def accept_command(session: Path, anyway: str = "") -> str:
    """The command that accepts the present version of a session, and what is not good of it by its name."""
    by_name = f" --anyway {shlex.quote(anyway)}" if anyway else ""
    return f"workbench check {shlex.quote(str(session))} --accept{by_name}"
