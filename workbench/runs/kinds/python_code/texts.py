"""Texts of the static reading of code: literals keep their place, computed parts become holes."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from itertools import product

from workbench.runs.kinds.python_code.values import Data, Hole, Origin, Piece, Text, Value, Values

_FIELD = re.compile(r"\{\{|\}\}|\{(?P<name>\w*)(?P<conversion>![sra])?(?::(?P<spec>[^{}]*))?\}|[{}]")
_PERCENT = re.compile(r"%(?:%|\((?P<name>\w+)\)(?P<named>[sdif])|[-+ #0]*\d*(?:\.\d+)?(?P<kind>[sdif])|)")
# Formats that write a number as a number, and a date as a date, without other characters.
_NUMBER_SPEC = re.compile(r"0?\d*(?:\.\d+)?[dfeg]")
DATE_FORMAT = re.compile(r"(?:%[YmdHMSjyfUWw]|[-/:., T])*")
_COMBINATIONS = 32
_LONGEST = 100_000
# Methods that compute a text from texts alone.
_COMPUTED_METHODS = frozenset(
    [
        "lower", "upper", "title", "capitalize", "casefold", "swapcase", "strip", "lstrip", "rstrip",
        "replace", "removeprefix", "removesuffix",
    ]
)  # fmt: skip
_ARGUMENTS: Mapping[str, tuple[int, int]] = {
    "strip": (0, 1), "lstrip": (0, 1), "rstrip": (0, 1), "replace": (2, 2), "removeprefix": (1, 1),
    "removesuffix": (1, 1),
}  # fmt: skip
_SAME_LENGTH = frozenset({"lower", "upper", "title", "capitalize", "casefold", "swapcase"})

type Place = tuple[int, int]


def located(value: str, place: Place, source: str) -> Text:
    """The text of a literal at the place; exact by character if the source contains the text unchanged."""
    start, end = place
    index = source.find(value) if value else -1
    if index >= 0:
        return Text((Piece(value, start + index, start + index + len(value), True),))
    return Text((Piece(value, start, end, False),)) if value else Text(())


def hole(place: Place, origin: Origin = Origin.COMPUTED) -> Text:
    """An unknown string with a known origin."""
    return Text((Hole(*place, origin),))


def concatenate(parts: list[Values], place: Place) -> Values:
    """Every combination of the possible parts in order; empty as long as a part has no value."""
    texts = [sorted({text_of(value, place) for value in values}, key=repr) for values in parts]
    count = 1
    for options in texts:
        count *= len(options)
    if count > _COMBINATIONS:
        return frozenset({hole(place)})
    return frozenset(join(combination, place) for combination in product(*texts))


def text_of(value: Value, place: Place) -> Text:
    """The text that ``str`` makes of a value; a container has to be turned into data before."""
    if isinstance(value, Text):
        return value
    return hole(place, value.origin if isinstance(value, Data) else Origin.COMPUTED)


def join(texts: tuple[Text, ...], place: Place) -> Text:
    """Strings one after the other; adjacent holes may form any text together."""
    pieces: list[Piece | Hole] = []
    for piece in (piece for text in texts for piece in text.pieces):
        last = pieces[-1] if pieces else None
        if isinstance(piece, Hole) and isinstance(last, Hole):
            origins = {piece.origin, last.origin}
            pieces[-1] = Hole(*place, Origin.NUMBER if origins == {Origin.NUMBER} else Origin.COMPUTED)
        elif isinstance(piece, Hole) or piece.text:
            pieces.append(piece)
    if sum(len(piece.text) for piece in pieces if isinstance(piece, Piece)) > _LONGEST:
        return hole(place)
    return Text(tuple(pieces))


def with_spec(values: Values, spec: str, conversion: str) -> Values:
    """The values after a conversion and a literal format."""
    if not spec and conversion in ("", "s"):
        return values
    return frozenset(_formatted(value, spec, conversion) for value in values)


def _formatted(value: Value, spec: str, conversion: str) -> Value:
    if isinstance(value, Data) and not conversion:
        if value.origin <= Origin.STORED and _NUMBER_SPEC.fullmatch(spec):
            return value
        if value.origin is Origin.PLAIN and DATE_FORMAT.fullmatch(spec):
            return value
    return Data(Origin.COMPUTED)


def percent(pattern: Text, arguments: list[Values] | None, value: Values, place: Place) -> Values:
    """The values of ``pattern % value``; ``arguments`` are the elements of a tuple of known length."""
    literal = pattern.literal
    if literal is None:
        return frozenset({hole(place)})
    operands = [value] if arguments is None else arguments
    parts: list[Values] = []
    position = count = 0
    for match in _PERCENT.finditer(literal):
        parts.append(frozenset({cut(pattern, position, match.start())}))
        position = match.end()
        kind = match["kind"]
        if match.group() == "%%":
            parts.append(frozenset({cut(pattern, match.start(), match.start() + 1)}))
        elif kind is None or count >= len(operands):
            return frozenset({hole(place)})
        else:
            if kind == "s":
                parts.append(operands[count] if match.group() == "%s" else frozenset({hole(place)}))
            else:
                # Only a number can be written so; any other value is an error.
                parts.append(frozenset({hole(place, Origin.NUMBER)}) if operands[count] else operands[count])
            count += 1
    parts.append(frozenset({cut(pattern, position, len(literal))}))
    return concatenate(parts, place)


def format_fields(text: str) -> Iterator[str]:
    """What the fields of a format text name, also within their own formats."""
    try:
        for _, name, spec, _ in string.Formatter().parse(text):
            if name is not None:
                yield name
                yield from format_fields(spec or "")
    except ValueError:
        # It cannot be filled in.
        return


def format_text(owner: Text, arguments: list[Values], named: Mapping[str, Values], place: Place) -> Values:
    """The values of ``owner.format(...)``: known only for a literal pattern with plain fields."""
    literal = owner.literal
    if literal is None:
        return frozenset({hole(place)})
    parts: list[Values] = []
    position = count = 0
    for match in _FIELD.finditer(literal):
        parts.append(frozenset({cut(owner, position, match.start())}))
        position = match.end()
        if match.group() in ("{{", "}}"):
            parts.append(frozenset({cut(owner, match.start(), match.start() + 1)}))
            continue
        key = match["name"]
        if key is None:
            # A field with an attribute or index of its value, or a stray brace.
            return frozenset({hole(place)})
        if not key or key.isdecimal():
            index = int(key) if key else count
            count += not key
            values = arguments[index] if index < len(arguments) else None
        else:
            values = named.get(key)
        if values is None:
            return frozenset({hole(place)})
        parts.append(with_spec(values, match["spec"] or "", (match["conversion"] or "").lstrip("!")))
    parts.append(frozenset({cut(owner, position, len(literal))}))
    return concatenate(parts, place)


def cut(text: Text, start: int, end: int) -> Text:
    """Characters of a known text, with their places."""
    pieces: list[Piece | Hole] = []
    offset = 0
    for piece in text.pieces:
        if not isinstance(piece, Piece):
            continue
        first, last = max(start - offset, 0), min(end - offset, len(piece.text))
        if first < last:
            if piece.exact:
                pieces.append(Piece(piece.text[first:last], piece.start + first, piece.start + last, True))
            else:
                pieces.append(Piece(piece.text[first:last], piece.start, piece.end, False))
        offset += len(piece.text)
    return Text(tuple(pieces))


def sliced(text: Text, start: int | None, stop: int | None, step: int | None) -> Text | None:
    """A slice of a known text; None if the text is not known."""
    literal = text.literal
    if literal is None or step == 0:
        return None
    first, last, stride = slice(start, stop, step).indices(len(literal))
    if stride == 1:
        return cut(text, first, max(first, last))
    place = text.place(0, len(literal))
    value = literal[start:stop:step]
    return Text((Piece(value, *place, False),)) if value else Text(())


def compute(owner: Text, name: str, arguments: list[str]) -> Text | None:
    """The result of a method of a known text with known arguments; None if the method is not computed."""
    literal = owner.literal
    fewest_arguments, most_arguments = _ARGUMENTS.get(name, (0, 0))
    if (
        literal is None
        or name not in _COMPUTED_METHODS
        or not fewest_arguments <= len(arguments) <= most_arguments
    ):
        return None
    value = getattr(literal, name)(*arguments)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    if name in _SAME_LENGTH and len(value) == len(literal) and len(owner.pieces) == 1:
        piece = owner.pieces[0]
        if isinstance(piece, Piece):
            return Text((Piece(value, piece.start, piece.end, piece.exact),))
    start = literal.find(value) if value else -1
    if start >= 0:
        return cut(owner, start, start + len(value))
    return Text((Piece(value, *owner.place(0, len(literal)), False),)) if value else Text(())


def split(owner: Text, name: str, arguments: list[str]) -> list[Text] | None:
    """The parts of a known text; None if they are not known."""
    literal = owner.literal
    if (
        literal is None
        or name not in ("split", "rsplit", "splitlines")
        or len(arguments) > 1
        or arguments == [""]
    ):
        return None
    if name == "splitlines" and arguments:
        return None
    separator = arguments[0] if arguments else None
    words = literal.splitlines() if name == "splitlines" else literal.split(separator)
    if name == "rsplit":
        words = literal.rsplit(separator)
    texts: list[Text] = []
    position = 0
    for word in words:
        start = literal.find(word, position)
        texts.append(cut(owner, start, start + len(word)))
        position = start + len(word)
    return texts


def only_literal(values: Values) -> str | None:
    """The literal text of the only possible value; None if there are several values or it is not known."""
    if len(values) == 1:
        (value,) = values
        if isinstance(value, Text):
            return value.literal
    return None
