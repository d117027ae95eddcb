"""The part of a text that a reading reads: all of it, or the value of a line ``KEY: value``.

Such a line is written by an application's template. Only a plain line gives a value. A line that a person
could take for one (another case or script, a wide colon, invisible characters, a list mark or a quote before
it) gives none. If its value differs from the plain line's, it is unknown which of them counts, and the value
is missing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace

from workbench.model import Provenance, Span, span_of
from workbench.runs.extract.options import Options
from workbench.runs.values.found_value import FoundValue, Missing


@dataclass(frozen=True, slots=True)
class TextRegion:
    """A part of a text; ``name`` is what a reason calls the text."""

    name: str
    whole: str
    start: int
    end: int

    @classmethod
    def of_whole(cls, text: str, name: str = "the text") -> TextRegion:
        """A whole text."""
        return cls(name, text, 0, len(text))

    @property
    def text(self) -> str:
        """The characters of the region."""
        return self.whole[self.start : self.end]

    def span(self, start: int, end: int) -> Span:
        """The span in the whole text of offsets in the region."""
        return span_of(self.whole, self.start + start, self.start + end)

    def provenance(self, method: str, start: int, end: int, confidence: float = 1.0) -> Provenance:
        """The provenance of characters of the region."""
        return Provenance(method, self.name, (self.span(start, end),), confidence)


type ReadsRegion = Callable[[TextRegion], FoundValue]
"""A reading of a text; it raises Missing if the text does not say the value."""


class RegionOptions:
    """The options ``field``, ``above`` and ``under``, which say what part of its text a reading reads."""

    def __init__(self, options: Options) -> None:
        """Read the options: the key of a ``Key: value`` line, and the lines that bound its part."""
        key = options.text("field")
        self._field = KeyLineReader(key, options) if key else None

    def of(self, region: TextRegion) -> TextRegion:
        """The part of a text; raises Missing if there is none, or there are two that differ."""
        return region if self._field is None else self._field.of(region)


# Characters that end a line for some reader, also in the visible form that imported texts have.
_LINE_ENDS = re.compile("[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029\u240b-\u240d\u241c-\u241e\ufffd]|<U\\+202[89]>")
# Invisible characters, in the visible form that imported texts have.
_INVISIBLE = re.compile(r"<U\+[0-9A-F]{4,6}>")
_MARK = ("Mn", "Cf", "Me")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
# ASCII characters that look alike.
_ALIKE = str.maketrans("1l053", "iiose")
_MARKS = r"(?:[^\w\n]|_)*+"
_SEPARATOR = r"(?:[:=\u02d0\u05c3\u1361\u205a\u2236\ua789\u2192\u21d2]|-+>|\bis\b)"
_FLAGS = re.MULTILINE | re.IGNORECASE | re.ASCII
_EDGES = "\"'`*_~>|,;. \t\u201c\u201d\u2018\u2019\u00ab\u00bb"


class KeyLineReader:
    """Finds the value of the only line of a key, in the part of a text that the session names."""

    def __init__(self, key: str, options: Options) -> None:
        """Take the key and the options ``above`` and ``under``, the keys of lines that bound the part.

        If the text has a line with such a key, the text on its other side does not count.
        """
        self._key = key
        self._plain = _plain(key)
        self._alike = _alike(key)
        self._above = options.text("above")
        self._under = options.text("under")

    def of(self, region: TextRegion) -> TextRegion:
        """The value in a region; raises Missing without a line, or if a similar line has another value."""
        part = self._part(region)
        matches = list(self._plain.finditer(part.text))
        if not matches:
            raise Missing(f"{region.name} has no line '{self._key}: ...'{self._where()}")
        values = {match.group(1) for match in matches}
        bare_values = {_bare(value) for value in values}
        if len(values) > 1 or any(
            bare_value != next(iter(bare_values)) for bare_value in self._bare_values(region.text)
        ):
            raise Missing(f"{region.name} has several lines '{self._key}: ...' with different values")
        start, end = matches[0].span(1)
        return replace(part, start=part.start + start, end=part.start + end)

    def _where(self) -> str:
        if self._above and self._under:
            return f" between the lines '{self._under}:' and '{self._above}:'"
        if self._above or self._under:
            return f" above the line '{self._above}:'" if self._above else f" under the line '{self._under}:'"
        return ""

    def _bare_values(self, text: str) -> set[str]:
        """The values of all lines that could be taken for a line of the key."""
        return {_bare(match.group(1)) for match in self._alike.finditer(_seen(text))}

    def _part(self, region: TextRegion) -> TextRegion:
        start, end = region.start, region.end
        if self._under:
            start = self._heading(region)
        if self._above:
            bound = _line_of(self._above).search(region.whole, start, end)
            end = bound.start() if bound is not None else end
        return replace(region, start=start, end=end)

    def _heading(self, region: TextRegion) -> int:
        """The end of the heading; raises Missing if several lines look like it: one may be forged."""
        pattern = re.compile(rf"^[ \t]*{_words(self._under)}[ \t]*[:=][ \t]*$", _FLAGS)
        match = pattern.search(region.whole, region.start, region.end)
        alike = _alike(self._under).findall(_seen(region.text))
        if len(alike) > (0 if match is None else 1):
            raise Missing(f"{region.name} has several lines that could be '{self._under}:'")
        return region.start if match is None else match.end()


def _words(key: str) -> str:
    """A pattern of the key; a space, ``_`` or ``-`` in it matches any of the three."""
    return r"[ _-]".join(re.escape(word) for word in re.split(r"[ _-]", key))


def _line_of(key: str) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*{_words(key)}[ \t]*[:=]", _FLAGS)


def _plain(key: str) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*{_words(key)}[ \t]*[:=][ \t]*(\S[^\n]*?)[ \t]*$", _FLAGS)


def _alike(key: str) -> re.Pattern[str]:
    """A pattern of lines that could be taken for a line of the key; its group is the value.

    It matches texts in the form of ``_seen``. A letter of another script matches any letter of the key.
    """
    letters = [character for character in _seen(key) if character.isalnum()]
    written = _MARKS.join(rf"(?:{re.escape(letter)}|(?![\x00-\x7f])[^\W_])" for letter in letters)
    return re.compile(rf"^{_MARKS}{written}(?:[^\w\n]|_)*?{_SEPARATOR}([^\n]*)$", re.MULTILINE)


def _seen(text: str) -> str:
    """The text as it looks: uniform line ends, no invisible characters, case or marks, look-alikes merged."""
    lines = _LINE_ENDS.sub("\n", text)
    folded = unicodedata.normalize("NFKD", _INVISIBLE.sub("", lines)).casefold()
    return _BEYOND_ASCII.sub(_shown, folded).translate(_ALIKE)


def _shown(character: re.Match[str]) -> str:
    """The character, or nothing if it is a mark; ASCII has no marks."""
    return "" if unicodedata.category(character[0]) in _MARK else character[0]


def _bare(value: str) -> str:
    """The value of a line, without quotes and marks around it."""
    return " ".join(_seen(value).strip(_EDGES).split())
