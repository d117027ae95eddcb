"""The forms of the grammar as norms: the denials of “may not”, “may”, “must” and similar words."""

from __future__ import annotations

from collections.abc import Callable

from workbench.author.argument_terms import all_of, conjuncts, has_no_value, names, opposite
from workbench.author.rules.argument_binding import UnreadableError
from workbench.author.rules.coordination import is_filler, is_joint
from workbench.author.rules.lexicon import Lexicon, Reference, is_action, key
from workbench.author.rules.norm_builder import NO_FORM, Default, NormBuilder, StatementNorms, is_passive
from workbench.author.rules.norms import Effect, disjoint, every_element, split_scope
from workbench.author.rules.only_forms import may_only, only, only_if, only_object
from workbench.author.rules.phrase_conditions import Phrases, Position
from workbench.author.rules.sentences import NOT, Chunk, SentenceWord, is_statement, names_any
from workbench.policy.connectives import TRUE, is_true
from workbench.policy.terms import Compare, Comparison, Term

_EVERYONE: Chunk = (SentenceWord("WORD", "user"),)
_OF_NOUNS = frozenset(["WORD", "AND", "OR", "NUMBER", "MONEY", "COMPARATOR", "WITHOUT", "OUTSIDE"])


def forbid(build: NormBuilder, subject: Chunk, action: Chunk, spared: Chunk = ()) -> StatementNorms:
    """No subject except the spared may do the action, if the condition holds."""
    try:
        subject_term, action_term = build.reader.about(
            subject, action, subject_denies=True, action_denies=True
        )
    except UnreadableError as error:
        if error.kind != "reference":
            raise
        # "The amount must not exceed 10": subject and verb are one comparison.
        subject_term, action_term = TRUE, build.reader.phrases.read((*subject, *action), Position.CONDITION)
    unless = build.exception()
    exception = opposite(unless) if unless is not None else TRUE
    if spared:
        spared_term = build.reader.phrases.read(spared, Position.SUBJECT, denying=False)
        if is_true(spared_term):
            raise UnreadableError("it is open what is excepted from what")
        exception = all_of(exception, opposite(spared_term))
    build.check_roles(subject_term, all_of(action_term, build.when))
    return build.deny(all_of(action_term, subject_term, build.when, exception))


def permit_except(build: NormBuilder, subject: Chunk, spared: Chunk, action: Chunk) -> StatementNorms:
    """Any subject except the spared may do the action; a question asks whether the spared may not."""
    subject_term, action_term = build.reader.about(subject, action, subject_denies=False, action_denies=True)
    spared_term = build.reader.phrases.read(spared, Position.SUBJECT, denying=True)
    if is_true(action_term) or is_true(spared_term) or disjoint(subject_term, spared_term):
        raise UnreadableError("it is open what is excepted from what")
    readings = {
        "forbidden": build.require(action_term, opposite(spared_term)),
        "open": build.norm(Effect.PERMIT, action_term, all_of(subject_term, opposite(spared_term))),
    }
    return build.reader.doubts.either("spared", readings, action=action_term, excepted=spared_term)


def forbid_unless(build: NormBuilder, subject: Chunk, action: Chunk) -> StatementNorms:
    """“Transfer the user only if C”: a command, or a noun for an action."""
    if is_statement(action):
        raise UnreadableError("it is open what “only” restricts")
    return forbid(build, subject, action)


def forbid_named(build: NormBuilder, named: Chunk) -> StatementNorms:
    """“No refunds over 100 EUR”: the named action is forbidden."""
    if not {word.kind for word in named} <= _OF_NOUNS:
        raise UnreadableError(NO_FORM)
    return forbid(build, _EVERYONE, named)


def forbid_any_but(build: NormBuilder, action: Chunk, spared: Chunk) -> StatementNorms:
    """“Never V any X but Y”: every X that is not Y is forbidden."""
    if not names_any(action):
        raise UnreadableError("it is open what is excepted from what")
    return forbid(build, _EVERYONE, (*action, NOT, *spared))


def permit_any_but(
    build: NormBuilder, subject: Chunk, verb: Chunk, noun: Chunk, spared: Chunk
) -> StatementNorms:
    """“Any X but Y may be V-ed by S”: S may V other X; a question asks whether they may not V Y."""
    permitted = permit(build, subject, (*verb, *noun, NOT, *spared))
    forbidden = forbid(build, subject, (*verb, *spared))
    if isinstance(permitted, Default) or isinstance(forbidden, Default):
        raise UnreadableError("it is open what is excepted from what")
    readings: dict[str, StatementNorms] = {"forbidden": (*permitted, *forbidden), "open": permitted}
    action = build.reader.phrases.read(verb, Position.ACTION)
    excepted = build.reader.phrases.read((*verb, *spared), Position.ACTION)
    return build.reader.doubts.either("spared", readings, action=action, excepted=excepted)


