"""The answers of an author's doubts, and the parts of their ids.

A doubt becomes a question only if its answers differ on some input. The entry for its kind in
``questions.toml`` words the question, with a file of ``workbench.clarify.kinds`` if that needs code.
"""

from __future__ import annotations

import hashlib
import re

from workbench.model import Doubt, Span

UNDECIDED = ""
"""The default of a doubt of which no answer is safe."""

# The answers by which a sentence is read; the wording offers them as options.
CONTEXT = "context"
BY_HAND = "by-hand"
IS_RULE = "rule"
NOTHING = "nothing"
DIFFERENT = "different"
ALLOW = "allow"
DENY = "deny"
IGNORE = "ignore"
KEEP = "keep"
TRUE = "true"
FALSE = "false"
INCLUDED = "included"
EXCLUDED = "excluded"
BOTH = "both"
FIRST = "first"
SECOND = "second"
FORBID = "forbid"
PERMIT = "permit"

SENTENCE_KINDS = (
    "boundary",
    "conflict",
    "contradiction",
    "mixed",
    "only",
    "only-if",
    "parts",
    "spared",
)
"""The beginnings of the ids of doubts about the readings of one or two sentences; words follow."""


def slug(text: str) -> str:
    """A readable part of an identifier: lower case, words joined with hyphens."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")[:60] or "text"


def short_hash(text: str) -> str:
    """Eight hex digits that identify a sentence whatever its spacing and case."""
    return hashlib.sha256(" ".join(text.lower().split()).encode()).hexdigest()[:8]


def rewrite_id(quote: str) -> str:
    """The id of the doubt that asks for a sentence in other words."""
    return f"rewrite:{short_hash(quote)}"


def rewrite(quote: str, span: Span) -> Doubt:
    """The doubt about a sentence for which no reading is meant."""
    return Doubt(
        id=rewrite_id(quote),
        kind="rewrite",
        quote=quote,
        span=span,
        values=(CONTEXT,),
        default=UNDECIDED,
        blocking=True,
        free_text=True,
    )


def without_effect_id(quote: str) -> str:
    """The id of the question about a rule that has no effect."""
    return f"without-effect:{short_hash(quote)}"


def without_effect(quote: str, span: Span) -> Doubt:
    """The doubt about a rule that changes no decision; it can be said in other words."""
    return Doubt(
        id=without_effect_id(quote),
        kind="without-effect",
        quote=quote,
        span=span,
        values=(KEEP,),
        default=KEEP,
        free_text=True,
    )
