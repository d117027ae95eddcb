"""``grants.toml``: what a person granted to the agent of a session, beside what its policy allows.

A grant opens a region: calls of one tool for which an expression of the dialect is true, or exactly the
arguments of one. There no rule of those that it overrides keeps a call from running. Grants that have ended
stay in the file, so that what ran by them can be explained. The file may come from anybody: its form is
strict, and who enforces it checks each grant as a policy is checked.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from workbench.clean_text import one_line
from workbench.files.regular import read_regular
from workbench.files.strict_reading import FileForm, TablePlace, parse_toml, read_form
from workbench.model import GrantScope, Json
from workbench.redact import redact
from workbench.session.atomic import encode, write_atomic
from workbench.session.session_error import SessionError
from workbench.session.store import Lock
from workbench.session.toml_json import table_of
from workbench.session.toml_text import Toml, render

NAME = "grants.toml"
MOST_GRANTS = 500
LONGEST = timedelta(days=366)
_MOST_BYTES = 2_000_000
_ID = re.compile(r"g[1-9][0-9]{0,5}")
_HEADING = """\
What a person granted to the agent, beside what the policy allows; 'workbench grant SESSION' lists it.
The workbench writes this file (workbench grant SESSION); if one grant here is wrong, none is in force."""


@dataclass(frozen=True, slots=True)
class Grant:
    """A grant: its region, the rules that it overrides, its scope, and who gave it when and why.

    ``region`` is an expression of the dialect, read in the policy of the accepted ``version``, which is named
    by its hash. If ``arguments`` is not empty, it is the JSON of the only arguments that lie in the region.
    ``overrides`` are names of rules; a rule of a baseline has the name of its session before it. ``run`` and
    ``instance`` name the run of a grant that is not for all runs.
    """

    id: str
    tool: str
    region: str
    overrides: tuple[str, ...]
    scope: GrantScope
    made: str
    expires: str
    by: str
    reason: str
    version: str
    arguments: str = ""
    run: str = ""
    instance: str = ""
    revoked: str = ""
    revoked_by: str = ""

    def was_in_force(self, moment: str) -> bool:
        """Whether it was in force at a moment; a time without a zone, or that cannot be read, is none."""
        at = moment_of(moment)
        made, expires = moment_of(self.made), moment_of(self.expires)
        revoked = moment_of(self.revoked) if self.revoked else None
        if at is None or made is None or expires is None or (self.revoked and revoked is None):
            return False
        return made <= at < expires and (revoked is None or at < revoked)

    def is_of_run(self, run: str, instance: str) -> bool:
        """Whether it is for calls of this run."""
        return self.scope is GrantScope.ALWAYS or (self.run, self.instance) == (run, instance)

    def has_arguments(self, arguments: Mapping[str, Json] | None) -> bool:
        """Whether a call with these arguments may lie in the region, as far as ``arguments`` says."""
        if not self.arguments:
            return True
        return arguments is not None and exact_text(arguments) == self.arguments


def moment_of(text: str) -> datetime | None:
    """The moment that a text names with its zone, else None."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def exact_text(arguments: Mapping[str, Json]) -> str:
    """The JSON text of arguments that only equal arguments have."""
    return json.dumps(dict(arguments), sort_keys=True, ensure_ascii=False)


class GrantsFile(FileForm):
    """``grants.toml``: what a person granted."""

    grant: tuple[Grant, ...] = ()


def read_grants(text: str) -> tuple[Grant, ...]:
    """The grants of a ``grants.toml``, oldest first. Raises FileError for the first mistake."""
    top = TablePlace(NAME, text)
    grants = read_form(GrantsFile, parse_toml(text, NAME), top).grant
    if len(grants) > MOST_GRANTS:
        raise top.error("grant", f"has more than {MOST_GRANTS} grants.", "Take out those that have ended.")
    ids: set[str] = set()
    for number, grant in enumerate(grants):
        _check(grant, ids, top.below("grant", number))
        ids.add(grant.id)
    return grants