def permit(build: NormBuilder, subject: Chunk, action: Chunk) -> StatementNorms:
    """The subject may do the action; with "if", perhaps only then; with "unless", only otherwise."""
    subject_term, action_term = build.reader.about(subject, action, subject_denies=False, action_denies=False)
    build.check_roles(subject_term, all_of(action_term, build.when))
    action_term = every_element(action_term)
    inner, limits = _upper_bounds(action_term)
    if not is_true(limits):
        if not is_true(build.when):
            raise UnreadableError("it is open whether its condition belongs to the limit")
        return build.require(all_of(inner, subject_term), build.or_exception(limits))
    scope = all_of(action_term, subject_term)
    if is_true(scope):
        raise UnreadableError("it names nothing that the agent spec knows")
    if (unless := build.exception()) is not None:
        return build.require(scope, opposite(unless))
    inner, condition = split_scope(build.reader.lexicon, all_of(scope, build.when))
    permitted = build.norm(Effect.PERMIT, inner, condition)
    if is_true(build.when):
        return permitted
    when, build.when = build.when, TRUE
    readings = {"only": build.require(scope, when), "also": permitted}
    return build.reader.doubts.either("only-if", readings, condition=when)


def requires(build: NormBuilder, action: Chunk, condition: Term, chunk: Chunk = ()) -> StatementNorms:
    """The action requires the condition; “requires no approval” is an exception, and is refused."""
    if chunk and chunk[0].kind in ("NO", "NOT"):
        raise UnreadableError("it says what is not required")
    action_term = build.reader.phrases.read(action, Position.ACTION)
    if is_true(action_term):
        raise UnreadableError("it does not say what requires it")
    if not is_true(build.acts(condition)):
        raise UnreadableError("what it requires names an action itself")
    build.when = TRUE
    return build.require(action_term, condition)


def _owner(build: NormBuilder, subject: Chunk, predicate: Chunk) -> tuple[Term, str | None]:
    """The subject of a sentence with “must”: “refunds of more than 100 EUR”, or an argument alone.

    If it cannot be read alone, it is read with the predicate, unless a list would extend across both.
    """
    phrases = Phrases(build.reader.lexicon)  # an unreadable part causes a question about the whole
    try:
        if any(word.kind in ("AND", "OR") for word in subject):
            return phrases.read(subject, Position.ACTION), None
        return phrases.read_owner(subject)
    except UnreadableError:
        if any(map(is_joint, (*subject, *predicate))):
            return build.reader.phrases.read(subject, Position.ACTION), None
        return TRUE, None


def _obliges(build: NormBuilder, predicate: Chunk) -> bool:
    """Whether the predicate demands an action, as in “must be exported”."""
    if not is_passive(predicate):
        return False
    try:
        action_term = Phrases(build.reader.lexicon).read(predicate[1:2], Position.ACTION)
    except UnreadableError:
        return False
    return not is_true(build.acts(action_term))


def _must_to(build: NormBuilder, subject: Chunk, predicate: Chunk) -> list[StatementNorms]:
    """The readings of “users must be X to do Y”."""
    readings: list[StatementNorms] = []
    phrases = build.reader.phrases
    for place, word in enumerate(predicate):
        if word.text.lower() != "to" or not 0 < place < len(predicate) - 1:
            continue
        if predicate[place - 1].kind == "COMMA":
            raise UnreadableError("it is open what the words after its comma are")
        try:
            subject_term = phrases.read(subject, Position.SUBJECT)
            condition = phrases.read(predicate[:place], Position.CONDITION, denying=False)
            action_term = phrases.read(predicate[place + 1 :], Position.ACTION)
        except UnreadableError:
            continue
        if not is_true(condition) and not is_true(action_term):
            readings.append(build.require(all_of(action_term, subject_term), condition))
    return readings


def must(build: NormBuilder, subject: Chunk, predicate: Chunk) -> StatementNorms:
    """Read “users must be X to do Y” or “the amount must be at most 1000”."""
    readings = _must_to(build, subject, predicate)
    phrases = build.reader.phrases
    if len(readings) == 1:
        return readings[0]
    if build.unless is not None:
        raise UnreadableError("it is open what “unless” frees from")
    owner, reference = _owner(build, subject, predicate)
    if reference is None and _obliges(build, predicate):
        raise UnreadableError("it demands that something is done, and a guard can only forbid")
    listed = any(word.kind in ("AND", "OR") for word in predicate)
    if reference is not None and (listed or not is_true(owner)):
        return build.require(owner, phrases.read_of(reference, predicate, denying=False))
    if not is_true(owner):
        return build.require(owner, phrases.read(predicate, Position.CONDITION, denying=False))
    whole = phrases.read((*subject, *predicate), Position.CONDITION, denying=False)
    scope, condition = split_scope(build.reader.lexicon, whole)
    if all(not is_action(build.reader.lexicon.argument(name)) for name in names(scope)):
        scope, condition = TRUE, whole
    return build.require(scope, condition)


