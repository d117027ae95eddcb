"""The forms of the grammar as norms: what “only”, “may only”, “must” and their like deny."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

from workbench.author.argument_terms import (
    ALWAYS,
    all_of,
    any_of,
    conjuncts,
    element_listing,
    names,
    negate,
    rendered,
    simplify,
    value_listing,
)
from workbench.author.rules.binding import UnreadableError
from workbench.author.rules.coordination import is_joint
from workbench.author.rules.lexicon import is_action
from workbench.author.rules.norms import Effect, Norm, disjoint, every_element, split_scope
from workbench.author.rules.phrase_conditions import Phrases, Position
from workbench.author.rules.sentences import NOT, Chunk, SentenceWord, is_statement, names_any
from workbench.model import Kind
from workbench.policy.terms import (
    Compare,
    Comparison,
    Term,
)

if TYPE_CHECKING:
    from workbench.author.rules.readings import SentenceReader


_PLACING = frozenset(["in", "on", "at", "to", "for", "from", "with", "during", "by"])
"""Prepositions whose noun may say where a restriction holds, or be part of what it names."""
EVERYONE: Chunk = (SentenceWord("WORD", "user"),)
_OF_NOUNS = frozenset(["WORD", "AND", "OR", "NUMBER", "MONEY", "COMPARATOR", "WITHOUT", "OUTSIDE"])
_SOMETHING: Chunk = (SentenceWord("WORD", "thing"),)


@dataclass(frozen=True, slots=True)
class Default:
    """A sentence about everything that no other sentence speaks of."""

    allow: bool


type Reading = tuple[Norm, ...] | Default


def is_passive(action: Chunk) -> bool:
    """Whether an action reads "be sent ..."."""
    return len(action) > 1 and action[0].text.lower() == "be"


@dataclass(slots=True)
class NormForms:
    """Builds the norms of one sentence: “if” narrows them by ``when``, “unless” frees from them.

    ``spent`` are the fields that a form has used; what a sentence says is never left unused.
    """

    reader: SentenceReader
    requirement: str
    text: str
    when: Term
    unless: Term | None
    spent: set[str] = field(default_factory=set[str])

    def complete(self, reading: Reading) -> Reading:
        """The reading, if its form has used all that the sentence says."""
        if self.unless is not None and "unless" not in self.spent:
            raise UnreadableError("it is open what “unless” frees from")
        return reading

    def _exception(self) -> Term | None:
        self.spent.add("unless")
        return self.unless

    def _norm(self, effect: Effect, scope: Term, condition: Term) -> Reading:
        self._check_one_call(effect, scope, condition)
        return (Norm(self.requirement, effect, scope, condition, self.text),)

    def _check_one_call(self, effect: Effect, scope: Term, condition: Term) -> None:
        """Refuse two tools of one call: “never refund if it was cancelled” speaks of an earlier call."""
        listed = [
            (listing, place)
            for place, term in enumerate((scope, condition))
            for part in conjuncts(term)
            if (listing := value_listing(part)) is not None
            and is_action(self.reader.lexicon.argument(listing.argument))
        ]
        for one, other in combinations(listed, 2):
            apart = one[1] != other[1] and effect is Effect.REQUIRE
            said = not (one[0].negated and other[0].negated)
            if said and (apart or not set(one[0].values) & set(other[0].values)):
                raise UnreadableError("it names two things that are done, and which call comes first is open")

    def _check_roles(self, who: Term, rest: Term) -> None:
        """Refuse a sentence that names a role of its subject again: “contractors without a manager”."""
        enums = {argument.name for argument in self.reader.lexicon.of_kind(Kind.ENUM)}
        if again := enums & set(names(who)) & set(names(rest)):
            raise UnreadableError(f"it says two things of {sorted(again)[0]}", sorted(again)[0])

    def _deny(self, everything: Term) -> Reading:
        if everything == ALWAYS:
            raise UnreadableError("it names nothing that the agent spec knows")
        scope, condition = split_scope(self.reader.lexicon, everything)
        return self._norm(Effect.FORBID, scope, condition)

    def forbid(self, subject: Chunk, action: Chunk, spared: Chunk = ()) -> Reading:
        """Nobody of the subject but the spared may do the action, where the condition holds."""
        try:
            who, what = self.reader.about(subject, action, who_denies=True, what_denies=True)
        except UnreadableError as error:
            if error.kind != "reference":
                raise
            # "The amount must not exceed 10": subject and verb are one comparison.
            who, what = ALWAYS, self.reader.phrases.read((*subject, *action), Position.CONDITION)
        unless = self._exception()
        exception = negate(unless) if unless is not None else ALWAYS
        if spared:
            free = self.reader.phrases.read(spared, Position.SUBJECT, denying=False)
            if free == ALWAYS:
                raise UnreadableError("it is open what is excepted from what")
            exception = all_of(exception, negate(free))
        self._check_roles(who, all_of(what, self.when))
        return self._deny(all_of(what, who, self.when, exception))

    def _require(self, scope: Term, condition: Term) -> Reading:
        if condition == ALWAYS:
            raise UnreadableError("it does not say what is required")
        return self._norm(Effect.REQUIRE, all_of(scope, self.when), condition)

    def only(self, subject: Chunk, action: Chunk) -> Reading:
        """Only the subject may do the action."""
        if is_passive(action):
            return self._only_object(subject, action)
        who, what = self.reader.about(subject, action, who_denies=False, what_denies=True)
        if what == ALWAYS:
            raise UnreadableError("it does not say what only they may do")
        self._check_roles(who, what)
        return self._require(what, self._or_exception(who))

    def _or_exception(self, condition: Term) -> Term:
        """What is required, or what frees from it: “only S may V unless C”."""
        unless = self._exception()
        return condition if unless is None else any_of(condition, unless)

    def _parts(self, subject: Chunk, action: Chunk) -> tuple[Term, Term, Term]:
        """What is done in a passive, what the subject says it is done to, and what the rest adds."""
        phrases = self.reader.phrases
        _, whole = self.reader.about(subject, action, who_denies=False, what_denies=False)
        done, ended = self.reader.about(_SOMETHING, action, who_denies=False, what_denies=True)
        named = phrases.read((*self.reader.verbs(action), *subject), Position.ACTION, denying=False)
        acted = conjuncts(all_of(done, ended))
        if any(each not in conjuncts(whole) for each in (*acted, *conjuncts(named))):
            raise UnreadableError("it is open what “only” restricts")
        of = [part for part in conjuncts(named) if part not in acted]
        how = [part for part in conjuncts(whole) if part not in conjuncts(named)]
        return self._acts(whole), all_of(*of), all_of(*how)

    def _acts(self, condition: Term) -> Term:
        """The actions that a condition names."""
        lexicon = self.reader.lexicon
        return all_of(
            *(
                part
                for part in conjuncts(condition)
                if names(part) and all(is_action(lexicon.argument(name)) for name in names(part))
            )
        )

    def _only_object(self, subject: Chunk, action: Chunk) -> Reading:
        """“Only pending orders may be cancelled”: cancelling is denied for all others.

        “Only masked invoices may be exported” may say that of invoices alone, so it is asked about.
        """
        acted, of, how = self._parts(subject, action)
        if acted == ALWAYS or of == ALWAYS:
            raise UnreadableError("it is open what “only” restricts")
        what = all_of(acted, how)
        wide = self._require(what, self._or_exception(every_element(of)))
        nouns = [part for part in conjuncts(of) if value_listing(part) or element_listing(part)]
        kinds = [part for part in conjuncts(of) if part not in nouns]
        if not (nouns and kinds) or isinstance(wide, Default):
            return wide
        narrow = self._require(all_of(what, *nouns), self._or_exception(all_of(*kinds)))
        assert not isinstance(narrow, Default)
        said, noun, kind = (rendered(simplify(each)) for each in (what, all_of(*nouns), all_of(*kinds)))
        return self.reader.doubts.way(
            [
                ((f"only where {noun} and {kind} is it allowed that {said}",), wide),
                ((f"where {noun}, only if {kind} is it allowed that {said}",), narrow),
            ]
        )

    def _may_only_be(self, subject: Chunk, action: Chunk) -> Reading:
        """“Certificates may only be sent to members”, “Invoices may only be read”."""
        acted, of, how = self._parts(subject, action)
        if acted == ALWAYS:
            raise UnreadableError("it is open what “only” restricts")
        if how != ALWAYS:
            return self._require(all_of(acted, of), every_element(how))
        if of == ALWAYS:
            raise UnreadableError("it is open what “only” restricts")
        return self._require(of, acted)

    def may_only(self, subject: Chunk, action: Chunk) -> Reading:
        """The subject may do nothing but the action, or the action in no other way."""
        if is_passive(action):
            return self._may_only_be(subject, action)
        who, what = self.reader.about(subject, action, who_denies=True, what_denies=False)
        lexicon = self.reader.lexicon
        self._check_roles(who, what)
        what = every_element(what)
        scope, rest = split_scope(lexicon, what)
        if rest == ALWAYS or not any(is_action(lexicon.argument(name)) for name in names(scope)):
            return self._require(who, what)
        # “may only send mail to X” forbids everything else, or other mail
        readings = {"everything": self._require(who, what), "object": self._require(all_of(who, scope), rest)}
        return self.reader.doubts.either("only", readings, action=scope, restriction=rest)

    def only_object(self, subject: Chunk, action: Chunk, restriction: Chunk) -> Reading:
        """The subject may do the action only with what is named."""
        who, what = self.reader.about(subject, action, who_denies=True, what_denies=True)
        where = self.reader.phrases.read(restriction, Position.CONDITION, denying=False)
        self._check_roles(who, all_of(what, where))
        return self._only_with(restriction, all_of(who, what), every_element(where))

    def _only_with(self, restriction: Chunk, what: Term, where: Term) -> Reading:
        """“Apply only neem in the nursery” may speak of the nursery alone, or forbid neem elsewhere.

        So may “order only organic vegetables” speak of vegetables alone, or forbid all else.
        """
        wide, parts = self._require(what, where), conjuncts(where)
        beside = [part for part in parts if value_listing(part) or element_listing(part)]
        if len(beside) == len(parts):
            placed = {word.text.lower() for word in restriction[1:]} & _PLACING
            first = set(names(parts[0]))
            beside = [part for part in parts[1:] if placed and not first & set(names(part))]
        if not beside or any(map(is_joint, restriction)) or isinstance(wide, Default):
            return wide
        named = [part for part in parts if part not in beside]
        narrow = self._require(all_of(what, *beside), all_of(*named))
        assert not isinstance(narrow, Default)
        said, only, of = (rendered(simplify(one)) for one in (what, all_of(*named), all_of(*beside)))
        return self.reader.doubts.way(
            [
                ((f"only where {only} and {of} is it allowed that {said}",), wide),
                ((f"where {of}, only if {only} is it allowed that {said}",), narrow),
            ]
        )

    def only_if(self, subject: Chunk, action: Chunk, condition: Chunk) -> Reading:
        """The subject may do the action only under a condition."""
        who, what = self.reader.about(subject, action, who_denies=True, what_denies=True)
        when = self.reader.condition(condition, denying=False) if condition else self.when
        self._check_roles(who, all_of(what, when))
        if (unless := self._exception()) is not None:
            when = any_of(when, unless)
        if not condition:
            self.when = ALWAYS
        return self._require(all_of(what, who), when)

    def permit_except(self, subject: Chunk, spared: Chunk, action: Chunk) -> Reading:
        """Any of the subject but the spared may do the action; whether the spared may not is asked."""
        who, what = self.reader.about(subject, action, who_denies=False, what_denies=True)
        free = self.reader.phrases.read(spared, Position.SUBJECT, denying=True)
        if ALWAYS in (what, free) or disjoint(who, free):
            raise UnreadableError("it is open what is excepted from what")
        readings = {
            "forbidden": self._require(what, negate(free)),
            "open": self._norm(Effect.PERMIT, what, all_of(who, negate(free))),
        }
        return self.reader.doubts.either("spared", readings, action=what, excepted=free)

    def forbid_unless(self, subject: Chunk, action: Chunk) -> Reading:
        """“Transfer the user only if C”: a command, or what is done as a noun."""
        if is_statement(action):
            raise UnreadableError("it is open what “only” restricts")
        return self.forbid(subject, action)

    def forbid_named(self, named: Chunk) -> Reading:
        """“No refunds over 100 EUR” names what is forbidden."""
        if not {word.kind for word in named} <= _OF_NOUNS:
            raise UnreadableError("its form is none that the language has")
        return self.forbid(EVERYONE, named)

    def forbid_any_but(self, action: Chunk, spared: Chunk) -> Reading:
        """“Never V any X but Y”: what is not Y."""
        if not names_any(action):
            raise UnreadableError("it is open what is excepted from what")
        return self.forbid(EVERYONE, (*action, NOT, *spared))

    def permit_any_but(self, subject: Chunk, verb: Chunk, noun: Chunk, spared: Chunk) -> Reading:
        """“Any X but Y may be V-ed by S”: S may V other X; whether they may not V Y is asked."""
        permitted = self.permit(subject, (*verb, *noun, NOT, *spared))
        forbidden = self.forbid(subject, (*verb, *spared))
        if isinstance(permitted, Default) or isinstance(forbidden, Default):
            raise UnreadableError("it is open what is excepted from what")
        readings: dict[str, Reading] = {"forbidden": (*permitted, *forbidden), "open": permitted}
        action = self.reader.phrases.read(verb, Position.ACTION)
        excepted = self.reader.phrases.read((*verb, *spared), Position.ACTION)
        return self.reader.doubts.either("spared", readings, action=action, excepted=excepted)

    def permit(self, subject: Chunk, action: Chunk) -> Reading:
        """The subject may do the action; with "if", perhaps only then; with "unless", not else."""
        who, what = self.reader.about(subject, action, who_denies=False, what_denies=False)
        self._check_roles(who, all_of(what, self.when))
        what = every_element(what)
        inner, limits = _upper_bounds(what)
        if limits != ALWAYS:
            if self.when != ALWAYS:
                raise UnreadableError("it is open whether its condition belongs to the limit")
            return self._require(all_of(inner, who), self._or_exception(limits))
        scope = all_of(what, who)
        if scope == ALWAYS:
            raise UnreadableError("it names nothing that the agent spec knows")
        if (unless := self._exception()) is not None:
            return self._require(scope, negate(unless))
        inner, rest = split_scope(self.reader.lexicon, all_of(scope, self.when))
        permitted = self._norm(Effect.PERMIT, inner, rest)
        if self.when == ALWAYS:
            return permitted
        when, self.when = self.when, ALWAYS
        readings = {"only": self._require(scope, when), "also": permitted}
        return self.reader.doubts.either("only-if", readings, condition=when)

    def requires(self, action: Chunk, condition: Term, said: Chunk = ()) -> Reading:
        """The action requires the condition; “requires no approval” frees from something instead."""
        if said and said[0].kind in ("NO", "NOT"):
            raise UnreadableError("it says what is not required")
        what = self.reader.phrases.read(action, Position.ACTION)
        if what == ALWAYS:
            raise UnreadableError("it does not say what requires it")
        if self._acts(condition) != ALWAYS:
            raise UnreadableError("what it requires names an action itself")
        self.when = ALWAYS
        return self._require(what, condition)

    def _owner(self, subject: Chunk, predicate: Chunk) -> tuple[Term, str | None]:
        """What a sentence with “must” is about: “refunds of more than 100 EUR”, or an argument alone.

        Where it cannot be read alone, it is read with the predicate, unless a list would run across both.
        """
        phrases = Phrases(self.reader.lexicon)  # what it cannot read is asked about with the whole
        try:
            if any(word.kind in ("AND", "OR") for word in subject):
                return phrases.read(subject, Position.ACTION), None
            return phrases.read_owner(subject)
        except UnreadableError:
            if any(map(is_joint, (*subject, *predicate))):
                return self.reader.phrases.read(subject, Position.ACTION), None
            return ALWAYS, None

    def _obliges(self, predicate: Chunk) -> bool:
        """Whether “must be exported” demands an action."""
        if not is_passive(predicate):
            return False
        try:
            done = Phrases(self.reader.lexicon).read(predicate[1:2], Position.ACTION)
        except UnreadableError:
            return False
        return self._acts(done) != ALWAYS

    def _must_to(self, subject: Chunk, predicate: Chunk) -> list[Reading]:
        """The readings of “users must be X to do Y”."""
        found: list[Reading] = []
        phrases = self.reader.phrases
        for place, word in enumerate(predicate):
            if word.text.lower() != "to" or not 0 < place < len(predicate) - 1:
                continue
            if predicate[place - 1].kind == "COMMA":
                raise UnreadableError("it is open what stands behind its comma")
            try:
                who = phrases.read(subject, Position.SUBJECT)
                condition = phrases.read(predicate[:place], Position.CONDITION, denying=False)
                what = phrases.read(predicate[place + 1 :], Position.ACTION)
            except UnreadableError:
                continue
            if condition != ALWAYS and what != ALWAYS:
                found.append(self._require(all_of(what, who), condition))
        return found

    def must(self, subject: Chunk, predicate: Chunk) -> Reading:
        """Read “users must be X to do Y” or “the amount must be at most 1000”."""
        found = self._must_to(subject, predicate)
        phrases = self.reader.phrases
        if len(found) == 1:
            return found[0]
        if self.unless is not None:
            raise UnreadableError("it is open what “unless” frees from")
        owner, reference = self._owner(subject, predicate)
        if reference is None and self._obliges(predicate):
            raise UnreadableError("it demands that something is done, and a guard can only forbid")
        listed = any(word.kind in ("AND", "OR") for word in predicate)
        if reference is not None and (listed or owner != ALWAYS):
            return self._require(owner, phrases.read_of(reference, predicate, denying=False))
        if owner != ALWAYS:
            return self._require(owner, phrases.read(predicate, Position.CONDITION, denying=False))
        whole = phrases.read((*subject, *predicate), Position.CONDITION, denying=False)
        scope, condition = split_scope(self.reader.lexicon, whole)
        if all(not is_action(self.reader.lexicon.argument(name)) for name in names(scope)):
            scope, condition = ALWAYS, whole
        return self._require(scope, condition)


def _upper_bounds(what: Term) -> tuple[Term, Term]:
    """What “may return items up to 30 days” is about, and its limits: a bound permits nothing beyond."""
    parts = conjuncts(what)
    limits = [
        part
        for part in parts
        if isinstance(part, Compare) and part.operator in (Comparison.LT, Comparison.LE)
    ]
    return all_of(*(part for part in parts if part not in limits)), all_of(*limits)


# Forms that name the action before those whom they speak of.
REVERSED = frozenset(["forbid_for", "permit_for", "only_named_last", "required_for"])
# The grammar's forms with a subject and an action; a form without a subject speaks of everyone.
METHODS: dict[str, Callable[[NormForms, Chunk, Chunk], Reading]] = {
    "forbid": NormForms.forbid,
    "forbid_no": NormForms.forbid,
    "forbid_everyone": NormForms.forbid,
    "forbid_imperative": NormForms.forbid,
    "forbid_passive": NormForms.forbid,
    "only_subject": NormForms.only,
    "only_named_last": NormForms.only,
    "only_passive": NormForms.may_only,
    "may_only": NormForms.may_only,
    "forbid_for": NormForms.forbid,
    "forbid_unless": NormForms.forbid_unless,
    "permit": NormForms.permit,
    "permit_for": NormForms.permit,
    "permit_imperative": NormForms.permit,
    "permit_passive": NormForms.permit,
    "must": NormForms.must,
}
# The forms of which each part has its own place.
OF_PARTS: dict[str, Callable[..., Reading]] = {
    "forbid_named": NormForms.forbid_named,
    "forbid_any_but": NormForms.forbid_any_but,
    "permit_any_but": NormForms.permit_any_but,
    "permit_except": NormForms.permit_except,
    "only_object": NormForms.only_object,
}
