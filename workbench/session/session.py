"""A session: everything about one policy, a folder of readable files."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, cast

from workbench.files.bounded_text import json_objects
from workbench.files.file_error import FileError
from workbench.files.regular import append_line, read_regular
from workbench.files.strict_reading import TablePlace, read_form
from workbench.model import (
    Accepted,
    AgentSpec,
    Assumption,
    AuthorName,
    Case,
    Demonstration,
    Json,
    WorkbenchError,
)
from workbench.policy.written import OWN_NAMES, ArgumentWords
from workbench.redact import redact, redact_json
from workbench.session import (
    accepted_version,
    agent_file,
    merged_draft,
    session_files,
)
from workbench.session.accepted_version import AcceptedVersion
from workbench.session.atomic import encode, inside, write_atomic
from workbench.session.buffers import Buffer
from workbench.session.interrupted import Interrupted
from workbench.session.journal import JournaledChange
from workbench.session.merged_draft import MergedDraft
from workbench.session.session_error import SessionError
from workbench.session.session_files import SessionInfo
from workbench.session.store import Store
from workbench.timestamps import timestamp

if TYPE_CHECKING:
    from pydantic import BaseModel

    from workbench.author.model.recording import StoredCall
    from workbench.author.model.whole_file.stored_drafting import KeptDrafting
    from workbench.dialect.call_types import AgentTypes
    from workbench.dialect.lowered_policy import LoweredPolicy
    from workbench.session.guardagent_file import GuardAgentRecord

REQUEST = session_files.REQUEST
POLICY = "policy.py"
STUB = "agent.pyi"
MODULE = "agent.py"
"""The module of the stub, which has no code: editors look for it, and nothing imports it."""
CALLS = "calls.jsonl"
LOGS = "logs"

FILES = (
    session_files.SESSION,
    REQUEST,
    agent_file.NAME,
    session_files.ASSUMPTIONS,
    POLICY,
    session_files.CASES,
    session_files.MEMORY,
    session_files.STRENGTH,
    merged_draft.NAME,
    session_files.DRAFTING,
    session_files.RESULTS,
    accepted_version.NAME,
    STUB,
    MODULE,
)
_REMEDY = "Name a session's folder, or make one with 'workbench new'."
_REQUIRED = (session_files.SESSION, REQUEST, agent_file.NAME)
_READERS: Mapping[str, Callable[[str], object]] = {
    session_files.SESSION: session_files.read_info,
    REQUEST: session_files.read_request,
    agent_file.NAME: agent_file.read_agent,
    session_files.ASSUMPTIONS: session_files.read_assumptions,
    session_files.CASES: session_files.read_cases,
    session_files.MEMORY: session_files.read_memory,
    session_files.STRENGTH: session_files.read_accepted,
    merged_draft.NAME: merged_draft.read_drafted,
    session_files.DRAFTING: session_files.read_drafting,
    session_files.RESULTS: session_files.read_results,
    accepted_version.NAME: accepted_version.read_accepted_version,
}


class Session:
    """One open session. Properties read, ``set_...`` change; every change is journaled.

    ``read_only`` is True if another process holds the session, or if nothing may be written. ``notices`` has
    sentences for the person about events at opening.
    """

    def __init__(
        self, path: Path, *, read_only: bool = False, names: Sequence[str] = FILES, history: bool = True
    ) -> None:
        """Open the folder; use ``Session.open``. Of its files, only those with these names are read."""
        self.path = path
        self._cache: dict[str, tuple[object, object]] = {}
        self._read_as: tuple[str, str] | None = None
        missing = [name for name in _REQUIRED if name in names and not (path / name).exists()]
        if not path.is_dir():
            trouble = "it is no folder" if path.exists() else "there is no such folder"
            raise SessionError(f"There is no session at {path}: {trouble}. {_REMEDY}")
        if missing:
            verb = "is" if len(missing) == 1 else "are"
            raise SessionError(
                f"{path} is not a complete session: {', '.join(missing)} {verb} missing. {_REMEDY}"
            )
        self._store = Store(path, names, read_only=read_only, history=history)
        if self.buffers:
            self.notices.append(f"Unsaved edits were kept: {', '.join(self.buffers)}.")

    @classmethod
    def open(cls, path: Path | str, *, read_only: bool = False) -> Session:
        """Open the session in a folder and check that its files can be read.

        The policy is only text here; ``workbench.policy.check`` judges it. Raises FileError, with file and
        line, for a file that is missing or malformed.
        """
        session = cls(Path(path), read_only=read_only)
        try:
            session.validate()
        except FileError:
            session.close()
            raise
        return session

    @classmethod
    def create(
        cls,
        path: Path | str,
        request: str,
        spec: AgentSpec,
        *,
        title: str = "",
        author: AuthorName = "written",
        results: Mapping[str, Mapping[str, Json]] | None = None,
    ) -> Session:
        """Make a new session in an empty or missing folder and open it.

        ``results`` are the JSON schemas of the results of tools, where their list has some.
        """
        folder = Path(path)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise SessionError(f"{folder} exists already and is not empty; choose another folder.")
        created = timestamp()
        info = SessionInfo(
            session_files.FORMAT, folder.resolve().name, title or folder.resolve().name, author, created
        )
        texts = {
            REQUEST: redact(session_files.read_request(request)),
            agent_file.NAME: redact(agent_file.write_agent(spec)),
            session_files.SESSION: session_files.write_info(info),
        }
        if results:
            texts[session_files.RESULTS] = redact(json.dumps(results, ensure_ascii=False, indent=1) + "\n")
        try:
            (folder / LOGS).mkdir(parents=True)
            for name, text in texts.items():
                write_atomic(inside(folder, name), encode(text, name))
        except OSError as error:
            raise SessionError(f"{folder} cannot be made: {error.strerror}.", exit_code=3) from error
        return cls.open(folder)

    def close(self) -> None:
        """Release the session for other writers."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, run: TracebackType | None
    ) -> None:
        self.close()

    def validate(self) -> None:
        """Read every file once; raises FileError for the first malformed file."""
        _ = (self.info, self.request, self.spec, self.assumptions, self.cases)
        _ = (self.demonstrations, self.accepted, self.drafted, self.drafting, self.results)
        _ = self.accepted_version

    def trouble(self) -> str:
        """The first mistake in a file of the session, as a sentence; empty if every file can be read."""
        try:
            self.validate()
        except WorkbenchError as error:
            return str(error)
        return ""

    # --- what there is ------------------------------------------------------------

    @property
    def read_only(self) -> bool:
        """Whether changes are refused."""
        return self._store.read_only

    @property
    def why_read_only(self) -> str:
        """The reason why changes are refused, as a sentence with the remedy; empty if they are accepted."""
        return self._store.why_read_only if self._store.read_only else ""

    def lock_is_free(self) -> bool:
        """Whether the process that prevented changes by this one has ended."""
        return self._store.lock_is_free()

    @property
    def interrupted(self) -> Interrupted | None:
        """The change that ended before its files were written; ``redo`` completes it, ``undo`` drops it."""
        return self._store.interrupted

    @property
    def notices(self) -> list[str]:
        """Messages for a person about past events, oldest first; the reader may clear the list."""
        return self._store.notices

    @property
    def info(self) -> SessionInfo:
        """The name, title, default author and time of creation."""
        return self._parsed(session_files.SESSION, session_files.read_info)

    @property
    def request(self) -> str:
        """The guard request."""
        return self._parsed(REQUEST, session_files.read_request)

    @property
    def spec(self) -> AgentSpec:
        """The agent spec; for a policy of calls with the arguments that the policy comes to."""
        lowered = self._lowered()
        return self.agent if lowered is None else lowered[1]

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The answers given so far, as explicit assumptions."""
        return self._parsed(session_files.ASSUMPTIONS, session_files.read_assumptions)

    @property
    def choices(self) -> Mapping[str, str]:
        """The chosen value of each question id, in the form for authors."""
        return {assumption.question: assumption.value for assumption in self.assumptions}

    @property
    def is_drafted(self) -> bool:
        """Whether a model drafts its policy of calls; a person's edits of it stay."""
        return self.info.author == "openai"

    @property
    def written(self) -> str:
        """The text of the policy file, or what it is read as; empty before the first draft."""
        text = self._store.text(POLICY) or ""
        return self._read_as[1] if self._read_as is not None and self._read_as[0] == text else text

    def read_as(self, text: str) -> None:
        """Take another text for that of the policy file, while the file stays as it is."""
        self._read_as = self.written, text

    def evaluated(self, text: str | None = None) -> LoweredPolicy:
        """What the text of a policy file comes to, the session's unless given.

        Raises ``PolicyError`` if it has problems.
        """
        from workbench.dialect.lowered_policy import lowered_policy

        return lowered_policy(self.written if text is None else text, self.agent, POLICY)

    @property
    def lowered(self) -> LoweredPolicy | None:
        """What the policy comes to; None before the first draft, and for one with problems."""
        lowered = self._lowered()
        return None if lowered is None else lowered[0]

    def _lowered(self) -> tuple[LoweredPolicy, AgentSpec] | None:
        """What the policy comes to, and the agent with its arguments; None before the first draft."""
        if not self.written:
            return None
        from workbench.dialect.lowered_policy import lowered_policy

        agent = self.agent
        key = (self.written, self._store.text(agent_file.NAME))

        def lower(_text: str) -> tuple[LoweredPolicy, AgentSpec] | None:
            try:
                lowered = lowered_policy(self.written, agent, POLICY)
            except WorkbenchError:
                return None  # who checks the policy reports its problems
            return lowered, replace(agent, arguments=lowered.arguments)

        return self._cached(POLICY, key, lower)

    @property
    def agent(self) -> AgentSpec:
        """The agent spec as ``agent.toml`` has it."""
        return self._parsed(agent_file.NAME, agent_file.read_agent)

    @property
    def drafted(self) -> MergedDraft | None:
        """The draft that the policy was last merged with; None if it is not known here."""
        return self._parsed(merged_draft.NAME, merged_draft.read_drafted)

    @property
    def drafting(self) -> KeptDrafting | None:
        """The kept drafting of a model that writes whole files; None if there is none."""
        return self._parsed(session_files.DRAFTING, session_files.read_drafting)

    @property
    def results(self) -> Mapping[str, Mapping[str, Json]]:
        """The JSON schemas of the results of tools, by the tools' names; none where nothing gave one."""
        return self._parsed(session_files.RESULTS, session_files.read_results)

    @property
    def cases(self) -> tuple[Case, ...]:
        """The test cases, in the order of the file."""
        types = {argument.name: argument.type for argument in self.spec.arguments}
        words = self.words
        key = (self._store.text(session_files.CASES), tuple(types.items()), words)
        return self._cached(
            session_files.CASES,
            key,
            lambda text: session_files.read_cases(text, types, words),
        )

    @property
    def words(self) -> ArgumentWords:
        """What the session's files call arguments that stand for expressions of a policy of calls."""
        lowered = self._lowered()
        return OWN_NAMES if lowered is None else lowered[0].terms.file.words

    @property
    def demonstrations(self) -> tuple[Demonstration, ...]:
        """The memory elements."""
        return self._parsed(session_files.MEMORY, session_files.read_memory)

    @property
    def accepted(self) -> tuple[Accepted, ...]:
        """The wrong versions of the policy that the contract may let pass, with the reasons."""
        return self._parsed(session_files.STRENGTH, session_files.read_accepted)

    @property
    def accepted_version(self) -> AcceptedVersion | None:
        """The version that guards enforce, as ``accepted.toml`` has it; None if none was accepted."""
        return self._parsed(accepted_version.NAME, accepted_version.read_accepted_version)

    @property
    def log_paths(self) -> tuple[Path, ...]:
        """The log files in ``logs/``, by name."""
        folder = self.path / LOGS
        if not folder.is_dir():
            return ()
        names = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
        paths = (inside(self.path, f"{LOGS}/{name}") for name in names)
        return tuple(path for path in paths if path.is_file())

    # --- changing -----------------------------------------------------------------

    def transaction(self, label: str) -> contextlib.AbstractContextManager[None]:
        """Collect changes into one change with this label: written together and undone together."""
        return self._store.transaction(label)

    def set_request(self, text: str, label: str = "Edit the request") -> None:
        """Write ``request.md``."""
        self._store.put(REQUEST, session_files.read_request(text), label)

    def set_spec(self, spec: AgentSpec, label: str = "Edit the agent spec") -> None:
        """Write ``agent.toml``, keeping a person's comments."""
        spec = replace(spec, arguments=self.agent.arguments)
        text = agent_file.write_agent(spec, self._store.text(agent_file.NAME) or "")
        agent_file.read_agent(text)
        with self._store.transaction(label):
            self._store.put(agent_file.NAME, text, label)
            if self.written:
                self.set_stub(label)

    def set_assumptions(self, assumptions: Iterable[Assumption], label: str = "Edit the assumptions") -> None:
        """Write ``assumptions.toml``, keeping a person's comments."""
        text = session_files.write_assumptions(assumptions, self._store.text(session_files.ASSUMPTIONS) or "")
        session_files.read_assumptions(text)
        self._store.put(session_files.ASSUMPTIONS, text, label)

    def set_policy(self, text: str, label: str = "Edit the policy") -> None:
        """Write ``policy.py``; whether it is in the dialect is not checked here."""
        with self._store.transaction(label):
            self._store.put(POLICY, text, label)
            with contextlib.suppress(WorkbenchError):  # the checker of the policy says it
                self.set_stub(label)

    def set_stub(self, label: str = "Write the classes of the agent") -> AgentTypes:
        """Write ``agent.pyi``, the classes that a policy of calls imports; give what they are made of.

        ``agent.py`` beside it has no code: editors want a module for each stub, and nothing imports it.
        Raises WorkbenchError where the agent has two classes of one name.
        """
        from workbench.dialect.call_types import agent_types
        from workbench.dialect.stub import MODULE as EMPTY
        from workbench.dialect.stub import stub

        types = agent_types(self.agent)
        with self.transaction(label):
            self._store.put(STUB, stub(types), label)
            self._store.put(MODULE, EMPTY, label)
        return types

    def set_drafted(self, draft: MergedDraft) -> None:
        """Keep the draft that the policy was merged with, for the next merge."""
        self._store.put(merged_draft.NAME, merged_draft.write_drafted(draft), "Draft from the request")

    def set_drafting(self, drafting: KeptDrafting) -> None:
        """Keep the whole files that a model drafted."""
        self._store.put(session_files.DRAFTING, session_files.write_drafting(drafting), "Draft by a model")

    def set_cases(self, cases: Iterable[Case], label: str = "Edit the cases") -> None:
        """Write ``cases.toml``, keeping a person's comments."""
        text = session_files.write_cases(cases, self._store.text(session_files.CASES) or "", self.words)
        session_files.read_cases(text)
        self._store.put(session_files.CASES, text, label)

    def set_demonstrations(
        self, demonstrations: Iterable[Demonstration], label: str = "Edit the demonstrations"
    ) -> None:
        """Write ``memory.jsonl``."""
        text = session_files.write_memory(demonstrations)
        session_files.read_memory(text)
        self._store.put(session_files.MEMORY, text, label)

    def set_accepted(
        self, accepted: Iterable[Accepted], label: str = "Edit what the contract may let pass"
    ) -> None:
        """Write ``strength.toml``, keeping a person's comments."""
        text = session_files.write_accepted(accepted, self._store.text(session_files.STRENGTH) or "")
        session_files.read_accepted(text)
        self._store.put(session_files.STRENGTH, text, label)

    def set_text(self, name: str, text: str, label: str = "") -> None:
        """Write one of the session's files as text, after checking that it can be read.

        For editors that show the file itself. Raises FileError and writes nothing if the
        text is malformed.
        """
        self._store.check_name(name)
        if name in _READERS:
            _READERS[name](text)
        self._store.put(name, text, label or f"Edit {name}")

    def text(self, name: str) -> str:
        """The text of one of the session's files; empty if it does not exist."""
        self._store.check_name(name)
        return self._store.text(name) or ""

    @property
    def differing(self) -> tuple[str, ...]:
        """The names of the files that differ on the disk from their known text; none of them is parsed."""
        return tuple(self._store.differing())

    def changed_outside(self) -> tuple[str, ...]:
        """The names of the files that other programs changed since they were read; nothing is adopted.

        Raises FileError if one of them can no longer be read: it may be half written.
        """
        changed = self._store.differing()
        for name, text in changed.items():
            if text is None and name in _REQUIRED:
                raise SessionError(f"{name} was removed outside the workbench; put it back.")
            if name in _READERS:
                _READERS[name](text or "")
        return tuple(changed)

    def refresh(self) -> tuple[str, ...]:
        """Adopt the changes of other programs; return the names of the changed files.

        Raises FileError if one of them can no longer be read.
        """
        changed = self._store.refresh()
        self.validate()
        return changed

    # --- history ------------------------------------------------------------------

    @property
    def history(self) -> tuple[JournaledChange, ...]:
        """The changes that can be undone, oldest first, across restarts."""
        return self._store.done

    @property
    def undone(self) -> tuple[JournaledChange, ...]:
        """The changes that can be done again; the last one is the next."""
        return self._store.undone

    def undo(self) -> JournaledChange | None:
        """Undo the last change in all its files; return it, or None if there is none."""
        return self._store.undo()

    def redo(self) -> JournaledChange | None:
        """Make the last undone change again; return it, or None if there is none."""
        return self._store.redo()

    # --- unsaved edits ------------------------------------------------------------

    @property
    def buffers(self) -> Mapping[str, Buffer]:
        """Texts that were edited but not saved, by the name under which they were kept."""
        return self._store.buffers()

    def save_buffer(self, name: str, text: str) -> None:
        """Keep the text of an editor as it is, so that quitting or a crash does not lose it.

        ``name`` is a file of the session or any other simple name. If the text equals the saved text of that
        file, the buffer is forgotten.
        """
        self._store.save_buffer(name, text)

    def drop_buffer(self, name: str) -> None:
        """Forget an unsaved text."""
        self._store.drop_buffer(name)

    # --- recorded model calls -----------------------------------------------------

    @property
    def calls(self) -> tuple[StoredCall, ...]:
        """The recorded calls of models, oldest first. A line that was cut off is left out.

        Raises FileError for a line that is no call.
        """
        from workbench.author.model.recording import StoredCall

        return read_records(self.path, CALLS, StoredCall)

    def append_call(self, record: Mapping[str, Json]) -> None:
        """Record one call of a model in ``calls.jsonl``, with keys and tokens removed."""
        if self.read_only:
            raise SessionError("The session is read-only; the call was not recorded.", exit_code=3)
        _append_record(self.path, CALLS, record)

    # --- GuardAgent ---------------------------------------------------------------

    @property
    def own_functions(self) -> tuple[tuple[str, str], ...]:
        """The name and text of each file of functions for guardrail code that ``session.toml`` names.

        Raises SessionError if one is missing.
        """
        from workbench.session.guardagent_file import read_functions

        return read_functions(self.path, self.info.guardagent.toolbox)

    @property
    def guarded(self) -> tuple[GuardAgentRecord, ...]:
        """GuardAgent's records of recorded calls, oldest first. A line that was cut off is left out.

        Raises FileError for any other line that is not such a record.
        """
        from workbench.session.guardagent_file import NAME, GuardAgentRecord

        return read_records(self.path, NAME, GuardAgentRecord)

    def append_guarded(self, record: GuardAgentRecord) -> None:
        """Append GuardAgent's record of a call to ``guardagent.jsonl``, with keys and tokens removed."""
        if self.read_only:
            raise SessionError("The session is read-only; GuardAgent's result was not kept.", exit_code=3)
        from workbench.session.guardagent_file import NAME

        line = cast("Mapping[str, Json]", record.model_dump(mode="json"))
        _append_record(self.path, NAME, line)

    # --- inside -------------------------------------------------------------------

    def _parsed[T](self, name: str, reader: Callable[[str], T]) -> T:
        return self._cached(name, self._store.text(name), reader)

    def _cached[T](self, name: str, key: object, reader: Callable[[str], T]) -> T:
        """The parsed file; it is read again only if its text or another dependency changed."""
        cached = self._cache.get(name)
        if cached is not None and cached[0] == key:
            return cast("T", cached[1])
        value = reader(self._store.text(name) or "")
        self._cache[name] = (key, value)
        return value


