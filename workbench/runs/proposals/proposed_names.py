"""Names of proposed records and arguments: from keys, tools and the names of lists."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence

from workbench.dialect.class_names import OF_RUN, RESERVED_CLASSES
from workbench.model import Kind, Tool
from workbench.policy.names import NONE
from workbench.runs.extract.propose import name_of, take_name
from workbench.runs.extract.tool_effects import effect_of, name_words
from workbench.runs.kinds.kinds_by_name import KINDS

_OF_AN_ID = re.compile(
    r"_?(ids?|number|numbers|no|nr|num|codes?|key|keys|uuid|guid|ref|reference|handle|login|slug)$"
)
_ID = re.compile(r"(^|_)(id|number|no|nr|num|code|key|uuid|guid|sku|iban|ref|reference|handle|login|slug)$")
_SAYS_LITTLE_WORDS = """
all any by details detail info information data status record records the of for from
"""
_SAYS_LITTLE = frozenset(_SAYS_LITTLE_WORDS.split())
_PLAIN_VERBS = frozenset(["get", "read", "find", "list", "search", "fetch", "show", "view", "look", "lookup"])
_IN_LISTS = {"list": "listed", "find": "found", "search": "found"}
_TYPES = {kind.value for kind in Kind}


def is_id(name: str) -> bool:
    """Whether a field is an id by its name."""
    return _ID.search(name_of((name,))) is not None


def stem_of(key: str) -> str:
    """The thing that an id identifies, by its name: ``reservation`` for ``reservation_id``; else empty."""
    name = name_of((key,))
    return _OF_AN_ID.sub("", name) if is_id(name) else ""


_IRREGULAR = {
    "children": "child", "people": "person", "men": "man", "women": "woman", "mice": "mouse",
    "media": "medium", "criteria": "criterion", "indices": "index", "matrices": "matrix",
    "vertices": "vertex", "analyses": "analysis", "diagnoses": "diagnosis", "prostheses": "prosthesis",
    "knives": "knife", "lives": "life", "leaves": "leaf", "shelves": "shelf", "halves": "half",
}  # fmt: skip


def singular(name: str) -> str:
    """The singular of a list's name."""
    before, under, last = name.rpartition("_")
    if last in _IRREGULAR:
        return f"{before}{under}{_IRREGULAR[last]}"
    for ending, singular_ending in (
        ("ies", "y"),
        ("sses", "ss"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("xes", "x"),
    ):
        if name.endswith(ending) and len(name) > len(ending) + 1:
            return name.removesuffix(ending) + singular_ending
    return (
        name[:-1] if name.endswith("s") and not name.endswith(("ss", "us", "is")) and len(name) > 2 else name
    )


def noun_of(tool: Tool) -> str:
    """The subject of a tool, by its name: ``budget`` for ``get_budget``."""
    words = [*name_words(tool.name)]
    if len(words) > 1 and "name begins" in effect_of(Tool(tool.name)).why:
        del words[0]
    about: list[str] = []
    for word in words:
        if about and word in ("by", "for", "of", "from", "in"):
            break
        if word not in _SAYS_LITTLE:
            about.append(word)
    return singular("_".join(about)) if about else ""


def record_name(key: str, tools: Sequence[Tool], looks_up: Tool | None) -> str:
    """The name of a record: from its key if a tool's name has that word too, else from the look-up's name."""
    stem = stem_of(key)
    nouns = [noun_of(tool) for tool in ([looks_up] if looks_up is not None else tools)]
    if stem and (
        len(tools) > 1 or any(word.startswith(stem[:-1]) for name in nouns for word in name.split("_"))
    ):
        return clean_name(stem)
    return clean_name(next((name for name in nouns if name), stem) or stem or "thing")


def other_name(name: str, tool: Tool) -> str:
    """Another name for a record: what the tool does with such a thing, as in ``query_estimate``.

    What is told of a thing in a list is a ``listed_mail``, or a ``found_mail``.
    """
    verb = next(iter(name_words(tool.name)), "")
    if verb in _IN_LISTS:
        return clean_name(f"{_IN_LISTS[verb]}_{name}")
    if verb and verb not in _PLAIN_VERBS and verb != name:
        return clean_name(f"{name}_{verb}")
    return clean_name(f"{name}_of_{tool.name}")


def free_field_name(path: Sequence[str], taken_names: set[str]) -> str:
    """A free name of a field at a path; adds it to ``taken_names``.

    What the last part says of the parts above it is not said twice: `address.address1` is `address1`, and
    `name.first_name` is `first_name`, unless another field has that name.
    """
    short = field_name(_without_repetition(path))
    return take_name(short if short not in taken_names else field_name(path), taken_names)


def _without_repetition(path: Sequence[str]) -> Sequence[str]:
    words = [name_of((part,)).strip("_").split("_") for part in path]
    said = {word.rstrip("0123456789") for word in words[-1]} if words else set[str]()
    for number, above in enumerate(words[:-1]):
        if {singular(word) for word in above} <= said:
            return (*path[:number], path[-1])
    return path


def field_name(path: Sequence[str]) -> str:
    """The name of a field at a path. A word of the dialect is allowed, because it follows a dot."""
    name = name_of(tuple(path))
    plain_name = name.removesuffix("_")
    if name != plain_name and not keyword.iskeyword(plain_name):
        return plain_name
    return f"{name}_" if name == NONE else name


def clean_name(name: str) -> str:
    """A name that a record may have: its class is free in a policy, and it can be read of a run."""
    plain_name = re.sub(r"[^a-z0-9]+", "_", name_of((name,)).lower()).strip("_") or "thing"
    class_name = "".join(word[:1].upper() + word[1:] for word in plain_name.split("_"))
    is_taken = plain_name in KINDS or plain_name in _TYPES or class_name in RESERVED_CLASSES
    is_taken |= plain_name in OF_RUN or keyword.iskeyword(plain_name) or keyword.iskeyword(class_name)
    return f"own_{plain_name}" if is_taken else plain_name
