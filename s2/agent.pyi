"""The calls, records and context of the agent, for editors; `workbench stub` writes this file."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date as _date
from datetime import datetime
from datetime import time as _time
from decimal import Decimal
from typing import Any, Generic, Literal, TypeVar

_Earlier = TypeVar("_Earlier", covariant=True)

class Text(str):
    """A text of a call or of its run."""

    source: frozenset[str]
    """The places of the run that it came from, before its own call."""
    def source_before(self, call: _Outcome, /) -> frozenset[str]:
        """The places that it came from before this earlier call."""
    def sentences_with(self, value: str | int | Decimal, /) -> Text:
        """Its sentences in which this value stands."""

@dataclass(frozen=True)
class Call:
    """A call of any tool."""

    tool: str
    time: _Time

@dataclass(frozen=True)
class _Outcome:
    succeeded: bool
    failed: bool
    approved: bool
    result: Text

class _Time(datetime):
    """A point in time, with its parts."""

    @property
    def date(self) -> _date: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
    @property
    def time(self) -> _time: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
    @property
    def weekday(self) -> int: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]

class _Of(Generic[_Earlier]): ...
class _Record: ...

class Path(Text):
    """a path of a file system, without . and .. and doubled separators"""

    text: Text
    absolute: Text
    folder: Text
    name: Text
    suffix: Text
    names: frozenset[Text]
    inside: frozenset[Text]

@dataclass(frozen=True)
class ReadFile(Call, _Of[EarlierReadFile]):
    """Read one file of the repository."""

    tool: Literal["read_file"]
    path: Path

@dataclass(frozen=True)
class EarlierReadFile(ReadFile, _Outcome): ...

@dataclass(frozen=True)
class WriteFile(Call, _Of[EarlierWriteFile]):
    """Write a file."""

    tool: Literal["write_file"]
    path: Path
    content: Text

@dataclass(frozen=True)
class EarlierWriteFile(WriteFile, _Outcome): ...

class Command(Text):
    """a command of the shell: the programs that it starts with their words, the files and hosts that it
    names, and whether it hides something
    """

    text: Text
    started: tuple[StartedProgram, ...]
    programs: frozenset[Text]
    calls: frozenset[Text]
    flags: frozenset[Text]
    reads: tuple[Path, ...]
    writes: tuple[Path, ...]
    runs: tuple[Path, ...]
    trees: tuple[Path, ...]
    paths: tuple[Path, ...]
    history: bool
    hosts: frozenset[Text]
    variables: frozenset[Text]

@dataclass(frozen=True)
class StartedProgram:
    program: Text
    name: Text
    first: Text
    second: Text
    words: frozenset[Text]
    options: frozenset[Text]
    paths: tuple[Path, ...]

@dataclass(frozen=True)
class RunCommand(Call, _Of[EarlierRunCommand]):
    """Run a shell command in a directory."""

    tool: Literal["run_command"]
    command: Command
    cwd: Text | None

@dataclass(frozen=True)
class EarlierRunCommand(RunCommand, _Outcome): ...

class Url(Text):
    """where a URL leads: the host in IDNA form, the port also where it is not written"""

    text: Text
    scheme: Text
    host: Text
    port: int | None
    domains: frozenset[Text]
    is_address: bool
    has_userinfo: bool
    path: Text
    inside: frozenset[Text]
    query: Text

@dataclass(frozen=True)
class FetchUrl(Call, _Of[EarlierFetchUrl]):
    """Fetch a web page."""

    tool: Literal["fetch_url"]
    url: Url

@dataclass(frozen=True)
class EarlierFetchUrl(FetchUrl, _Outcome): ...

@dataclass(frozen=True)
class GitPush(Call, _Of[EarlierGitPush]):
    """Push a branch to a remote."""

    tool: Literal["git_push"]
    remote: Text
    branch: Text

@dataclass(frozen=True)
class EarlierGitPush(GitPush, _Outcome): ...

@dataclass(frozen=True)
class Context:
    """What the application says of the call."""

class Run:
    """The run of the agent before the call."""

    context: Context
    said: Text
    """All that the user has said in the run."""
    last_said: Text
    """What the user has said last."""
    first_said: Text
    """The first message of the user, which an application's template writes."""
    def earlier(self, *tools: type[_Of[_Earlier]]) -> tuple[_Earlier, ...]:
        """The earlier calls of these tools in the run, in order."""
    def last(self, calls: Iterable[_Earlier], /) -> _Earlier | Any:
        """The last of these calls; None if there is none."""
    def since(self, calls: Iterable[Call] | _Outcome, /) -> Run:
        """The part of the run after this call, or the last of these, or all of it."""
    def until(self, calls: Iterable[Call] | _Outcome, /) -> Run:
        """The part of the run before this call, or the first of these, or all of it."""
    def calls(self, *tools: type[_Of[_Earlier]]) -> tuple[_Earlier, ...]:
        """In a theorem: the calls of these tools in the whole run that were allowed."""
    def before(self, call: Call, /) -> Run:
        """In a theorem: the run as it was when this call was decided."""

def looked_up(record: _Record | None, /) -> bool:
    """Whether the run looked this record up, so that it is known or known to be absent."""
