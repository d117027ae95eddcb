"""``accepted.toml``: the version of a session that a person accepted, which guards enforce.

It has whole texts: a guard needs nothing else of the session, so it decides as accepted while the session is
edited, stale or broken. The file may come from anybody. Its form is strict, a hash covers all of it, and who
enforces it checks the texts as they check those of a session.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.clean_text import one_line
from workbench.files.strict_reading import TablePlace, parse_toml, read_form
from workbench.model import AgentSpec, Demonstration
from workbench.session import agent_file, session_files
from workbench.session.atomic import digest
from workbench.session.session_error import SessionError
from workbench.session.session_files import SessionInfo
from workbench.session.toml_json import table_of
from workbench.session.toml_text import render

if TYPE_CHECKING:
    from workbench.dialect.lowered_policy import LoweredPolicy
    from workbench.policy.terms import PolicyTerms

NAME = "accepted.toml"
POLICY = "policy.py"
REQUEST = "request.md"
_HEADING = """\
The version of this session that was accepted: live guards, exported files and the MCP guard enforce it.
The workbench writes this file (workbench check SESSION --accept); commit it with policy.py."""
_UTC = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|\+00:00)"
_ALWAYS = (POLICY, agent_file.NAME, session_files.SESSION)
_SOMETIMES = (session_files.MEMORY, REQUEST)
DECIDING = (REQUEST, agent_file.NAME, session_files.ASSUMPTIONS, POLICY, session_files.SESSION)
"""The files of a session from which its decisions follow in any case."""


@dataclass(frozen=True)
class AcceptedVersion:
    """``accepted.toml``: the version of a session that guards enforce.

    ``texts`` are the texts that a guard reads, by the names of the session's files. ``agent.toml`` has every
    argument of the policy there, also those that were drafted from the request; those of a policy of calls
    follow from it. ``anyway`` names what was not
    good and accepted anyway. ``files`` has a fingerprint of each file of the session from which the decisions
    follow, as it was when the version was accepted, with the ``accepted.toml`` of each baseline by its path
    from the session's folder, and ``logs`` the names of the logs that it had then.
    """

    when: str
    by: str
    sha256: str = ""
    anyway: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    logs: tuple[str, ...] = ()

    @property
    def unchanged(self) -> bool:
        """Whether the hash is that of everything else in the file."""
        return self.sha256 == _hash(self)

    @property
    def short_hash(self) -> str:
        """The first characters of the hash, by which people tell versions apart."""
        return self.sha256[:12]

    @property
    def words(self) -> str:
        """The words that name it: when and by whom it was accepted, and its hash."""
        return f"{self.when} by {self.by}, {self.short_hash}"

    @property
    def request(self) -> str:
        """The guard request as clarified; empty unless GuardAgent guards, which reads it."""
        return self.texts.get(REQUEST, "")

    @cached_property
    def spec(self) -> AgentSpec:
        """The agent spec with every argument of the policy. Raises FileError if it cannot be read."""
        return replace(self._agent, arguments=self._lowered.arguments)

    @cached_property
    def _agent(self) -> AgentSpec:
        return agent_file.read_agent(self.texts[agent_file.NAME])

    @property
    def terms(self) -> PolicyTerms:
        """The checked policy. Raises PolicyError if it is not in the dialect."""
        return self._lowered.terms

    @cached_property
    def _lowered(self) -> LoweredPolicy:
        """What the policy of calls comes to."""
        from workbench.dialect.lowered_policy import lowered_policy

        return lowered_policy(self.texts[POLICY], self._agent, POLICY)

    def lowered_without(self, rules: Collection[str]) -> LoweredPolicy:
        """What the policy of calls comes to without these rules. Raises PolicyError for a bad one."""
        from workbench.dialect.lowered_policy import lowered_calls

        calls = self._lowered.calls
        return lowered_calls(
            replace(calls, rules=tuple(rule for rule in calls.rules if rule.name not in rules))
        )

    @cached_property
    def info(self) -> SessionInfo:
        """The name of the session, and its guards. Raises FileError if it cannot be read."""
        return session_files.read_info(self.texts[session_files.SESSION])

    @cached_property
    def demonstrations(self) -> tuple[Demonstration, ...]:
        """The memory elements that an extraction or GuardAgent reads. Raises FileError."""
        return session_files.read_memory(self.texts.get(session_files.MEMORY, ""))

    @property
    def own_functions(self) -> tuple[tuple[str, str], ...]:
        """The name and text of each file of functions for guardrail code. Raises SessionError."""
        names = self.info.guardagent.toolbox
        if missing := [name for name in names if name not in self.texts]:
            raise SessionError(f"{NAME} has no text of {missing[0]}, which its session.toml names.")
        return tuple((name, self.texts[name]) for name in names)

    def differing(self, text_of: Callable[[str], str]) -> tuple[str, ...]:
        """The names of the files whose present text is not the one from which the version was accepted."""
        return tuple(name for name, sha in self.files.items() if fingerprint(text_of(name)) != sha)


def is_of_baseline(name: str) -> bool:
    """Whether a name in ``files`` is that of the accepted version of a session that this one extends."""
    return name.endswith(f"/{NAME}") and name == one_line(name) and not name.startswith("/")


def fingerprint(text: str) -> str:
    """The fingerprint of a file of the session in ``files``."""
    return digest(text)


def _hash(version: AcceptedVersion) -> str:
    logs = ((log_name(name), "log") for name in version.logs)
    covered = (
        version.when, version.by, version.anyway,
        sorted(version.texts.items()), sorted([*version.files.items(), *logs]),
    )  # fmt: skip
    return hashlib.sha256(json.dumps(covered).encode()).hexdigest()


def log_name(name: str) -> str:
    """How a log of the session is named to a person, and among the files that the hash covers."""
    return f"logs/{name}"


def accepted_version(
    when: str,
    by: str,
    texts: Mapping[str, str],
    files: Mapping[str, str],
    anyway: Sequence[str] = (),
    logs: Sequence[str] = (),
) -> AcceptedVersion:
    """An accepted version with its hash."""
    version = AcceptedVersion(when, by, anyway=tuple(anyway), texts=texts, files=files, logs=tuple(logs))
    return replace(version, sha256=_hash(version))


def read_accepted_version(text: str) -> AcceptedVersion | None:
    """The accepted version of an ``accepted.toml``; None if the text is empty.

    The hash and the texts are not checked here: a wrong one leaves the session readable, and a guard denies.
    """
    if not text.strip():
        return None
    top = TablePlace(NAME, text)
    version = read_form(AcceptedVersion, parse_toml(text, NAME), top)
    if not re.fullmatch(_UTC, version.when):
        raise top.error("when", '"when" must be a time in UTC.', 'Write it as "2026-01-31T09:00:00Z".')
    for table, names, needed in (("texts", version.texts, _ALWAYS), ("files", version.files, DECIDING)):
        if missing := [name for name in needed if name not in names]:
            raise top.error(table, f"{missing[0]} is missing in [{table}].", "Accept the session again.")
    for table, names, needed in (
        ("texts", version.texts, (*_ALWAYS, *_SOMETIMES)),
        ("files", version.files, (*DECIDING, *_SOMETIMES)),
    ):
        for name in names:
            if name in needed or (table == "files" and is_of_baseline(name)):
                continue
            if not session_files.is_function_file(name):
                raise top.below(table).error(
                    name, f'"{name}" is no file that a guard reads.', "Accept the session again."
                )
    if strange := [name for name in version.logs if name != one_line(name) or "/" in name or not name]:
        raise top.error("logs", f"{one_line(strange[0])!r} is no name of a log.", "Accept the session again.")
    return version


def write_accepted_version(version: AcceptedVersion) -> str:
    """The text of ``accepted.toml``; equal versions give equal text."""
    return render(table_of(version, always=("texts", "files")), path=NAME, heading=_HEADING)
