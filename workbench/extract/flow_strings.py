"""Strings of the static data flow: literals keep their place, what is computed becomes a hole."""

from __future__ import annotations

import ast
import re
from itertools import product

from workbench.extract.code_text import Program
from workbench.extract.flow_values import DATA, FlowValue, FlowValues, Hole, Many, Piece, Text

_FIELD = re.compile(r"\{\{|\}\}|\{(?P<name>\w*)(?P<rest>[^{}]*)\}")
_PERCENT = re.compile(r"%(?:%|\((?P<name>\w+)\)[sdrif]|[-+ #0]*\d*(?:\.\d+)?[sdrif])")
_SAME_LENGTH = {"lower": str.lower, "upper": str.upper}
_COMBINATIONS = 32

type Place = tuple[int, int]


class Strings:
    """Builds the possible values of string expressions."""

    def __init__(self, program: Program) -> None:
        """Take the program that the places are in."""
        self._program = program

    def constant(self, node: ast.Constant) -> FlowValues:
        """A literal of the code; only strings are of interest."""
        if not isinstance(node.value, str):
            return DATA
        return frozenset({self._located(node.value, self._program.place(node))})

    def _located(self, value: str, place: Place) -> Text:
        start, end = place
        source = self._program.source(start, end)
        index = source.find(value) if value else -1
        if index >= 0:
            return Text((Piece(value, start + index, start + index + len(value), True),))
        return Text((Piece(value, start, end, False),))

    def concatenate(self, parts: list[FlowValues], place: Place) -> FlowValues:
        """Every combination of the possible parts, one after the other."""
        texts = [
            sorted({_text_of(value, place) for value in values}, key=repr) or [_hole(place)]
            for values in parts
        ]
        count = 1
        for options in texts:
            count *= len(options)
        if count > _COMBINATIONS:
            return frozenset({_hole(place)})
        return frozenset(_join(combination) for combination in product(*texts))

    def add(self, left: FlowValue, right: FlowValue, place: Place) -> FlowValue:
        """``left + right`` where one of them is a string."""
        return _join((_text_of(left, place), _text_of(right, place)))

    def percent(self, pattern: Text, value: FlowValue, place: Place) -> FlowValue:
        """``pattern % value``."""
        values = list(value.ordered) if isinstance(value, Many) and value.ordered is not None else None
        pieces: list[Piece | Hole] = []
        count = 0
        for piece in pattern.pieces:
            if isinstance(piece, Hole):
                return _hole(place)
            position = 0
            for match in _PERCENT.finditer(piece.text):
                pieces.append(_cut(piece, position, match.start()))
                position = match.end()
                if match.group() == "%%":
                    pieces.append(Piece("%", piece.start, piece.end, False))
                    continue
                if match["name"]:
                    filler = _hole(place)
                elif values is not None:
                    filler = _single(values[count], place) if count < len(values) else _hole(place)
                else:
                    filler = _text_of(value, place) if count == 0 else _hole(place)
                count += 1
                pieces.extend(filler.pieces)
            pieces.append(_cut(piece, position, len(piece.text)))
        return _tidy(pieces)

    def method(
        self, owner: Text, name: str, arguments: list[FlowValues], named: dict[str, FlowValues], place: Place
    ) -> FlowValues:
        """The result of a method of a string."""
        if name == "format":
            return frozenset({self._format(owner, arguments, named, place)})
        if name == "join" and len(arguments) == 1:
            return frozenset({self._joined(owner, arguments[0], place)})
        literal = owner.literal
        plain = [_only_literal(values) for values in arguments]
        if literal is None or named or any(item is None for item in plain):
            return frozenset({_hole(place)}) if name in _KEEPS_STRING else DATA
        return self._computed(owner, literal, name, [item for item in plain if item is not None], place)

    def _computed(
        self, owner: Text, literal: str, name: str, arguments: list[str], place: Place
    ) -> FlowValues:
        """A method of a known string with known arguments is computed."""
        if name in _SAME_LENGTH and not arguments and len(owner.pieces) == 1:
            piece = owner.pieces[0]
            value = _SAME_LENGTH[name](literal)
            if isinstance(piece, Piece) and len(value) == len(literal):
                return frozenset({Text((Piece(value, piece.start, piece.end, piece.exact),))})
        whole = owner.place(0, len(literal))
        if name in ("strip", "lstrip", "rstrip") and len(arguments) <= 1:
            value = {"strip": literal.strip, "lstrip": literal.lstrip, "rstrip": literal.rstrip}[name](
                *arguments
            )
            return frozenset({self._located(value, whole)})
        if name == "replace" and len(arguments) == 2:
            return frozenset({Text((Piece(literal.replace(arguments[0], arguments[1]), *whole, False),))})
        if name == "split" and len(arguments) <= 1 and arguments != [""]:
            words = literal.split(arguments[0] if arguments else None)
            parts = tuple(frozenset[FlowValue]({self._located(word, whole)}) for word in words)
            return frozenset({Many(frozenset(value for part in parts for value in part), parts)})
        return frozenset({_hole(place)}) if name in _KEEPS_STRING else DATA

    def _format(
        self, owner: Text, arguments: list[FlowValues], named: dict[str, FlowValues], place: Place
    ) -> FlowValue:
        pieces: list[Piece | Hole] = []
        count = 0
        for piece in owner.pieces:
            if isinstance(piece, Hole):
                return _hole(place)
            position = 0
            for match in _FIELD.finditer(piece.text):
                pieces.append(_cut(piece, position, match.start()))
                position = match.end()
                if match.group() in ("{{", "}}"):
                    pieces.append(Piece(match.group()[0], piece.start, piece.end, False))
                    continue
                key = match["name"]
                values: FlowValues | None = None
                if not match["rest"]:
                    if not key or key.isdecimal():
                        index = int(key) if key else count
                        values = arguments[index] if index < len(arguments) else None
                    else:
                        values = named.get(key)
                count += 1
                pieces.extend(_single(values, place).pieces if values is not None else _hole(place).pieces)
            pieces.append(_cut(piece, position, len(piece.text)))
        return _tidy(pieces)

    def _joined(self, owner: Text, values: FlowValues, place: Place) -> FlowValue:
        if len(values) == 1:
            (value,) = values
            if isinstance(value, Many) and value.ordered is not None:
                texts: list[Text] = []
                for index, part in enumerate(value.ordered):
                    texts.extend([owner] if index else [])
                    texts.append(_single(part, place))
                return _join(tuple(texts))
        return _hole(place)