# --- the files of a session that are only appended to: one record per line, as JSON


def read_records[F: BaseModel](folder: Path, name: str, form: type[F]) -> tuple[F, ...]:
    """The records of a file, oldest first; a line that a crash cut off is left out.

    Raises FileError for any other line that is not such a record.
    """
    try:
        data = read_regular(inside(folder, name))
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise SessionError(f"{name} cannot be read: {error.strerror}.", exit_code=3) from error
    return tuple(
        read_form(form, record, TablePlace(name, line=number)) for number, record in json_objects(data)
    )


def _append_record(folder: Path, name: str, record: Mapping[str, Json]) -> None:
    """Add one record to a file, with keys and tokens removed."""
    path = inside(folder, name)
    try:
        append_line(path, json.dumps(redact_json(dict(record))).encode("ascii"), sync=True)
    except OSError as error:
        raise SessionError(f"{path} cannot be written: {error.strerror}.", exit_code=3) from error


def open_to_guard(path: Path) -> tuple[Session, str]:
    """The session as a guard reads it, and a sentence if it has nothing but its accepted version.

    The guard needs the accepted version alone, not what was changed before. Raises
    WorkbenchError if the folder is no session.
    """
    try:
        return Session(path, read_only=True, history=False), ""
    except WorkbenchError as broken:
        if not any((path / name).exists() for name in (session_files.SESSION, accepted_version.NAME)):
            raise
        session = Session(path, read_only=True, names=(accepted_version.NAME,), history=False)
        return session, str(broken)
