"""Random programs that compute the names of the tables they load, to compare the texts with Python's."""

from __future__ import annotations

import random

from tests.runs.extract.pieces import pieces

_PIECES = pieces("computed.txt")


def computed_program(source: random.Random) -> str:
    """A program that loads the tables whose names it computes."""
    lines = [_filled(source, line, 2) for line in ("s = $t", "l = [$t, $t]")]
    for _ in range(source.randint(0, 4)):
        lines.append(_filled(source, source.choice(_PIECES["changes"]), source.randint(1, 3)))
        if source.random() < 0.5:
            lines.append(source.choice(("x = LoadDB(s)", "x = LoadDB(l[0])", "x = LoadDB(l[-1])")))
    lines.append(_filled(source, "x = LoadDB($t)", 3) if source.random() < 0.5 else "x = LoadDB(s)")
    return "\n".join(lines)


def _filled(source: random.Random, template: str, depth: int) -> str:
    parts = template.split("$")
    filled = [parts[0]]
    for part in parts[1:]:
        filled.append(_of_kind(source, part[0], depth - 1) + part[1:])
    return "".join(filled)


def _of_kind(source: random.Random, kind: str, depth: int) -> str:
    if kind == "n":
        return source.choice(_PIECES["numbers"])
    if kind == "p" or depth <= 0:
        literal = source.choice(_PIECES["literals"])
        return {"l": f"[{literal}, 'lab']", "q": source.choice(("s", "l[0]"))}.get(kind, literal)
    if kind == "q":
        return f"({_filled(source, source.choice(_PIECES['texts']), 1)})".replace("'", '"')
    return "(" + _filled(source, source.choice(_PIECES["lists" if kind == "l" else "texts"]), depth) + ")"