_KEEPS_STRING = frozenset(
    [
        "lower", "upper", "title", "capitalize", "casefold", "swapcase", "strip", "lstrip", "rstrip",
        "replace", "removeprefix", "removesuffix", "zfill", "center", "ljust", "rjust", "expandtabs",
        "translate", "format", "join",
    ]
)  # fmt: skip


def _hole(place: Place) -> Text:
    return Text((Hole(*place),))


def _text_of(value: FlowValue, place: Place) -> Text:
    return value if isinstance(value, Text) else _hole(place)


def _single(values: FlowValues, place: Place) -> Text:
    """The only possible string, or a hole."""
    if len(values) == 1:
        (value,) = values
        return _text_of(value, place)
    return _hole(place)


def _only_literal(values: FlowValues) -> str | None:
    if len(values) == 1:
        (value,) = values
        if isinstance(value, Text):
            return value.literal
    return None


def _cut(piece: Piece, start: int, end: int) -> Piece:
    if piece.exact:
        return Piece(piece.text[start:end], piece.start + start, piece.start + end, True)
    return Piece(piece.text[start:end], piece.start, piece.end, False)


def _join(texts: tuple[Text, ...]) -> Text:
    return _tidy([piece for text in texts for piece in text.pieces])


def _tidy(pieces: list[Piece | Hole]) -> Text:
    return Text(tuple(piece for piece in pieces if isinstance(piece, Hole) or piece.text))
