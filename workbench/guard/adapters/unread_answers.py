"""The id of an answer that cannot be read as a whole: too long, too deep, or no JSON after all.

The client waits for it, so it is told that its request got no answer. Nothing else of the text is used.
"""

from __future__ import annotations

import json
import re
from typing import cast

from workbench.guard.adapters.strict_json import LONGEST_MESSAGE
from workbench.model import Json

_SCANNED = 1 << 16
TAIL = 400
"""How much of the end of a text that is too long is looked at."""
_ID = rb'"(?:[^"\\]|\\.){0,300}"|-?[0-9]{1,20}(?![0-9.eE])'
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}:]', re.DOTALL)
_VALUE = re.compile(rb"\s*(" + _ID + rb")\s*[,}]")
_LAST = re.compile(rb'[,{]\s*"id"\s*:\s*(' + _ID + rb")\s*\}\s*$")


def shortened(beginning: bytes, end: bytes) -> bytes:
    """A line that is too long, by its beginning and its end; the result is too long, too."""
    return beginning[: LONGEST_MESSAGE + 1] + end[-TAIL:]


def id_of_unread(data: bytes) -> Json:
    """The id of an answer, if it is near the beginning or at the end of its object; None if it is not found.

    A request or notification of the server has no such id.
    """
    depth = 0
    name = b""
    for token in _TOKEN.finditer(data, 0, _SCANNED):
        sign = token[0]
        if sign in b"[{":
            depth += 1
        elif sign in b"]}":
            depth -= 1
        elif sign == b":" and depth == 1:
            if name == b'"method"':
                return None
            value = _VALUE.match(data, token.end(), token.end() + TAIL) if name == b'"id"' else None
            if value is not None:
                return _parsed(value[1])
        name = sign if sign.startswith(b'"') else b""
    last = _LAST.search(data[-TAIL:]) if data.lstrip()[:1] == b"{" else None
    return None if last is None else _parsed(last[1])


def _parsed(text: bytes) -> Json:
    try:
        return cast("Json", json.loads(text))
    except ValueError:
        return None
