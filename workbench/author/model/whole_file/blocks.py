"""The fenced blocks of a reply in prose. The model's thinking before them is left out."""

from __future__ import annotations

import json
import re
from typing import cast

from workbench.author.model.reply_text import storable
from workbench.model import Json

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([A-Za-z]*)[^\n`]*\n(.*?)^[ \t]*\1[ \t]*$", re.M | re.S)
_OPEN = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.M)
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.S | re.I)
_NAMES = {"py": "python", "python3": "python", "": ""}


class NotUsable(ValueError):
    """A reply, or a part of one, that cannot be used; the message is for the model."""


def blocks(reply: str) -> dict[str, str]:
    """The fenced blocks of a reply by their language; of several with one language the last.

    Raises NotUsable for a block that does not end, because the reply was cut off.
    """
    text = _THINKING.sub("", reply).strip() + "\n"
    by_language: dict[str, str] = {}
    for match in _FENCE.finditer(text):
        name = match[2].lower()
        by_language[_NAMES.get(name, name)] = match[3]
    if len(_OPEN.findall(_FENCE.sub("", text))):
        raise NotUsable("The reply ends inside a block: it was cut off. Write less beside what is asked for.")
    return by_language


def block(reply: str, language: str) -> str:
    """The block of one language, or the only one; raises NotUsable if there is none."""
    by_language = blocks(reply)
    if language in by_language:
        return by_language[language]
    if len(by_language) == 1 and "" in by_language:
        return by_language[""]
    if not by_language and _looks_like(language, reply):
        return _THINKING.sub("", reply)
    raise NotUsable(f"The reply has no block ```{language} … ```.")


def _looks_like(language: str, reply: str) -> bool:
    text = _THINKING.sub("", reply).strip()
    return (
        text.startswith(("{", "["))
        if language == "json"
        else language == "python" and re.search(r"^def \w+\(", text, re.M) is not None
    )


def line(text: str) -> str:
    """A model's sentence on one line, without control characters for terminals and editors."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def read_json(text: str, source: str) -> Json:
    """A JSON text; raises NotUsable with what is wrong with it."""
    try:
        return cast("Json", storable(json.loads(text)))
    except (ValueError, RecursionError) as error:
        raise NotUsable(f"{source} is no JSON: {str(error)[:200]}.") from None
