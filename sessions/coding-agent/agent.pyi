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
class Bash(Call, _Of[EarlierBash]):
    """Run a command of the shell."""

    tool: Literal["Bash"]
    command: Command
    description: Text | None
    timeout: Decimal | None
    run_in_background: bool | None
    dangerouslyDisableSandbox: bool | None
    cwd: Text | None
    """the folder in which the client is, from its event"""

@dataclass(frozen=True)
class EarlierBash(Bash, _Outcome): ...

@dataclass(frozen=True)
class Read(Call, _Of[EarlierRead]):
    """Read a file."""

    tool: Literal["Read"]
    file_path: Path
    offset: int | None
    limit: int | None
    pages: Text | None
    cwd: Text | None
    """the folder in which the client is, from its event"""

@dataclass(frozen=True)
class EarlierRead(Read, _Outcome): ...

@dataclass(frozen=True)
class Write(Call, _Of[EarlierWrite]):
    """Write a file."""

    tool: Literal["Write"]
    file_path: Path
    content: Text
    cwd: Text | None
    """the folder in which the client is, from its event"""

@dataclass(frozen=True)
class EarlierWrite(Write, _Outcome): ...

@dataclass(frozen=True)
class Edit(Call, _Of[EarlierEdit]):
    """Replace a text in a file."""

    tool: Literal["Edit"]
    file_path: Path
    old_string: Text
    new_string: Text
    replace_all: bool | None
    cwd: Text | None
    """the folder in which the client is, from its event"""

@dataclass(frozen=True)
class EarlierEdit(Edit, _Outcome): ...

@dataclass(frozen=True)
class DeleteFile(Call, _Of[EarlierDeleteFile]):
    """Delete a file; Codex does so by a patch."""

    tool: Literal["DeleteFile"]
    file_path: Path
    cwd: Text | None
    """the folder in which the client is, from its event"""

@dataclass(frozen=True)
class EarlierDeleteFile(DeleteFile, _Outcome): ...

@dataclass(frozen=True)
class Glob(Call, _Of[EarlierGlob]):
    """List the files whose names fit a pattern."""

    tool: Literal["Glob"]
    pattern: Text
    path: Path | None
    cwd: Text | None
    """the folder in which the client is, from its event"""

@dataclass(frozen=True)
class EarlierGlob(Glob, _Outcome): ...

@dataclass(frozen=True)
class Grep(Call, _Of[EarlierGrep]):
    """Search text in files, also in hidden ones; it passes over those that git ignores."""

    tool: Literal["Grep"]
    pattern: Text
    path: Path | None
    glob: Text | None
    type: Text | None
    output_mode: Text | None
    after: Decimal | None
    before: Decimal | None
    around: Decimal | None
    context: Decimal | None
    numbers: bool | None
    ignore_case: bool | None
    only_matching: bool | None
    head_limit: Decimal | None
    offset: Decimal | None
    multiline: bool | None
    cwd: Text | None
    """the folder in which the client is, from its event"""

@dataclass(frozen=True)
class EarlierGrep(Grep, _Outcome): ...

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
class WebFetch(Call, _Of[EarlierWebFetch]):
    """Read a page."""

    tool: Literal["WebFetch"]
    url: Url
    prompt: Text

@dataclass(frozen=True)
class EarlierWebFetch(WebFetch, _Outcome): ...

@dataclass(frozen=True)
class WebSearch(Call, _Of[EarlierWebSearch]):
    """Search the web."""

    tool: Literal["WebSearch"]
    query: Text
    allowed_domains: tuple[Text, ...]
    blocked_domains: tuple[Text, ...]

@dataclass(frozen=True)
class EarlierWebSearch(WebSearch, _Outcome): ...

@dataclass(frozen=True)
class Agent(Call, _Of[EarlierAgent]):
    """Give a task to a subagent, whose calls are guarded too."""

    tool: Literal["Agent"]
    description: Text | None
    prompt: Text
    subagent_type: Text | None
    model: Text | None
    run_in_background: bool | None
    isolation: Text | None

@dataclass(frozen=True)
class EarlierAgent(Agent, _Outcome): ...

