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
    exit_code: int
    """Only of RunShell.result."""

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
    """Read a text file."""

    tool: Literal["read_file"]
    path: Path
    """absolute, or relative to the checkout"""
    start_line: int | None
    end_line: int | None

@dataclass(frozen=True)
class EarlierReadFile(ReadFile, _Outcome): ...

@dataclass(frozen=True)
class SearchCode(Call, _Of[EarlierSearchCode]):
    """Search text in files."""

    tool: Literal["search_code"]
    query: Text
    path: Path | None
    """folder or file; whole checkout if left out"""
    regex: bool | None

@dataclass(frozen=True)
class EarlierSearchCode(SearchCode, _Outcome): ...

@dataclass(frozen=True)
class WriteFilesFilesItem:
    path: Path
    content: Text
    mode: Literal["create", "overwrite"] | None
    """create fails if the file exists; default overwrite"""

@dataclass(frozen=True)
class WriteFiles(Call, _Of[EarlierWriteFiles]):
    """Write one or more files."""

    tool: Literal["write_files"]
    files: tuple[WriteFilesFilesItem, ...]
    note: Text | None

@dataclass(frozen=True)
class EarlierWriteFiles(WriteFiles, _Outcome): ...

@dataclass(frozen=True)
class DeletePath(Call, _Of[EarlierDeletePath]):
    """Delete a file or folder."""

    tool: Literal["delete_path"]
    path: Path
    recursive: bool | None

@dataclass(frozen=True)
class EarlierDeletePath(DeletePath, _Outcome): ...

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
    environment: frozenset[Text]

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
class RunShell(Call, _Of[EarlierRunShell]):
    """Run a bash command in the checkout."""

    tool: Literal["run_shell"]
    command: Command
    timeout_s: int | None

@dataclass(frozen=True)
class EarlierRunShell(RunShell, _Outcome): ...

class Version(Text):
    """a version of a package, by semantic versioning, or a range that is not exact"""

    text: Text
    exact: bool
    major: int | None
    minor: int | None
    patch: int | None
    tag: Text

@dataclass(frozen=True)
class InstallPackagesPackagesItem:
    name: Text
    version: Version | None

@dataclass(frozen=True)
class InstallPackages(Call, _Of[EarlierInstallPackages]):
    """Add packages to the project."""

    tool: Literal["install_packages"]
    manager: Literal["npm", "pip", "apt"]
    packages: tuple[InstallPackagesPackagesItem, ...]
    dev: bool | None

@dataclass(frozen=True)
class EarlierInstallPackages(InstallPackages, _Outcome): ...

@dataclass(frozen=True)
class GitCommit(Call, _Of[EarlierGitCommit]):
    """Commit changes."""

    tool: Literal["git_commit"]
    message: Text
    paths: tuple[Path, ...]
    """all changed files if left out"""

@dataclass(frozen=True)
class EarlierGitCommit(GitCommit, _Outcome): ...

@dataclass(frozen=True)
class GitPush(Call, _Of[EarlierGitPush]):
    """Push a branch."""

    tool: Literal["git_push"]
    remote: Text | None
    """default origin"""
    branch: Text
    force: bool | None

@dataclass(frozen=True)
class EarlierGitPush(GitPush, _Outcome): ...

@dataclass(frozen=True)
class OpenPullRequestReviewersItem:
    login: Text
    required: bool | None

@dataclass(frozen=True)
class OpenPullRequest(Call, _Of[EarlierOpenPullRequest]):
    """Open a pull request."""

    tool: Literal["open_pull_request"]
    title: Text
    head: Text
    base: Text
    body: Text | None
    reviewers: tuple[OpenPullRequestReviewersItem, ...]

@dataclass(frozen=True)
class EarlierOpenPullRequest(OpenPullRequest, _Outcome): ...

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
class HttpRequest(Call, _Of[EarlierHttpRequest]):
    """Fetch a page."""

    tool: Literal["http_request"]
    url: Url
    method: Literal["GET", "HEAD", "POST", "PUT", "DELETE"] | None
    body: Text | None

@dataclass(frozen=True)
class EarlierHttpRequest(HttpRequest, _Outcome): ...

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
