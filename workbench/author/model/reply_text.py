"""Reading the JSON data in a model's reply; thinking, fences and prose around it are left out.

The data has to be one object of the requested form. If two different objects fit, none is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.author.model.errors import BadReply, shown_line

if TYPE_CHECKING:
    from pydantic import BaseModel

_MOST_STARTS = 200
_THINKING = re.compile(
    r"\s*<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)|\s*\[THINK\].*?(?:\[/THINK\]|\Z)", re.S | re.I
)
# If the template itself begins the thinking, only the end mark of the thinking is in the reply.
_THINKING_ENDS = re.compile(r"</(?:think|thinking)>|\[/THINK\]|<\|channel\|>final<\|message\|>", re.I)
_FORMLESS = ("missing", "extra_forbidden", "model_type", "model_attributes_type")


def without_thinking(reply: str) -> str:
    """A reply without the thinking before it; nothing is left if the thinking never ends."""
    if reply.lstrip().startswith(("{", "```")):
        return reply
    text = reply
    while match := _THINKING.match(text):
        text = text[match.end() :]
    ends = list(_THINKING_ENDS.finditer(text))
    if ends and "{" not in text[: ends[0].start()].split("```")[0].lstrip()[:1]:
        text = text[ends[-1].end() :]
    return text


def parse_reply[T: BaseModel](text: str, reply_type: type[T], purpose: str) -> T:
    """The JSON object in a reply as ``reply_type``; raises BadReply if there is none that fits, or two."""
    answer = without_thinking(text)
    if not 0 <= answer.find("{") < answer.rfind("}"):
        raise BadReply(
            f"The model's reply for {purpose!r} holds no JSON object.", text, "It holds no JSON object.",
            formless=True,
        )  # fmt: skip
    fitting: list[T] = []
    first: Exception | None = None
    for candidate in _objects(answer):
        try:
            parsed = reply_type.model_validate(candidate)
        except (ValueError, RecursionError) as error:
            first = first or error
            continue
        if parsed not in fitting:
            fitting.append(parsed)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        message = f"The model's reply for {purpose!r} holds two objects of the asked form that differ."
        raise BadReply(message, text, "It holds two objects of the asked form that differ; give one.")
    where, formless = _misfit(first)
    message = f"The model's reply for {purpose!r} does not have the asked form{where}."
    raise BadReply(message, text, f"It does not have the asked form{where}.", formless=formless) from first


def _misfit(error: Exception | None) -> tuple[str, bool]:
    """The place where a reply differs from its form, and whether it seems to have quite another form."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return "", True
    problem = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(map(str, problem["loc"])) or "the top"
    return f" {shown_line(f'at {where}: {problem["msg"]}')}", problem["type"] in _FORMLESS


def _objects(text: str) -> Iterator[object]:
    """The outermost JSON objects in a text, in order."""
    decoder = json.JSONDecoder(object_pairs_hook=_once)
    start = text.find("{")
    for _ in range(_MOST_STARTS):
        if start < 0:
            return
        try:
            value, end = decoder.raw_decode(text, start)
            storable(value)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield value
        start = text.find("{", end)


def storable[T](data: T) -> T:
    """The data of a reply; raises ValueError for a lone surrogate, which no file can store."""
    json.dumps(data, ensure_ascii=False).encode()
    return data


def whole_characters(text: str) -> str:
    """The text with surrogate pairs joined, and lone surrogates replaced by a mark."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The object of these pairs; raises ValueError for a repeated key, whose value would be ambiguous."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key appears twice in an object")
    return members