def _upper_bounds(action_term: Term) -> tuple[Term, Term]:
    """The scope of “may return items up to 30 days”, and its limits: beyond a bound nothing is permitted."""
    parts = conjuncts(action_term)
    limits = [
        part
        for part in parts
        if isinstance(part, Compare) and part.operator in (Comparison.LT, Comparison.LE)
    ]
    return all_of(*(part for part in parts if part not in limits)), all_of(*limits)


def _is_given(needed: Chunk, lexicon: Lexicon) -> Term | None:
    """The condition that a call has a required, optional argument: “refunds need a reason”."""
    sentence_words = [word for word in needed if not is_filler(word.text)]
    meanings = lexicon.meanings(key(" ".join(word.text for word in sentence_words)))
    if len(meanings) != 1 or any(word.kind != "WORD" for word in sentence_words):
        return None
    meant = meanings[0]
    argument = lexicon.argument(meant.argument) if isinstance(meant, Reference) else None
    return opposite(has_no_value(argument)) if argument is not None and argument.type.optional else None


def _but(build: NormBuilder, form: str, chunks: tuple[Chunk, ...]) -> StatementNorms:
    """A prohibition with an exception; after a list it is unclear what an exception in parentheses is for."""
    match form:
        case "forbid_except":
            return forbid(build, chunks[0], chunks[2], spared=chunks[1])
        case "forbid_subject_but":
            stated_chunks, (subject, spared, action) = chunks[:1], chunks
        case "forbid_action_but":
            stated_chunks, (subject, action, spared) = chunks[:2], chunks
        case _:
            stated_chunks, (action, spared), subject = chunks[:1], chunks, _EVERYONE
    if any(is_joint(word) for chunk in stated_chunks for word in chunk):
        raise UnreadableError("it is open what its exception in parentheses belongs to")
    return forbid(build, subject, action, spared=spared)


# Forms that name the action before the subject.
_REVERSED = frozenset(["forbid_for", "permit_for", "only_named_last", "required_for"])
# The grammar's forms with a subject and an action; a form without a subject is about everyone.
_METHODS: dict[str, Callable[[NormBuilder, Chunk, Chunk], StatementNorms]] = {
    "forbid": forbid,
    "forbid_no": forbid,
    "forbid_everyone": forbid,
    "forbid_imperative": forbid,
    "forbid_passive": forbid,
    "only_subject": only,
    "only_named_last": only,
    "only_passive": may_only,
    "may_only": may_only,
    "forbid_for": forbid,
    "forbid_unless": forbid_unless,
    "permit": permit,
    "permit_for": permit,
    "permit_imperative": permit,
    "permit_passive": permit,
    "must": must,
}
# The forms whose parts each have a place of their own.
_OF_PARTS: dict[str, Callable[..., StatementNorms]] = {
    "forbid_named": forbid_named,
    "forbid_any_but": forbid_any_but,
    "permit_any_but": permit_any_but,
    "permit_except": permit_except,
    "only_object": only_object,
}


def norms_of(  # noqa: C901 # one case for each form
    build: NormBuilder, form: str, chunks: tuple[Chunk, ...]
) -> StatementNorms:
    """The norms of a form of the grammar with these parts. Raises UnreadableError."""
    if form in _REVERSED:
        chunks = chunks[::-1]
    if form in _OF_PARTS:
        return _OF_PARTS[form](build, *chunks)
    match form, len(chunks):
        case "permit_only_if", _:
            return only_if(build, chunks[0], chunks[1], chunks[2] if len(chunks) > 2 else ())
        case "requires" | "required_for", _:
            needed = _is_given(chunks[1], build.reader.lexicon) or build.reader.condition(
                chunks[1], denying=False
            )
            return requires(build, chunks[0], needed, chunks[1])
        case "requires_if", _:
            return requires(build, chunks[0], build.when)
        case "forbid_except" | "forbid_subject_but" | "forbid_action_but" | "forbid_but", _:
            return _but(build, form, chunks)
        case "forbid_done", _:
            return forbid(build, chunks[0], (SentenceWord("WORD", "be"), *chunks[1]))
        case "before_must", _:
            return requires(build, chunks[0], build.reader.condition((*chunks[1], *chunks[2]), denying=False))
        case "habit_only", _ if all(is_filler(word.text) for word in chunks[0]):
            return may_only(build, *chunks)
        case "habit_only", _:
            return only_object(build, _EVERYONE, *chunks)
        case _, 1:
            return _METHODS[form](build, _EVERYONE, chunks[0])
        case _:
            return _METHODS[form](build, chunks[0], chunks[1])
