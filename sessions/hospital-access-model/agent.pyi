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
    role: Literal["physician", "nursing", "general administration"]
    """the role that the user logged in with Only of Run.first_said."""

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

class Code(Text):
    """code of Python: the functions, modules and files that it names, and whether it hides what runs"""

    text: Text
    imports: frozenset[Text]
    names: frozenset[Text]
    attributes: frozenset[Text]
    calls: tuple[CodeCall, ...]
    files: tuple[CodeFile, ...]
    columns: frozenset[Text]
    tables: frozenset[Text]

@dataclass(frozen=True)
class CodeCall:
    name: Text
    texts: frozenset[Text]
    named: frozenset[Text]

@dataclass(frozen=True)
class CodeFile:
    path: Text
    inside: frozenset[Text]
    way: Literal["read", "write"]

@dataclass(frozen=True)
class RunPython(Call, _Of[EarlierRunPython]):
    """Runs Python that may call LoadDB, FilterDB, GetValue, SQLInterpreter, Calculate and Calendar."""

    tool: Literal["run_python"]
    code: Code

@dataclass(frozen=True)
class EarlierRunPython(RunPython, _Outcome): ...

class Sql(Text):
    """statements of SQL: what they read and show, what limits it, and what they change"""

    text: Text
    kinds: frozenset[Text]
    statements: int
    reads: frozenset[Text]
    writes: frozenset[Text]
    columns: frozenset[Text]
    functions: frozenset[Text]
    uses: tuple[SqlUse, ...]
    conditions: tuple[SqlCondition, ...]
    periods: tuple[SqlPeriod, ...]
    limit: int | None
    shown: frozenset[Text]
    limited: frozenset[Text]

@dataclass(frozen=True)
class SqlUse:
    table: Text
    column: Text
    way: Literal["plain", "picked", "aggregate", "counted", "tested", "key", "filter"]
    functions: frozenset[Text]
    first: int | None
    bands: int | None
    grouped: bool
    by_group: bool
    group_rows: int
    conditions: frozenset[Text]

@dataclass(frozen=True)
class SqlCondition:
    table: Text
    column: Text
    operator: Text
    value: Text

@dataclass(frozen=True)
class SqlPeriod:
    table: Text
    column: Text
    since: _Time | None
    until: _Time | None

@dataclass(frozen=True)
class RunSql(Call, _Of[EarlierRunSql]):
    """Runs one SQL query on the ten databases."""

    tool: Literal["run_sql"]
    code: Sql

@dataclass(frozen=True)
class EarlierRunSql(RunSql, _Outcome): ...

@dataclass(frozen=True)
class Act(Call, _Of[EarlierAct]):
    """Runs the Python that stands in the answer."""

    tool: Literal["act"]
    code: Code

@dataclass(frozen=True)
class EarlierAct(Act, _Outcome): ...

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
