"""Search for the values of a call in earlier results: as a whole, or as any part of a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal

from workbench.model import Json, Provenance, RecordedCall
from workbench.runs.extract.options import Options
from workbench.runs.extract.result_parts import ResultParts, result_parts
from workbench.runs.values.call_paths import matches
from workbench.runs.values.coerce import shown
from workbench.runs.values.found_value import Absent, FoundValue, Missing
from workbench.runs.values.json_paths import Pattern

# The characters that delimit a value: "12" is not in "2012", nor "a.example" in "x@a.example.org".
_BEFORE = r"(?<![^\s\"'`\[\](){}<>,;:=|\u201c\u2018\u00ab])"
_AFTER = r"(?=[.:!?]*(?:$|[\s\"'`\[\](){}<>,;|\u201d\u2019\u00bb]))"
# A number with its currency; a comma between digits may be part of a longer number.
_NUMERAL = re.compile(
    rf"{_BEFORE}(?<!\d,)[$\u20ac\u00a3\u00a5]?"
    rf"([+-]?(?:\d{{1,30}}(?:\.\d{{1,30}})?|\.\d{{1,30}})(?:[eE][+-]?\d{{1,2}})?)\u20ac?{_AFTER}(?!,\d)",
    re.ASCII,
)


class Seen:
    """Searches for the values at a path of a call in the results of earlier calls.

    ``match`` is ``all`` (the results contain each value; the default) or ``any``. A value must appear as a
    whole: the characters before and after it end a word, an address or a number. With ``part = true`` it may
    also appear within other characters. With ``pattern`` it must equal a match of the pattern's first group.
    A number is compared by its value, however it is written.
    """

    def __init__(self, path: Pattern, options: Options) -> None:
        """Read the options ``match``, ``part`` and ``pattern``."""
        self._path = path
        self._any = options.choice("match") == "any"
        self._part = options.value("part") is True
        self._parts: ResultParts | None = result_parts(options)
        if self._part and self._parts is not None:
            raise options.error("part and pattern exclude each other: a pattern picks out whole fields")

    def find(self, call: RecordedCall, earlier: Sequence[RecordedCall]) -> FoundValue:
        """Whether these results contain the values of a call.

        Raises Absent if the call has no value at the path. Raises Missing for a value that is not a text or
        number, and if a result that could decide is not recorded.
        """
        placed_values = matches(call, self._path, every=True)
        if not placed_values or (None not in self._path and placed_values[0][0] is None):
            raise Absent("the call has no value at the path, so that there is nothing to be seen")
        places: list[Provenance] = []
        unseen = False
        unknown: Missing | None = None
        for value, place in placed_values:
            try:
                source = self._source(value, earlier)
            except Missing as missing:
                unknown = unknown or missing
                continue
            if source is None:
                unseen = True
                continue
            places += [place, Provenance(f"history (result of call {source.index})")]
            if self._any:
                return FoundValue(True, tuple(places))
        if unseen and not self._any:
            return FoundValue(False, tuple(place for _, place in placed_values))
        if unknown is not None:
            raise unknown
        return FoundValue(not self._any, tuple(places) or tuple(place for _, place in placed_values))

    def _source(self, value: Json, earlier: Sequence[RecordedCall]) -> RecordedCall | None:
        """The first call whose result has the value; raises Missing if only an unrecorded one may."""
        stands_in = _test(value, part=self._part)
        unknown: Missing | None = None
        for call in earlier:
            if call.result is None:
                where = f"the result of call {call.index}, in which the value may have been seen,"
                unknown = unknown or Missing(f"{where} is not recorded")
            elif self._parts is None:
                if stands_in(call.result):
                    return call
            elif any(_is(value, part) for part in self._parts(call.result)):
                return call
        if unknown is not None:
            raise unknown
        return None


def _test(value: Json, *, part: bool) -> Callable[[str], bool]:
    """The test whether a text contains the value; raises Missing for a value that cannot be searched for."""
    if isinstance(value, str) and value.strip():
        if part:
            return lambda text: value in text
        before = _BEFORE + (r"(?<!\d,)" if value[0].isdigit() else "")
        after = _AFTER + (r"(?!,\d)" if value[-1].isdigit() else "")
        whole = re.compile(f"{before}{re.escape(value)}{after}")
        return lambda text: whole.search(text) is not None
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = Decimal(str(value))
        return lambda text: any(Decimal(match[1]) == number for match in _NUMERAL.finditer(text))
    raise Missing(f"{shown(value)} is no text or number that could have been seen")


def _is(value: Json, part: str) -> bool:
    """Whether a field selected by a pattern is the value."""
    if isinstance(value, str):
        return part == value
    number = _NUMERAL.fullmatch(part.strip())
    return number is not None and Decimal(number[1]) == Decimal(str(value))
