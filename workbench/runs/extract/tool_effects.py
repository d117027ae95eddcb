"""Whether a tool changes something: by its server's declaration, its name, its description."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from workbench.model import Tool

_READS_WORDS = """
browse calculate check compare compute count describe estimate fetch find get inspect list look
lookup peek preview query read retrieve search select show summarize think validate verify view
"""
_READS = frozenset(_READS_WORDS.split())
_CHANGES_WORDS = """
add approve archive assign block book buy cancel change charge close commit create delete disable
drop edit enable execute export grant insert install invite issue mark merge modify move open order
patch pay post publish push put refund register reject remove rename reschedule reserve reset
restore revoke schedule sell send set share start stop submit transfer update upload write
"""
_CHANGES = frozenset(_CHANGES_WORDS.split())
# Words that mostly mean reading. But a query may delete, and selecting or verifying may book.
_MAY_CHANGE = frozenset({"query", "select", "validate", "verify"})
# What such a tool is given goes to somebody, and stays as it is.
_PASSES_ON = frozenset({"forward", "mention", "notify", "print", "quote"})
# What is gone afterwards cannot be looked up again.
_REMOVES = frozenset({"delete", "destroy", "discard", "erase", "purge", "remove", "trash"})
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_PREFIX = re.compile(r"^mcp__.+?__")


class CallEffect(Enum):
    """The effect of a call of a tool on the world."""

    READS = auto()
    CHANGES = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class ToolEffect:
    """The effect of a tool, and its reason: the tail of a sentence that begins with the tool's name."""

    effect: CallEffect
    why: str

    @property
    def reads(self) -> bool:
        """Whether the tool certainly only reads, as far as its declaration, name or description shows."""
        return self.effect is CallEffect.READS


def name_words(name: str) -> tuple[str, ...]:
    """The words of a tool's name in lower case, without the name of a server before it."""
    return tuple(word.lower() for word in _WORD.findall(_PREFIX.sub("", name)))


def effect_of(tool: Tool) -> ToolEffect:
    """The effect of a tool. Its declaration counts before its name, and its name before its description."""
    if tool.reads_only is not None:
        effect = CallEffect.READS if tool.reads_only else CallEffect.CHANGES
        return ToolEffect(
            effect, "is declared to read only" if tool.reads_only else "is declared to change things"
        )
    return _effect_said(tool.name, tool.description[:200])


@lru_cache(maxsize=4096)
def _effect_said(name: str, description: str) -> ToolEffect:
    for where, text_words in (
        ("name begins", name_words(name)),
        ("description begins", name_words(description)),
    ):
        first = text_words[0] if text_words else ""
        for word in (first, first.removesuffix("s"), first.removesuffix("es")):
            if word in _CHANGES:
                return ToolEffect(CallEffect.CHANGES, f'changes things (its {where} with "{first}")')
            if word in _READS:
                return ToolEffect(CallEffect.READS, f'only reads (its {where} with "{first}")')
    return ToolEffect(CallEffect.UNKNOWN, "may change it (neither its name nor its description says)")


def passes_on(tool: Tool) -> bool:
    """Whether a tool only gives a thing to somebody by its name, and is not declared to change anything."""
    return tool.reads_only is None and next(iter(name_words(tool.name)), "") in _PASSES_ON


def removes(tool: Tool) -> bool:
    """Whether a tool removes something by its name, so that nothing can be looked up of it afterwards."""
    return next(iter(name_words(tool.name)), "") in _REMOVES


def may_be_called_unasked(tool: Tool) -> bool:
    """Whether a guard may call the tool by itself: by its name it reads, and it is not declared to change.

    A declaration or a description alone is not enough. Both come with a list of tools, and its server can
    write anything there.
    """
    words = name_words(tool.name)
    return (
        tool.reads_only is not False
        and effect_of(Tool(tool.name)).reads
        and not {words[0], words[0].removesuffix("s")} & _MAY_CHANGE
    )
