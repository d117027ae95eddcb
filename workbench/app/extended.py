"""The baselines of a session: what it ``extends``, whose accepted versions decide its calls too.

A baseline is the folder of another session, of which nothing but ``accepted.toml`` is read; it may extend one
itself. A call runs only if the session and every baseline allow it, whatever is proved. So what holds of each
run that a baseline lets through, as its theorems say, holds of each run that the session lets through.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, override

from workbench.app.guardagent_guard import asks_guardagent
from workbench.author.choice_of_author import read_by_model
from workbench.files.regular import FileMark, file_mark, read_regular
from workbench.guard.call_reading import CallReader, EnforcedPolicy
from workbench.guard.calls import PastCall, ToolCall
from workbench.guard.several_policies import NamedPolicy
from workbench.model import Decision, LookedUp, Verdict, Violation, WorkbenchError
from workbench.session.accepted_version import NAME

if TYPE_CHECKING:
    from workbench.session.accepted_version import AcceptedVersion
    from workbench.session.session_files import SessionInfo

EDITED = "baseline_edited"
"""The name of the rule by which a baseline that was edited during a run denies its further calls."""


class Baseline(Protocol):
    """A session of which the accepted version decides."""

    def accepted(self) -> AcceptedVersion | str:
        """The accepted version, or why it decides nothing, whatever it extends."""
        ...

    def named(self, without: Collection[str] = ()) -> NamedPolicy:
        """Its policy without some rules, with its name and its reader of calls."""
        ...


@dataclass(frozen=True, slots=True)
class Baselines[B: Baseline]:
    """The baselines of a session, the nearest first, with the marks of the files that were read.

    ``broken`` is the reason why there are none where some are needed.
    """

    every: tuple[B, ...] = ()
    read: Mapping[Path, FileMark] = field(default_factory=dict[Path, FileMark])
    broken: str = ""

    @property
    def are_current(self) -> bool:
        """Whether every file is as it was read."""
        return not self.broken and all(file_mark(path) == mark for path, mark in self.read.items())

    @property
    def by_folder(self) -> Mapping[Path, B]:
        """The baselines by their folders."""
        return dict(zip((path.parent for path in self.read), self.every, strict=True))

    def named(self, folder: Path, without: Collection[str] = ()) -> NamedPolicy:
        """The policy of the baseline in a folder, which denies every call once its file was edited."""
        part, path = self.by_folder[folder].named(without), folder / NAME
        return replace(part, reader=_WhileUnedited(part.reader, path, self.read[path]))


def baselines_of[B: Baseline](folder: Path, info: SessionInfo, opened: Callable[[Path], B]) -> Baselines[B]:
    """What a session with this ``session.toml`` extends, and what that extends, and so on.

    ``opened`` opens the accepted version in a folder. Raises WorkbenchError if a baseline is missing, has no
    version that can decide, extends the session, or has its name.
    """
    place, extends = folder.resolve(), info.extends
    seen, names = {place: place.name}, {info.name}
    found: list[B] = []
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
        if isinstance(found[-1].accepted(), str) and (chain := _written_circle(at, seen)):
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


def subagents_of[B: Baseline](
    folder: Path, info: SessionInfo, opened: Callable[[Path], B]
) -> dict[str, Baselines[B]]:
    """What decides the calls of each kind of subagents that a session with this ``session.toml`` names.

    That is a session, and what it extends: the session in ``folder`` among others, so that a subagent does
    nothing that its parent may not do.
    """
    return {kind: _of_kind(folder.resolve(), kind, place, opened) for kind, place in info.agents.items()}


def _of_kind[B: Baseline](folder: Path, kind: str, place: str, opened: Callable[[Path], B]) -> Baselines[B]:
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


def _deciding(baseline: Baseline, why: str) -> AcceptedVersion:
    """The version by which a baseline decides. Raises WorkbenchError if it cannot without a model."""
    version = baseline.accepted()
    if isinstance(version, str):
        raise WorkbenchError(f"{why}, which decides nothing: {version}")
    if asks_guardagent(version) or read_by_model(version.spec):
        raise WorkbenchError(f"{why}, whose decisions need a model; a baseline decides by its policy alone")
    return version


@dataclass(frozen=True, slots=True)
class _WhileUnedited(CallReader):
    """Reads calls for a baseline, of which no call is allowed once its file is another one."""

    reader: CallReader
    path: Path
    mark: FileMark

    @override
    def decide(self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall]) -> Decision:
        """The decision of the baseline, or the denial after an edit of it."""
        if file_mark(self.path) == self.mark:
            return self.reader.decide(policy, call, history)
        why = f"{self.path} was changed during this run; start a new one, which decides by what it says now."
        return Decision(Verdict.DENY, (Violation(EDITED, why),))

    @override
    def wanted(self, call: ToolCall, history: Sequence[PastCall]) -> Sequence[LookedUp]:
        """The look-ups of the reader."""
        return self.reader.wanted(call, history)

    @override
    def remedy(
        self, policy: EnforcedPolicy, call: ToolCall, history: Sequence[PastCall], decision: Decision
    ) -> Sequence[LookedUp]:
        """The look-ups of the reader."""
        return self.reader.remedy(policy, call, history, decision)
