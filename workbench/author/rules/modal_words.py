"""Words of requests that negate, permit, oblige, restrict and condition, as named sets of patterns.

These words decide how a sentence is read and which rules are offered for it. If a module's list differs from
a set, the module states the difference as a set expression, with its reason. ``any_of`` makes a regular
expression.
"""

from __future__ import annotations

from collections.abc import Iterable

from workbench.author.rules.words import phrase_set, word_set


def any_of(patterns: Iterable[str]) -> str:
    """The regular expression, as a group of its own, for any of the patterns; longer ones are tried first."""
    return f"(?:{'|'.join(sorted(patterns, key=lambda pattern: (-len(pattern), pattern)))})"


PERMISSION_VERBS = word_set("may can")
DUTY_VERBS = word_set("must should shall")
MODAL_VERBS = PERMISSION_VERBS | DUTY_VERBS
REMOTE_MODAL_VERBS = word_set("could might")
"""Forms that permit, or only report a possibility: “could you refund”, “if it could not be delivered”."""
DEMANDING_VERBS = phrase_set("needs?, requires?, has to, have to")

VERB_NEGATIONS = word_set(r"not never cannot \w+n['’]t")
"""Words that negate a verb; the last one is any contraction."""
SUBJECT_NEGATIONS = word_set("no nobody nothing")
"""Words that negate the subject or object of a sentence."""
NEGATIONS = VERB_NEGATIONS | SUBJECT_NEGATIONS | word_set("none nowhere neither nor without")

NEGATED_CONTRACTIONS = word_set("cannot can['’]t mustn['’]t shouldn['’]t")
NEGATED_MODALS = NEGATED_CONTRACTIONS | {f"{any_of(MODAL_VERBS | {'could'})} (?:not|never)"}
"""Modal verbs that forbid what follows; “might not” forbids nothing."""
NEGATED_COMMANDS = phrase_set("never, do not, don['’]t")
"""Beginnings of a command that forbids."""

FORBIDDING = word_set("forbidden prohibited disallowed banned")
"""Adjectives that forbid their noun."""
ALLOWING = word_set("allowed permitted possible fine okay ok acceptable")
"""Adjectives that allow their noun."""
RESTRICTIONS = word_set("only solely exclusively")

EXCEPTIONS = word_set("unless except")
CONDITIONS = EXCEPTIONS | word_set("if when whenever while until once after before")
"""Words that begin a condition, an exception or a time."""
CONDITION_PHRASES = phrase_set("as long as, in case")