@dataclass(frozen=True)
class Skill(Call, _Of[EarlierSkill]):
    """Load instructions."""

    tool: Literal["Skill"]
    skill: Text
    args: Text | None

@dataclass(frozen=True)
class EarlierSkill(Skill, _Outcome): ...

@dataclass(frozen=True)
class TodoWrite(Call, _Of[EarlierTodoWrite]):
    """Keep a list of what is to do."""

    tool: Literal["TodoWrite"]

@dataclass(frozen=True)
class EarlierTodoWrite(TodoWrite, _Outcome): ...

@dataclass(frozen=True)
class TaskCreate(Call, _Of[EarlierTaskCreate]):
    """Add to the list of what is to do."""

    tool: Literal["TaskCreate"]
    subject: Text
    description: Text
    activeForm: Text | None

@dataclass(frozen=True)
class EarlierTaskCreate(TaskCreate, _Outcome): ...

@dataclass(frozen=True)
class TaskGet(Call, _Of[EarlierTaskGet]):
    """Show what is to do."""

    tool: Literal["TaskGet"]
    taskId: Text

@dataclass(frozen=True)
class EarlierTaskGet(TaskGet, _Outcome): ...

@dataclass(frozen=True)
class TaskList(Call, _Of[EarlierTaskList]):
    """List what is to do."""

    tool: Literal["TaskList"]

@dataclass(frozen=True)
class EarlierTaskList(TaskList, _Outcome): ...

@dataclass(frozen=True)
class TaskOutput(Call, _Of[EarlierTaskOutput]):
    """Read what a command in the background wrote."""

    tool: Literal["TaskOutput"]
    task_id: Text
    block: bool | None
    timeout: Decimal | None

@dataclass(frozen=True)
class EarlierTaskOutput(TaskOutput, _Outcome): ...

@dataclass(frozen=True)
class TaskStop(Call, _Of[EarlierTaskStop]):
    """End a command in the background."""

    tool: Literal["TaskStop"]
    task_id: Text | None
    shell_id: Text | None

@dataclass(frozen=True)
class EarlierTaskStop(TaskStop, _Outcome): ...

@dataclass(frozen=True)
class TaskUpdate(Call, _Of[EarlierTaskUpdate]):
    """Change the list of what is to do."""

    tool: Literal["TaskUpdate"]
    taskId: Text
    subject: Text | None
    description: Text | None
    activeForm: Text | None
    status: Text | None
    addBlocks: tuple[Text, ...]
    addBlockedBy: tuple[Text, ...]
    owner: Text | None

@dataclass(frozen=True)
class EarlierTaskUpdate(TaskUpdate, _Outcome): ...

@dataclass(frozen=True)
class ExitPlanMode(Call, _Of[EarlierExitPlanMode]):
    """Show the plan to the person."""

    tool: Literal["ExitPlanMode"]
    plan: Text | None

@dataclass(frozen=True)
class EarlierExitPlanMode(ExitPlanMode, _Outcome): ...

@dataclass(frozen=True)
class AskUserQuestion(Call, _Of[EarlierAskUserQuestion]):
    """Ask the person."""

    tool: Literal["AskUserQuestion"]

@dataclass(frozen=True)
class EarlierAskUserQuestion(AskUserQuestion, _Outcome): ...

@dataclass(frozen=True)
class UpdateTopic(Call, _Of[EarlierUpdateTopic]):
    """Say what the work is about; Gemini CLI."""

    tool: Literal["update_topic"]
    title: Text | None
    summary: Text | None
    strategic_intent: Text | None
    wait_for_previous: bool | None

@dataclass(frozen=True)
class EarlierUpdateTopic(UpdateTopic, _Outcome): ...

@dataclass(frozen=True)
class UpdatePlan(Call, _Of[EarlierUpdatePlan]):
    """Keep a plan; Codex."""

    tool: Literal["update_plan"]

@dataclass(frozen=True)
class EarlierUpdatePlan(UpdatePlan, _Outcome): ...

@dataclass(frozen=True)
class Context:
    """What the application says of the call."""

    folders: tuple[Text, ...]

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
