"""The forms with “only” as norms: their denials for all other subjects, actions or objects."""

from __future__ import annotations

from workbench.author.argument_terms import (
    all_of,
    any_of,
    conjuncts,
    element_listing,
    names,
    rendered,
    simplify,
    value_listing,
)
from workbench.author.rules.argument_binding import UnreadableError
from workbench.author.rules.coordination import is_joint
from workbench.author.rules.lexicon import is_action
from workbench.author.rules.norm_builder import Default, NormBuilder, StatementNorms, is_passive
from workbench.author.rules.norms import every_element, split_scope
from workbench.author.rules.phrase_conditions import Position
from workbench.author.rules.sentences import Chunk, SentenceWord
from workbench.policy.connectives import TRUE, is_true
from workbench.policy.terms import Term

_PLACING = frozenset(["in", "on", "at", "to", "for", "from", "with", "during", "by"])
"""Prepositions whose noun may be the place of a restriction, or part of the restricted thing."""
_SOMETHING: Chunk = (SentenceWord("WORD", "thing"),)


def only(build: NormBuilder, subject: Chunk, action: Chunk) -> StatementNorms:
    """Only the subject may do the action."""
    if is_passive(action):
        return _only_object(build, subject, action)
    subject_term, action_term = build.reader.about(subject, action, subject_denies=False, action_denies=True)
    if is_true(action_term):
        raise UnreadableError("it does not say what only they may do")
    build.check_roles(subject_term, action_term)
    return build.require(action_term, build.or_exception(subject_term))


def _parts(build: NormBuilder, subject: Chunk, action: Chunk) -> tuple[Term, Term, Term]:
    """The action of a passive sentence, the condition from its subject, and the condition from the rest."""
    phrases = build.reader.phrases
    _, whole = build.reader.about(subject, action, subject_denies=False, action_denies=False)
    subject_term, ended = build.reader.about(_SOMETHING, action, subject_denies=False, action_denies=True)
    named = phrases.read((*build.reader.verbs(action), *subject), Position.ACTION, denying=False)
    acted = conjuncts(all_of(subject_term, ended))
    if any(part not in conjuncts(whole) for part in (*acted, *conjuncts(named))):
        raise UnreadableError("it is open what “only” restricts")
    of = [part for part in conjuncts(named) if part not in acted]
    how = [part for part in conjuncts(whole) if part not in conjuncts(named)]
    return build.acts(whole), all_of(*of), all_of(*how)


def _only_object(build: NormBuilder, subject: Chunk, action: Chunk) -> StatementNorms:
    """“Only pending orders may be cancelled”: cancelling is denied for all others.

    “Only masked invoices may be exported” may apply to invoices alone, so a question asks about it.
    """
    acted, of, how = _parts(build, subject, action)
    if is_true(acted) or is_true(of):
        raise UnreadableError("it is open what “only” restricts")
    action_term = all_of(acted, how)
    wide = build.require(action_term, build.or_exception(every_element(of)))
    nouns = [part for part in conjuncts(of) if value_listing(part) or element_listing(part)]
    kinds = [part for part in conjuncts(of) if part not in nouns]
    if not (nouns and kinds) or isinstance(wide, Default):
        return wide
    narrow = build.require(all_of(action_term, *nouns), build.or_exception(all_of(*kinds)))
    assert not isinstance(narrow, Default)
    action_text, noun, kind = (
        rendered(simplify(term)) for term in (action_term, all_of(*nouns), all_of(*kinds))
    )
    return build.reader.doubts.way(
        [
            ((f"only where {noun} and {kind} is it allowed that {action_text}",), wide),
            ((f"where {noun}, only if {kind} is it allowed that {action_text}",), narrow),
        ]
    )


def _may_only_be(build: NormBuilder, subject: Chunk, action: Chunk) -> StatementNorms:
    """“Certificates may only be sent to members”, “Invoices may only be read”."""
    acted, of, how = _parts(build, subject, action)
    if is_true(acted):
        raise UnreadableError("it is open what “only” restricts")
    if not is_true(how):
        return build.require(all_of(acted, of), every_element(how))
    if is_true(of):
        raise UnreadableError("it is open what “only” restricts")
    return build.require(of, acted)


def may_only(build: NormBuilder, subject: Chunk, action: Chunk) -> StatementNorms:
    """The subject may do nothing but the action, or may do the action in no other way."""
    if is_passive(action):
        return _may_only_be(build, subject, action)
    subject_term, action_term = build.reader.about(subject, action, subject_denies=True, action_denies=False)
    lexicon = build.reader.lexicon
    build.check_roles(subject_term, action_term)
    action_term = every_element(action_term)
    scope, restriction = split_scope(lexicon, action_term)
    if is_true(restriction) or not any(is_action(lexicon.argument(name)) for name in names(scope)):
        return build.require(subject_term, action_term)
    # “may only send mail to X” forbids everything else, or only other mail
    readings = {
        "everything": build.require(subject_term, action_term),
        "object": build.require(all_of(subject_term, scope), restriction),
    }
    return build.reader.doubts.either("only", readings, action=scope, restriction=restriction)


def only_object(build: NormBuilder, subject: Chunk, action: Chunk, restriction: Chunk) -> StatementNorms:
    """The subject may do the action only with the named objects."""
    subject_term, action_term = build.reader.about(subject, action, subject_denies=True, action_denies=True)
    where = build.reader.phrases.read(restriction, Position.CONDITION, denying=False)
    build.check_roles(subject_term, all_of(action_term, where))
    return _only_with(build, restriction, all_of(subject_term, action_term), every_element(where))


def _only_with(build: NormBuilder, restriction: Chunk, action_term: Term, where: Term) -> StatementNorms:
    """“Apply only neem in the nursery” may be about the nursery alone, or forbid neem elsewhere.

    In the same way “order only organic vegetables” may be about vegetables alone, or forbid all else.
    """
    wide, parts = build.require(action_term, where), conjuncts(where)
    scope_parts = [part for part in parts if value_listing(part) or element_listing(part)]
    if len(scope_parts) == len(parts):
        placed = {word.text.lower() for word in restriction[1:]} & _PLACING
        first = set(names(parts[0]))
        scope_parts = [part for part in parts[1:] if placed and not first & set(names(part))]
    if not scope_parts or any(map(is_joint, restriction)) or isinstance(wide, Default):
        return wide
    named = [part for part in parts if part not in scope_parts]
    narrow = build.require(all_of(action_term, *scope_parts), all_of(*named))
    assert not isinstance(narrow, Default)
    action_text, only, of = (
        rendered(simplify(term)) for term in (action_term, all_of(*named), all_of(*scope_parts))
    )
    return build.reader.doubts.way(
        [
            ((f"only where {only} and {of} is it allowed that {action_text}",), wide),
            ((f"where {of}, only if {only} is it allowed that {action_text}",), narrow),
        ]
    )


def only_if(build: NormBuilder, subject: Chunk, action: Chunk, condition: Chunk) -> StatementNorms:
    """The subject may do the action only under a condition."""
    subject_term, action_term = build.reader.about(subject, action, subject_denies=True, action_denies=True)
    when = build.reader.condition(condition, denying=False) if condition else build.when
    build.check_roles(subject_term, all_of(action_term, when))
    if (unless := build.exception()) is not None:
        when = any_of(when, unless)
    if not condition:
        build.when = TRUE
    return build.require(all_of(action_term, subject_term), when)
