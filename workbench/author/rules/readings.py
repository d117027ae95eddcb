"""A sentence as norms: its skeleton from the grammar, its phrases from the lexicon."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from workbench.author.rules.binding import UnreadableError
from workbench.author.rules.conditions import (
    ALWAYS,
    AllOf,
    Comparison,
    Condition,
    all_of,
    any_of,
    names,
    negate,
)
from workbench.author.rules.history import HistoryArguments, Past, past_of
from workbench.author.rules.lexicon import Lexicon, is_action
from workbench.author.rules.norms import Effect, Norm, disjoint, every_element, split_scope
from workbench.author.rules.phrases import Phrases, Position
from workbench.author.rules.rewording import reworded, statements
from workbench.author.rules.sentences import Chunk, Skeleton, Word, parse_chunk, parse_sentence
from workbench.model import Kind

_NOTHING: Chunk = (Word("WORD", "user"),)


@dataclass(frozen=True, slots=True)
class Default:
    """A sentence about everything that no other sentence speaks of."""

    allow: bool


type Reading = tuple[Norm, ...] | Default
type Chooser = Callable[[Condition, Condition], str]


def is_passive(action: Chunk) -> bool:
    """Whether an action reads "be sent ..."."""
    return len(action) > 1 and action[0].text.lower() == "be"


def _leading_verbs(action: Chunk) -> Chunk:
    """The verbs that a passive begins with: “cancelled, changed or returned by post”."""
    end = 1
    while end + 1 < len(action) and action[end].kind in ("AND", "OR", "COMMA"):
        following = end + 1 + (action[end + 1].kind in ("AND", "OR"))
        if following >= len(action) or not action[following].text.lower().endswith(("ed", "en", "nt", "ne")):
            break
        end = following + 1
    return action[:end]


@dataclass(slots=True)
class SentenceReader:
    """Reads the sentences of one request.

    ``focus`` is asked what "may only" restricts where both are possible; it answers
    ``object`` (how the named action is done) or ``everything`` (no other action).
    ``only_if`` is asked what "may ... if" says of everyone else: ``only`` or ``also``.
    ``window`` is told the words of a window, and answers ``run`` where one run of the agent is meant.
    ``spared`` is asked what "any X but Y may" says of Y: ``forbidden`` or ``open``.
    """

    lexicon: Lexicon
    phrases: Phrases
    focus: Chooser
    only_if: Chooser
    spared: Chooser
    history: HistoryArguments
    window: Callable[[str], str]

    def read(self, text: str, requirement: str) -> Reading:
        """The norms that a sentence states. Raises UnreadableError if it cannot be read."""
        parts = statements(text)
        if len(parts) == 1:
            return self._statement(text, parts[0], requirement)
        found: list[Norm] = []
        for part in parts:
            reading = self._statement(part, part, requirement)
            if isinstance(reading, Default):
                raise UnreadableError("it speaks of everything else beside something of its own")
            found += (replace(norm, message=text.strip()) for norm in reading)
        return tuple(found)

    def _statement(self, text: str, changed: str, requirement: str) -> Reading:
        """Read the statement as it stands, else in the form of the grammar that it has."""
        past = past_of(changed)
        if past is not None:
            return self._past(past, requirement, text)
        try:
            return self._form(text, requirement, text)
        except UnreadableError as error:
            if changed == reworded(text) == text.strip().rstrip(".!;").strip():
                raise
            first = error
        try:
            return self._form(changed, requirement, text)
        except UnreadableError as error:
            raise (error if parse_sentence(changed) else first) from error

    def _past(self, past: Past, requirement: str, message: str) -> Reading:
        """Read a limit over several actions: the sentence without it, with an argument that counts."""
        reading = self._statement(past.rest, reworded(past.rest), requirement)
        if isinstance(reading, Default) or len(reading) != 1:
            raise UnreadableError("it limits several actions in more than one way", kind="stateful")
        norm = replace(reading[0], message=message.strip())
        if past.kind == "after":
            chunk = parse_chunk(past.what)
            if chunk is None or norm.effect is Effect.PERMIT:
                raise UnreadableError(f"“{past.what}” is no action", past.what, "stateful")
            action = self.phrases.read(chunk, Position.ACTION)
            when = self.history.happened(action)
            return (replace(norm, scope=all_of(norm.scope, when)),)
        per_run = self.window(past.window) == "run"
        if past.kind == "total":
            return (self._in_total(norm, past, per_run),)
        if norm.effect is Effect.REQUIRE or (norm.effect is Effect.FORBID) != (past.bound == "more than"):
            raise UnreadableError("it is open what the number of times limits", kind="stateful")
        limit = self.history.more_than(all_of(norm.scope, norm.condition), past.count, past.window, per_run)
        scope, condition = norm.scope, norm.condition
        return (replace(norm, effect=Effect.FORBID, scope=scope, condition=all_of(condition, limit)),)

    def _in_total(self, norm: Norm, past: Past, per_run: bool) -> Norm:
        whole = all_of(norm.scope, norm.condition)
        return replace(norm, condition=self.history.in_total(norm.condition, past.window, per_run, whole))

    def _form(self, text: str, requirement: str, message: str) -> Reading:
        skeletons = parse_sentence(text)
        if not skeletons:
            raise UnreadableError("its form is none that the language has")
        first: UnreadableError | None = None
        found: list[Reading] = []
        for skeleton in skeletons:
            try:
                reading = self._skeleton(skeleton, requirement, message)
            except UnreadableError as error:
                first = first or error
                continue
            if reading not in found:
                found.append(reading)
        if len(found) > 1:
            raise UnreadableError("it can be taken apart in more than one way")
        if not found:
            raise first or UnreadableError("its form is none that the language has")
        return found[0]

    def _skeleton(self, skeleton: Skeleton, requirement: str, text: str) -> Reading:
        form = skeleton.form
        if form in ("default_allow", "default_deny"):
            return Default(form == "default_allow")
        denying = form.startswith("forbid")
        when = self._condition(skeleton.condition, denying=denying)
        unless = self._condition(skeleton.exception, denying=not denying)
        build = _Norms(self, requirement, text.strip(), when, unless if skeleton.exception else None)
        chunks = skeleton.chunks[::-1] if form in _REVERSED else skeleton.chunks
        match form, len(chunks):
            case "permit_only_if", _:
                return build.only_if(chunks[0], chunks[1], chunks[2] if len(chunks) > 2 else ())
            case "permit_except", _:
                return build.permit_except(*chunks)
            case "requires" | "required_for", _:
                return build.requires(chunks[0], self._condition(chunks[1], denying=False))
            case "requires_if", _:
                return build.requires(chunks[0], when)
            case "forbid_except", _:
                return build.forbid(chunks[0], chunks[2], spared=chunks[1])
            case "only_object", _:
                return build.only_object(*chunks)
            case _, 1:
                return _METHODS[form](build, _NOTHING, chunks[0])
            case _:
                return _METHODS[form](build, chunks[0], chunks[1])

    def _condition(self, chunk: Chunk, *, denying: bool) -> Condition:
        if not chunk:
            return ALWAYS
        condition = self.phrases.read(chunk, Position.CONDITION, denying=denying)
        if condition == ALWAYS:
            raise UnreadableError("its condition names nothing that the agent spec knows")
        return condition

    def about(
        self, subject: Chunk, action: Chunk, *, who_denies: bool, what_denies: bool
    ) -> tuple[Condition, Condition]:
        """Who a sentence is about and what they do; each may widen what is denied.

        "Emails may not be sent": in the passive the subject is what the action is done to.
        """
        if is_passive(action):
            verbs = _leading_verbs(action[1:])
            whole = (*verbs, *subject, *action[1 + len(verbs) :])
            if len(verbs) > 1 and any(word.kind in ("AND", "OR", "COMMA") for word in subject):
                raise UnreadableError("it is open which action is done to what")
            return ALWAYS, self.phrases.read(whole, Position.ACTION, denying=what_denies)
        who = self.phrases.read(subject, Position.SUBJECT, denying=who_denies)
        what = self.phrases.read(action, Position.ACTION, denying=what_denies)
        return who, what


@dataclass(slots=True)
class _Norms:
    """Builds the norms of one sentence."""

    reader: SentenceReader
    requirement: str
    text: str
    when: Condition
    unless: Condition | None

    def _norm(self, effect: Effect, scope: Condition, condition: Condition) -> Reading:
        return (Norm(self.requirement, effect, scope, condition, self.text),)

    def _check_roles(self, who: Condition, rest: Condition) -> None:
        """Refuse a sentence that names a role of its subject again: “contractors without a manager”."""
        enums = {argument.name for argument in self.reader.lexicon.of_kind(Kind.ENUM)}
        if again := enums & set(names(who)) & set(names(rest)):
            raise UnreadableError(f"it says two things of {sorted(again)[0]}", sorted(again)[0])

    def _deny(self, everything: Condition) -> Reading:
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
        exception = negate(self.unless) if self.unless is not None else ALWAYS
        if spared:
            free = self.reader.phrases.read(spared, Position.SUBJECT, denying=False)
            exception = all_of(exception, negate(free))
        self._check_roles(who, all_of(what, self.when))
        return self._deny(all_of(what, who, self.when, exception))

    def _require(self, scope: Condition, condition: Condition) -> Reading:
        if condition == ALWAYS:
            raise UnreadableError("it does not say what is required")
        return self._norm(Effect.REQUIRE, all_of(scope, self.when), condition)

    def only(self, subject: Chunk, action: Chunk) -> Reading:
        """Only the subject may do the action."""
        who, what = self.reader.about(subject, action, who_denies=False, what_denies=True)
        if what == ALWAYS:
            raise UnreadableError("it does not say what only they may do")
        return self._require(what, who)

    def may_only(self, subject: Chunk, action: Chunk) -> Reading:
        """The subject may do nothing but the action, or the action in no other way."""
        who, what = self.reader.about(subject, action, who_denies=True, what_denies=False)
        lexicon = self.reader.lexicon
        what = every_element(what)
        scope, rest = split_scope(lexicon, what)
        if rest == ALWAYS or not any(is_action(lexicon.argument(name)) for name in names(scope)):
            return self._require(who, what)
        if is_passive(action) or self.reader.focus(scope, rest) == "object":
            return self._require(all_of(who, scope), rest)
        return self._require(who, what)

    def only_object(self, subject: Chunk, action: Chunk, restriction: Chunk) -> Reading:
        """The subject may do the action only with what is named."""
        who, what = self.reader.about(subject, action, who_denies=True, what_denies=True)
        where = self.reader.phrases.read(restriction, Position.CONDITION, denying=False)
        return self._require(all_of(who, what), every_element(where))

    def only_if(self, subject: Chunk, action: Chunk, condition: Chunk) -> Reading:
        """The subject may do the action only under a condition."""
        who, what = self.reader.about(subject, action, who_denies=True, what_denies=True)
        when = (
            self.reader.phrases.read(condition, Position.CONDITION, denying=False) if condition else self.when
        )
        if self.unless is not None:
            when = any_of(when, self.unless)
        self.when = ALWAYS
        return self._require(all_of(what, who), when)

    def permit_except(self, subject: Chunk, spared: Chunk, action: Chunk) -> Reading:
        """Any of the subject but the spared may do the action; whether the spared may not is asked."""
        who, what = self.reader.about(subject, action, who_denies=False, what_denies=True)
        free = self.reader.phrases.read(spared, Position.SUBJECT, denying=True)
        if ALWAYS in (what, free) or disjoint(who, free):
            raise UnreadableError("it is open what is excepted from what")
        norm = self._norm(Effect.PERMIT, what, all_of(who, negate(free)))
        if self.reader.spared(what, free) == "forbidden":
            return self._require(what, negate(free))
        return norm

    def permit(self, subject: Chunk, action: Chunk) -> Reading:
        """The subject may do the action; with "if", perhaps only then; with "unless", not else."""
        who, what = self.reader.about(subject, action, who_denies=False, what_denies=False)
        what = every_element(what)
        inner, limits = _upper_bounds(what)
        if limits != ALWAYS and self.when == ALWAYS and self.unless is None:
            return self._require(all_of(inner, who), limits)
        scope = all_of(what, who)
        if scope == ALWAYS:
            raise UnreadableError("it names nothing that the agent spec knows")
        if self.unless is not None:
            return self._require(scope, negate(self.unless))
        if self.when != ALWAYS and self.reader.only_if(scope, self.when) == "only":
            when, self.when = self.when, ALWAYS
            return self._require(scope, when)
        inner, rest = split_scope(self.reader.lexicon, all_of(scope, self.when))
        return self._norm(Effect.PERMIT, inner, rest)

    def requires(self, action: Chunk, condition: Condition) -> Reading:
        """The action requires the condition."""
        what = self.reader.phrases.read(action, Position.ACTION)
        if what == ALWAYS:
            raise UnreadableError("it does not say what requires it")
        self.when = ALWAYS
        return self._require(what, condition)

    def _owner(self, subject: Chunk) -> tuple[Condition, str | None]:
        """What a sentence with “must” is about: “refunds of more than 100 EUR”, or an argument alone."""
        phrases = Phrases(self.reader.lexicon)  # what it cannot read is asked about with the whole
        try:
            if any(word.kind in ("AND", "OR") for word in subject):
                return phrases.read(subject, Position.ACTION), None
            return phrases.read_owner(subject)
        except UnreadableError:
            return ALWAYS, None

    def must(self, subject: Chunk, predicate: Chunk) -> Reading:
        """Read “users must be X to do Y” or “the amount must be at most 1000”."""
        found: list[Reading] = []
        phrases = self.reader.phrases
        for place, word in enumerate(predicate):
            if word.text.lower() != "to" or not 0 < place < len(predicate) - 1:
                continue
            try:
                who = phrases.read(subject, Position.SUBJECT)
                condition = phrases.read(predicate[:place], Position.CONDITION, denying=False)
                what = phrases.read(predicate[place + 1 :], Position.ACTION)
            except UnreadableError:
                continue
            if condition != ALWAYS and what != ALWAYS:
                found.append(self._require(all_of(what, who), condition))
        if len(found) == 1:
            return found[0]
        if self.unless is not None:
            raise UnreadableError("it is open what “unless” frees from")
        owner, reference = self._owner(subject)
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


def _upper_bounds(what: Condition) -> tuple[Condition, Condition]:
    """What “may return items up to 30 days” is about, and its limits: a bound permits nothing beyond."""
    parts = what.parts if isinstance(what, AllOf) else (what,)
    limits = [part for part in parts if isinstance(part, Comparison) and part.operator in ("<", "<=")]
    return all_of(*(part for part in parts if part not in limits)), all_of(*limits)


# Forms that name the action before those whom they speak of.
_REVERSED = frozenset(["forbid_for", "permit_for", "only_named_last", "required_for"])
# The grammar's forms with a subject and an action; a form without a subject speaks of everyone.
_METHODS: dict[str, Callable[[_Norms, Chunk, Chunk], Reading]] = {
    "forbid": _Norms.forbid,
    "forbid_no": _Norms.forbid,
    "forbid_everyone": _Norms.forbid,
    "forbid_imperative": _Norms.forbid,
    "forbid_passive": _Norms.forbid,
    "only_subject": _Norms.only,
    "only_named_last": _Norms.only,
    "only_passive": _Norms.may_only,
    "may_only": _Norms.may_only,
    "forbid_for": _Norms.forbid,
    "permit": _Norms.permit,
    "permit_for": _Norms.permit,
    "permit_imperative": _Norms.permit,
    "permit_passive": _Norms.permit,
    "must": _Norms.must,
}
