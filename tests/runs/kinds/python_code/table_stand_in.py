"""Stand-in tables of the shape of pandas that note the columns which a program really reads.

Only what ``agent_programs.txt`` uses is there. A selection that would be empty keeps one row, so that no
program ends before it has read what it asks for.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, cast
from unittest.mock import patch

from workbench.runs.sql.columns import read_sql

_ROWS = 8
_VALUES: Mapping[str, tuple[str, ...]] = {
    "gender": ("male", "female"),
    "ethnicity": ("asian", "hispanic"),
    "uniquepid": ("006-1", "006-12", "006-3", "006-9", "006-44"),
    "routeadmin": ("oral", "iv"),
    "celllabel": ("urine", "crystalloids"),
    "eventtype": ("lab", "room"),
    "labname": ("wbc", "sodium", "creatinine", "glucose", "potassium", "hemoglobin"),
    "diagnosisname": ("sepsis", "heart failure", "asthma"),
    "treatmentname": ("dialysis", "ventilation"),
}
_NUMBERS = re.compile(
    r"age|labresult|cost|temperature|sao2|heartrate|respiration|systemic\w+|admission[hw]eight"
    r"|dischargeweight|cellvaluenumeric|dosage"
)
_AGGREGATE = re.compile(r"\s*\w+\((.*)\)\s*")
_CONDITION = re.compile(r"\s*(\w+)\s*(?:<=|>=|!=|=|<|>)")


def _value(column: str, row: int) -> str:
    if _NUMBERS.fullmatch(column):
        return str(36 + row)
    if column.endswith("time"):
        return f"2104-0{row + 1}-01 10:00:00"
    values = _VALUES.get(column, (f"{column}-1", f"{column}-2"))
    return values[row % len(values)]


class Notes:
    """The columns that the present program has read."""

    def __init__(self, schema: Mapping[str, Sequence[str]]) -> None:
        """Take the tables with their columns."""
        self.schema = schema
        self.columns = set[str]()

    def read(self, tables: Iterable[str], column: str) -> None:
        """Note a reading; columns that the code has made are none of a table."""
        self.columns |= {f"{table}.{column}" for table in tables if column in self.schema[table]}


class Series:
    """A column, or what was computed of one; its values have labels."""

    def __init__(self, items: Iterable[Any], labels: Sequence[Any] = ()) -> None:
        """Take the values and their labels."""
        self._items = list(items)
        self._labels = list(labels) or list(range(len(self._items)))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, Series):
            return Series(item for item, chosen in zip(self, index, strict=True) if chosen)
        return self._items[index]

    def _each(self, other: Any, combine: Callable[[Any, Any], Any]) -> Series:
        others = other if isinstance(other, Series) else [other] * len(self)
        return Series(map(combine, self, others), self._labels)

    def __eq__(self, other: object) -> Any:
        return self._each(other, lambda a, b: a == b)

    def __lt__(self, other: Any) -> Any:
        return self._each(other, lambda a, b: a < b)

    def __and__(self, other: Any) -> Series:
        return self._each(other, lambda a, b: a and b)

    def __truediv__(self, other: Any) -> Series:
        return self._each(other, lambda a, b: a / b)

    def __pow__(self, other: Any) -> Series:
        return self._each(other, lambda a, b: a**b)

    def __hash__(self) -> int:
        return id(self)

    def __getattr__(self, name: str) -> Any:
        if name in ("values", "iloc", "str"):
            return self
        if name == "index":
            return Series(self._labels)
        raise AttributeError(name)

    def tolist(self) -> list[Any]:
        """The values."""
        return list(self)

    def unique(self) -> Series:
        """The different values."""
        return Series(dict.fromkeys(self))

    def nunique(self) -> int:
        """The number of different values."""
        return len(set(self))

    def astype(self, kind: Callable[[Any], Any]) -> Series:
        """The values in another type."""
        return self.apply(kind)

    def apply(self, function: Callable[[Any], Any]) -> Series:
        """What a function gives for each value."""
        return Series(map(function, self), self._labels)

    def isin(self, others: Iterable[Any]) -> Series:
        """Whether each value is one of the others."""
        others = list(others)
        return self.apply(lambda item: item in others)

    def contains(self, pattern: str) -> Series:
        """Whether each text has a match of the pattern."""
        return self.apply(lambda item: bool(re.search(pattern, item)))

    def sum(self) -> float:
        """The sum."""
        return sum(map(float, self))

    def mean(self) -> float:
        """The mean."""
        return self.sum() / max(1, len(self))

    def max(self) -> Any:
        """The greatest value."""
        return max(self._items)

    def count(self) -> int:
        """The number of values."""
        return len(self)

    def idxmax(self) -> Any:
        """The label of the greatest value."""
        return self._labels[self._items.index(self.max())]

    def value_counts(self) -> Series:
        """The number of each value."""
        counts = {item: self._items.count(item) for item in self}
        return Series(counts.values(), list(counts))

    def head(self, size: int) -> Series:
        """The first values."""
        return Series(self._items[:size], self._labels[:size])

    def dropna(self) -> Series:
        """The values that are there: all."""
        return self

    def fillna(self, _value: Any = None) -> Series:
        """The values, of which none is missing."""
        return self


class Row:
    """One row; each access to it is noted."""

    def __init__(self, notes: Notes, tables: Sequence[str], values: Mapping[str, Any]) -> None:
        """Take the values, and the tables that they are of."""
        self._notes, self._tables, self._values = notes, tables, values

    def __getitem__(self, column: str) -> Any:
        self._notes.read(self._tables, column)
        return self._values[column]

    def __getattr__(self, column: str) -> Any:
        if column.startswith("_") or column not in self._values:
            raise AttributeError(column)
        return self[column]

    def tolist(self) -> list[Any]:
        """All values."""
        return [self[column] for column in self._values]


class Frame:
    """A table; each access to it is noted."""

    def __init__(self, notes: Notes, tables: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
        """Take the rows, and the tables that they are of."""
        self._notes, self._tables, self._rows = notes, tables, list(rows)

    def _of(self, rows: Sequence[Mapping[str, Any]]) -> Frame:
        return Frame(self._notes, self._tables, rows)

    def column(self, name: str) -> Series:
        """A column, which is read."""
        self._notes.read(self._tables, name)
        return Series(row[name] for row in self._rows)

    def row(self, number: int) -> Row:
        """A row, of which nothing is read yet."""
        return Row(self._notes, self._tables, self._rows[number])

    def __iter__(self) -> Iterator[Row]:
        return map(self.row, range(len(self._rows)))

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, Series):
            chosen = [row for row, is_chosen in zip(self._rows, key, strict=True) if is_chosen]
            return self._of(chosen or self._rows[:1])
        if isinstance(key, list):
            names = cast("list[str]", key)
            for name in names:
                self.column(name)
            return self._of([{name: row[name] for name in names} for row in self._rows])
        return self.column(key)

    def __setitem__(self, name: str, values: Iterable[Any]) -> None:
        self._rows = [{**row, name: value} for row, value in zip(self._rows, values, strict=True)]

    def __getattr__(self, name: str) -> Any:
        if name in ("loc", "iloc"):
            return Cells(self)
        if name == "shape":
            return len(self._rows), len(self._rows[0])
        if name == "values":
            return [[self.row(number)[column] for column in row] for number, row in enumerate(self._rows)]
        if name.startswith("_") or name not in self._rows[0]:
            raise AttributeError(name)
        return self.column(name)

    def to_dict(self, orient: str) -> list[Row]:
        """The rows as dicts."""
        assert orient == "records"
        return list(self)

    def iterrows(self) -> Iterator[tuple[int, Row]]:
        """The rows with their numbers."""
        return enumerate(self)

    def itertuples(self) -> Iterator[Row]:
        """The rows."""
        return iter(self)

    def tail(self, size: int) -> Frame:
        """The last rows."""
        return self._of(self._rows[-size:])

    def sort_values(self, by: str | list[str], ascending: bool = True) -> Frame:
        """The rows in the order of columns."""
        names = [by] if isinstance(by, str) else by
        for name in names:
            self.column(name)
        ordered = sorted(self._rows, key=lambda row: [row[name] for name in names], reverse=not ascending)
        return self._of(ordered)

    def drop_duplicates(self, subset: list[str]) -> Frame:
        """The rows of which these columns differ."""
        for name in subset:
            self.column(name)
        return self

    def merge(self, other: Frame, on: str) -> Frame:
        """The rows of both tables."""
        self.column(on)
        other.column(on)
        both = [{**left, **right} for left in self._rows for right in other._rows]
        return Frame(self._notes, [*self._tables, *other._tables], both)

    def apply(self, function: Callable[[Row], Any], axis: int) -> Series:
        """What a function gives for each row."""
        assert axis == 1
        return Series(map(function, self))

    def groupby(self, by: str) -> Groups:
        """The groups by a column."""
        return Groups(self, self.column(by))


class Cells:
    """Selects rows, and columns of them."""

    def __init__(self, frame: Frame) -> None:
        """Take the table."""
        self._frame = frame

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            rows, column = cast("tuple[Any, str]", key)
            return self._frame[rows].column(column)
        return self._frame.row(key) if isinstance(key, int) else self._frame[key]


class Groups:
    """The groups of a table; each row is its own."""

    def __init__(self, frame: Frame, keys: Series) -> None:
        """Take the table, and the key of each row."""
        self._frame, self._keys = frame, keys

    def __getitem__(self, column: str) -> Groups:
        self._frame.column(column)
        return self

    def size(self) -> Series:
        """The number of rows of each group."""
        return Series([1] * len(self._keys), list(self._keys))

    sum = size


def columns_read(program: str, schema: Mapping[str, Sequence[str]]) -> set[str]:
    """Run a program of ours with the functions of a hospital's agent; the columns that it reads."""
    notes = Notes(schema)

    def load(name: str) -> Frame:
        columns = schema[name]
        rows = [{column: _value(column, row) for column in columns} for row in range(_ROWS)]
        return Frame(notes, [name], rows)

    def filtered(table: Frame, conditions: str) -> Frame:
        for condition in conditions.split("||"):
            match = _AGGREGATE.fullmatch(condition) or _CONDITION.match(condition)
            assert match is not None
            table.column(match[1])
        return table

    def value(table: Frame, columns: str) -> str:
        return str(table.column(columns.partition(",")[0].strip())[0])

    def query(text: str) -> list[tuple[str, str]]:
        frozen = tuple((table, tuple(columns)) for table, columns in schema.items())
        notes.columns.update(read_sql(text, frozen, "sqlite", frozenset[str]()).columns)
        return [("a", "1"), ("b", "2")]

    pandas = ModuleType("pandas")
    vars(pandas)["to_datetime"] = Series.fillna
    scope: dict[str, object] = {
        "LoadDB": load, "FilterDB": filtered, "GetValue": value, "SQLInterpreter": query,
    }  # fmt: skip
    with patch.dict(sys.modules, {"pandas": pandas}), contextlib.redirect_stdout(io.StringIO()):
        exec(compile(program, "<program>", "exec"), scope)  # noqa: S102  ours
    return notes.columns
