"""What the offline author cannot decide, as data: the candidates of a reading and what they are about.

A doubt is no question yet. ``workbench.clarify`` words it by the table of its kind in ``questions.toml``,
with a file of ``kinds`` where that needs more than words, and asks it only where the candidates differ
on some input.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from workbench.model import Doubt

# The answers with which a sentence is read on; a kind offers them as options.
CONTEXT = "context"
DIFFERENT = "different"
ALLOW = "allow"
DENY = "deny"
IGNORE = "ignore"
KEEP = "keep"
RUN = "run"
TRUE = "true"
FALSE = "false"
INCLUDED = "included"
EXCLUDED = "excluded"
BOTH = "both"
FORBID = "forbid"
PERMIT = "permit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread(Doubt):
    """A sentence that cannot be read, and why; its kind says what sort of trouble that is."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UncountedWindow(Doubt):
    """A limit on several actions whose window (``words``, or none named) no argument counts."""

    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Presupposed(Doubt):
    """Words of which the agent only knows a truth: the argument's name and description."""

    words: str
    argument: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss(Doubt):
    """A word that is close to some of the agent's words for one thing (``of``) without being one."""

    word: str
    near: tuple[str, ...]
    of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBound(Doubt):
    """A bound ("under 18") that may include its value; ``wide`` says that including it denies more."""

    argument: str
    word: str
    value: str
    wide: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CardContradiction(Doubt):
    """A card whose condition and message deny different inputs: both texts, and what each denies."""

    condition: str
    message: str
    condition_denies: str
    message_denies: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Incompatible(Doubt):
    """Two rules that together leave nothing allowed, by requirement and text."""

    first: str
    second: str
    texts: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NormConflict(Doubt):
    """A permission within a prohibition, by requirement and text."""

    permit: str
    forbid: str
    texts: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingElseSaid(Doubt):
    """No sentence says what holds where no other sentence speaks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingValue(Doubt):
    """A rule reads an optional argument, and nothing says what holds where it has no value."""

    argument: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reworded(Doubt):
    """A rule without effect that a person has said in other words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlyFocus(Doubt):
    """What "only" restricts: the action of the sentence, or everything; both as conditions."""

    action: str
    restriction: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlyIf(Doubt):
    """Whether "may X if C" forbids X where the condition does not hold."""

    condition: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Excepted(Doubt):
    """Whether "any X but Y may" forbids it to Y (``excepted``)."""

    action: str
    excepted: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedAndOr(Doubt):
    """How "a or b and c" belongs together: the wide and the narrow condition."""

    wide: str
    narrow: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeveralWays(Doubt):
    """The ways to take a sentence apart, each in plain statements; its values are their places."""

    ways: tuple[str, ...]


def slug(text: str) -> str:
    """A readable part of an identifier: lower case, words joined with hyphens."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")[:60] or "text"


def short_hash(text: str) -> str:
    """Eight hex digits that identify a sentence whatever its spacing and case."""
    return hashlib.sha256(" ".join(text.lower().split()).encode()).hexdigest()[:8]
