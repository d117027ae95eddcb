# Lark's classes are annotated with types that are unknown in part.
# pyright: reportUnknownMemberType=false
"""A sentence as the statements that it makes: “S may V, but not W” is a permission and a prohibition.

The grammar names the parts of a compound sentence. From them, each form gives the *ways* to split the
sentence. Every way is a tuple of statements that all hold. An ellipsis may be completed in several ways. A
way counts only if every word of each of its statements is used. If ways that count differ in meaning, the
reader asks which is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from workbench.author.rules.normal_spelling import normalised

type Way = tuple[str, ...]

# The rules of the grammar in the order of trying; each needs one of its tokens.
_RULES = {
    "neither": {"NEITHER"},
    "any_but": {"BUT", "EXCEPT"},
    "all_but_nothing": {"NOTHING"},
    "nothing_else": {"NOTHING_ELSE"},
    "some_not": {"BUT"},
    "narrowed": {"AND_ONLY", "AND_NEVER"},
    "contrast": {"COMMA", "SEMICOLON", "BUT", "WHILE"},
    "but_not": {"BUT", "AND_NEVER"},
    "same_subject": {"AND_MODAL", "BUT"},
    "two_subjects": {"AND", "BUT", "WHILE"},
}
# A sentence without any of these words is one statement and is not split.
_MARKS = frozenset(["and", "or", "but", "neither", "except", "other", "whereas", "though"])
# Words that refer back to another part of the sentence.
_BACK = frozenset(["BACK", "THEM", "THEY", "OWN", "ALSO", "NEITHER"])


@dataclass(frozen=True, slots=True)
class SentencePart:
    """A part of a sentence: its tokens, and its unchanged text."""

    tokens: tuple[Token, ...]
    text: str

    def __str__(self) -> str:
        """The text."""
        return self.text


@dataclass(frozen=True, slots=True)
class Compound:
    """A compound sentence with the parts that its rule of the grammar names."""

    text: str
    tree: Tree[Token]

    def every(self, name: str) -> tuple[SentencePart, ...]:
        """The parts of a name, in order."""
        token_groups = (
            _tokens(subtree) for subtree in self.tree.iter_subtrees_topdown() if subtree.data == name
        )
        return tuple(SentencePart(tokens, self.text_of(tokens)) for tokens in token_groups)

    def the(self, name: str) -> SentencePart:
        """The first part of a name."""
        return self.every(name)[0]

    def ending(self) -> str:
        """The condition or exception at the end with a space before it; empty without one."""
        return "".join(f" {part}" for part in self.every("ending"))

    def text_of(self, tokens: Sequence[Token]) -> str:
        """The text from the first to the last of some tokens."""
        return self.between(tokens[0].start_pos, tokens[-1].end_pos)

    def between(self, start: int | None, end: int | None) -> str:
        """The text from one place to another, without a comma at its end."""
        return self.text[start:end].strip().rstrip(",").strip()


def _tokens(tree: Tree[Token]) -> tuple[Token, ...]:
    return tuple(tree.scan_values(lambda value: isinstance(value, Token)))


def _neither_subject(compound: Compound) -> Iterator[Way]:
    """“Neither A nor B may V”."""
    yield tuple(f"{subject} may not {compound.the('told')}" for subject in compound.every("named"))


def _neither_action(compound: Compound) -> Iterator[Way]:
    """“S may neither V nor W”."""
    be = "be " if compound.every("be") else ""
    actions = " or ".join(map(str, compound.every("named")))
    yield (f"{compound.the('subject')} may not {be}{actions}{compound.ending()}",)


def _neither_imperative(compound: Compound) -> Iterator[Way]:
    """“Neither V nor W”."""
    actions = compound.every("named")
    if len(actions[0].tokens) == 1:
        yield (f"never {' or '.join(map(str, actions))}{compound.ending()}",)


def _any_but(compound: Compound) -> Iterator[Way]:
    """“S may V any X but Y”: V-ing Y is forbidden, or the sentence does not cover it."""
    subject, may, verb, spared = map(compound.the, ("subject", "may", "act", "left_out"))
    action = " ".join(map(str, (verb, *compound.every("object"))))
    permitted = f"{subject} {may} {action} not {spared}"
    yield permitted, f"{subject} may not {verb} {spared}"
    yield (permitted,)


def _all_but_nothing(compound: Compound) -> Iterator[Way]:
    """“S may V everything, but W nothing”."""
    subject, may = compound.the("subject"), compound.the("may")
    verb, other_verb = compound.every("act")
    yield f"{subject} {may} {verb} anything", f"{subject} may not {other_verb} anything"


def _nothing_else(compound: Compound) -> Iterator[Way]:
    """“S may V, but nothing else”."""
    yield (f"{compound.the('subject')} may only {compound.the('told')}",)


def _some_not(compound: Compound) -> Iterator[Way]:
    """“Managers, but not guests, may V”: a permission for the former, a prohibition for the latter."""
    subject, spared, may, action = map(compound.the, ("subject", "second", "may", "told"))
    yield f"{subject} {may} {action}", f"{spared} may not {action}"


def _only_own(compound: Compound) -> Iterator[Way]:
    """“S may V orders, and only their own”."""
    for action in compound.every("does"):
        verb, *whose = action.tokens
        if whose:
            owned = f"{compound.the('own')} {compound.text_of(whose)}"
            yield str(compound.the("granted")), f"{compound.the('subject')} may {verb} only {owned}"


def _only(compound: Compound, condition: str) -> Iterator[Way]:
    """“Only S may V, and only if C”: the second part restricts the subjects that the first allows."""
    action = "be " + str(compound.the("passive")) if compound.every("passive") else str(compound.the("does"))
    lead = "".join(f"{part}, " for part in compound.every("lead"))
    yield str(compound.the("granted")), f"{lead}{compound.the('subject')} may {action} only {condition}"


def _only_where(compound: Compound) -> Iterator[Way]:
    """“Only S may V, and only if C”, “S may V, but only in O”."""
    return _only(compound, str(compound.the("where")))


def _only_after(compound: Compound) -> Iterator[Way]:
    """“Only S may V, and only after the user confirmed”."""
    return _only(compound, f"if {compound.the('happened')}")


def _and_never(compound: Compound) -> Iterator[Way]:
    """“Only S may delete data, and never more than 100 rows”: both parts have the verb of the first."""
    for action in compound.every("does"):
        first, never = str(compound.the("granted")), compound.the("never")
        if len(action.tokens) > 1:
            yield first, f"never {action.tokens[0]} {never}"
            yield first, f"never {never}"


def _also(compound: Compound) -> Iterator[Way]:
    """“Nurses may read allergies, doctors also diagnoses”: the second subject may do both."""
    subject, may, action, second_subject = map(compound.the, ("subject", "may", "alone", "second"))
    verb, *object_tokens = action.tokens
    if not object_tokens:
        return
    second_action = " ".join(
        compound.text_of(object_tokens) if token.type == "THEM" else str(token)
        for token in compound.the("told").tokens
    )
    base = f"{subject} {may} {action}", f"{second_subject} may {action}"
    yield *base, f"{second_subject} may {second_action}"
    yield *base, f"{second_subject} may {verb} {second_action}"


def _but_not(compound: Compound) -> Iterator[Way]:
    """“S may V, but not W”; if W is not an action of its own, it is a manner of V."""
    subject = compound.the("subject")
    action, denied_action = compound.every("deed")
    first = compound.between(0, action.tokens[-1].end_pos)
    passive = "be " if compound.every("be") else ""
    yield first, f"{subject} may not {passive}{denied_action}"
    verb, *object_tokens = action.tokens
    kinds = [token.type for token in denied_action.tokens]
    if not passive and object_tokens and kinds in (["WORD"], ["WORD", "OR", "WORD"]):
        yield first, f"{subject} may not {denied_action} {compound.text_of(object_tokens)}"
    if compound.every("plain_not") and (len(kinds) == 1 or kinds[0] in ("PREPOSITION", "BY")):
        yield first, f"{subject} may not {passive}{verb} {denied_action}"


def _others_not(compound: Compound) -> Iterator[Way]:
    """“A may V, B may not”: B may not do what A may."""
    subject, may, action, second_subject = map(compound.the, ("subject", "may", "alone", "second"))
    yield f"{subject} {may} {action}", f"{second_subject} may not {action}"


def _others_may(compound: Compound) -> Iterator[Way]:
    """“A cannot V, B can”: B may do what A may not."""
    subject, action, second_subject = map(compound.the, ("subject", "alone", "second"))
    yield f"{subject} may not {action}", f"{second_subject} may {action}"


def _same_subject(compound: Compound) -> Iterator[Way]:
    """“S may not V and may not W if C”: the condition belongs to the last part, or to both."""
    subject, tail = compound.the("subject"), compound.ending()
    first, second = compound.every("modal")
    part, two = compound.the("action"), compound.the("last")
    if len(part.tokens) == 1 and len(two.tokens) > 1:
        if first.tokens[0].type == second.tokens[0].type == "FORBIDDEN_TO":
            yield (f"{subject} {first} {part} or {two}{tail}",)  # “may not read and may not export invoices”
        return
    yield f"{subject} {first} {part}", f"{subject} {second} {two}{tail}"
    if tail:
        yield f"{subject} {first} {part}{tail}", f"{subject} {second} {two}{tail}"


def _two_subjects(compound: Compound) -> Iterator[Way]:
    """“A may not V and B may not W”: each has its own verb, and no word refers to the other part."""
    tokens = _tokens(compound.tree)
    *between, _last = compound.tree.find_data("segment")
    for joint in (joint for segment in between for joint in segment.find_data("joint")):
        (token,) = _tokens(joint)
        if not any(later.type in _BACK for later in tokens[tokens.index(token) + 1 :]):
            yield compound.between(0, token.start_pos), compound.between(token.end_pos, None)


_FORMS: dict[str, Callable[[Compound], Iterator[Way]]] = {
    "neither_subject": _neither_subject,
    "neither_action": _neither_action,
    "neither_imperative": _neither_imperative,
    "any_but": _any_but,
    "all_but_nothing": _all_but_nothing,
    "nothing_else": _nothing_else,
    "some_not": _some_not,
    "only_own": _only_own,
    "only_where": _only_where,
    "only_after": _only_after,
    "and_never": _and_never,
    "also": _also,
    "but_not": _but_not,
    "others_not": _others_not,
    "others_may": _others_may,
    "same_subject": _same_subject,
    "two_subjects": _two_subjects,
}


@cache
def _parser() -> Lark:
    starts = list(_RULES)
    return Lark.open_from_package(
        "workbench.author.rules", "compounds.lark", parser="lalr", lexer="basic", start=starts
    )


def _compounds(text: str) -> Iterator[Compound]:
    """The sentence as each rule of the grammar reads it."""
    if not ("," in text or ";" in text or _MARKS & {*text.lower().split()}):
        return
    lexing = _parser().parse_interactive(text, start="neither")
    tokens = list(lexing.lexer_thread.lex(lexing.parser_state))
    kinds = {token.type for token in tokens}
    for rule in (rule for rule, needed in _RULES.items() if needed & kinds):
        parsing = _parser().parse_interactive(start=rule)
        try:
            for token in tokens:
                parsing.feed_token(token)
            yield Compound(text, parsing.feed_eof())
        except UnexpectedInput:
            continue


@lru_cache(maxsize=4096)
def ways(text: str) -> tuple[Way, ...]:
    """The ways to split a sentence, without repetitions; one statement is one way."""
    normal_text = normalised(text)
    for compound in _compounds(normal_text):
        distinct_ways = dict.fromkeys(
            tuple(map(normalised, way)) for way in _FORMS[compound.tree.data](compound)
        )
        if distinct_ways:
            return tuple(distinct_ways)
    return ((normal_text,),)