def _check(grant: Grant, ids: set[str], place: TablePlace) -> None:
    if not _ID.fullmatch(grant.id) or grant.id in ids:
        raise place.error("id", f'"{one_line(grant.id)}" is no id, or is used twice.', 'Write "g1", "g2", …')
    for key, text in (("made", grant.made), ("expires", grant.expires), ("revoked", grant.revoked)):
        if (moment_of(text) is None or one_line(text) != text) and (text or key != "revoked"):
            raise place.error(key, f'"{key}" must be a time in UTC.', 'Write it as "2026-01-31T09:00:00Z".')
    made, expires = moment_of(grant.made), moment_of(grant.expires)
    assert made is not None and expires is not None
    if not timedelta(0) < expires - made <= LONGEST:
        raise place.error("expires", f"{grant.id} does not end within a year after it was made.")
    if grant.scope is not GrantScope.ALWAYS and not (grant.run and grant.instance):
        raise place.error("run", f"{grant.id} is for one run and does not name it.")
    if not grant.overrides:
        raise place.error("overrides", f"{grant.id} overrides no rule.", "Name the rules that asked.")
    for key, text in (("by", grant.by), ("reason", grant.reason), ("tool", grant.tool)):
        if not text.strip() or text != one_line(text):
            raise place.error(key, f'"{key}" of {grant.id} is not one line of plain text.')
    if grant.arguments and _exact(grant.arguments) != grant.arguments:
        raise place.error(
            "arguments", f'"arguments" of {grant.id} is not the JSON that the workbench writes.'
        )


def _exact(text: str) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    return exact_text(value) if isinstance(value, dict) else ""  # pyright: ignore[reportUnknownArgumentType]  of JSON


def load_grants(session: Path) -> tuple[Grant, ...]:
    """The grants of the session in a folder. Raises FileError or SessionError if they cannot be read."""
    try:
        data = read_regular(session.resolve() / NAME, _MOST_BYTES)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise SessionError(f"{NAME} cannot be read: {error.strerror or error}.") from None
    try:
        return read_grants(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise SessionError(f"{NAME} is not UTF-8.") from None


def claim_of(session: Path, grant: Grant) -> Path:
    """The file that says that a grant opens no more.

    A guard makes it before a call runs by a grant for one call, and where one for all runs has ended.
    """
    name = hashlib.sha256(f"{grant.made} {grant.instance}".encode()).hexdigest()[:16]
    return session.resolve() / ".workbench" / "used-grants" / f"{grant.id}-{name}"


@contextlib.contextmanager
def changing(session: Path) -> Generator[None]:
    """Hold the right to change the grants of a session, so that no change of another process is lost.

    Raises SessionError if another process holds it.
    """
    place = session.resolve() / ".workbench" / "grants.lock"
    try:
        place.parent.mkdir(exist_ok=True)
        lock = Lock.take(place)
    except OSError as error:
        raise SessionError(f"{NAME} cannot be changed: {error.strerror or error}.", exit_code=3) from error
    if lock is None:
        raise SessionError(f"Another process changes {NAME} now; try again.")
    with lock:
        yield


def store_grants(session: Path, grants: Iterable[Grant]) -> None:
    """Write the grants of the session in a folder, as a whole or not at all. Raises SessionError."""
    tables = [table_of(grant) for grant in grants]
    data: dict[str, Toml] = {"grant": tables} if tables else {}
    text = render(data, path=NAME, heading=_HEADING)
    if redact(text) != text:
        raise SessionError("The grant was not stored: what looks like a key is in it.")
    read_grants(text)
    try:
        write_atomic(session.resolve() / NAME, encode(text, NAME))
    except OSError as error:
        raise SessionError(f"{NAME} cannot be written: {error.strerror or error}.", exit_code=3) from error


def now() -> str:
    """The present moment, to the microsecond, so that what was decided just before it is told apart."""
    return datetime.now(UTC).isoformat()
