# Lark's classes are annotated with types that are unknown in part.
# pyright: reportUnknownMemberType=false
"""The parts of everyday sentences that are rephrased before they are read (a lark grammar)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from workbench.author.rules.sentences import KEPT

_STARTS = (
    *("restriction", "command_restriction", "done_to", "does", "commanded", "none_of", "bounded"),
    *("only_who", "only_by", "only_for", "needed", "asked"),
)


@dataclass(frozen=True, slots=True)
class EverydaySentence:
    """A sentence with the rule and the parts that the grammar gives it."""

    text: str
    tree: Tree[Token]

    @property
    def rule(self) -> str:
        """The name of the rule."""
        return str(self.tree.data)

    def part(self, name: str) -> str:
        """The text of a part; empty without it."""
        tokens = self._tokens(name)
        return self.text[tokens[0].start_pos : tokens[-1].end_pos].strip() if tokens else ""

    def behind(self, name: str) -> str:
        """The text after a part, unchanged."""
        return self.text[self._tokens(name)[-1].end_pos :]

    def word(self, *kinds: str) -> str:
        """The word between the parts that has one of these kinds of the grammar; empty without it."""
        tokens = (child for child in self.tree.children if isinstance(child, Token))
        return next((str(token) for token in tokens if token.type in kinds), "")

    def _tokens(self, name: str) -> list[Token]:
        part = next(self.tree.find_data(name), None)
        return [] if part is None else list(part.scan_values(lambda value: isinstance(value, Token)))


@lru_cache(maxsize=KEPT)
def everyday_sentence(text: str, form: str) -> EverydaySentence | None:
    """The sentence as a form, a start rule of the grammar; None if it is not of this form.

    The text is on one line, without the full stop at its end.
    """
    parsing = _parser().parse_interactive(start=form)
    try:
        for token in _tokens(text):
            parsing.feed_token(token)
        return EverydaySentence(text, parsing.feed_eof())
    except UnexpectedInput:
        return None


@dataclass(frozen=True, slots=True)
class Restriction:
    """A sentence that allows something under a condition: its prohibition and that condition."""

    prohibition: str
    condition: str


def restriction(text: str) -> Restriction | None:
    """The restriction that a sentence states without any other duty; None if it states none."""
    sentence = everyday_sentence(text, "restriction") or everyday_sentence(text, "command_restriction")
    if sentence is None:
        return None
    subject, condition = sentence.part("subject"), sentence.part("condition") or sentence.part("clause")
    match sentence.rule:
        case "only_under":
            return Restriction(f"never {sentence.part('command')}", condition)
        case "may_only_under":
            return Restriction(f"{subject} may not {sentence.part('deed')}", condition)
        case "may_only_be" | "is_only":
            return Restriction(f"{subject} may not be {sentence.part('deed_word')}", condition)
        case "requires":
            requires = sentence.word("REQUIRES").removeprefix("always ")
            return Restriction(f"{subject} is forbidden", f"{requires} {sentence.part('demanded')}")
        case _:
            return Restriction(f"{subject} is forbidden", condition)


@cache
def _parser() -> Lark:
    return Lark.open_from_package(
        "workbench.author.rules", "everyday.lark", parser="lalr", lexer="basic", start=list(_STARTS)
    )


@lru_cache(maxsize=KEPT)
def _tokens(text: str) -> tuple[Token, ...]:
    """The words of a sentence; none if it has a character outside of all words."""
    lexing = _parser().parse_interactive(text, start=_STARTS[0])
    try:
        tokens = [*lexing.lexer_thread.lex(lexing.parser_state)]
    except UnexpectedInput:
        return ()
    return tuple(part for token in tokens for part in _without_comma(token))


def _without_comma(token: Token) -> tuple[Token, ...]:
    """The token, and the comma after it that a number includes: “for guests under 16, …”."""
    number = token.rstrip(",")
    if not number or number == token:
        return (token,)
    end = (token.start_pos or 0) + len(number)
    return (
        Token(token.type, number, start_pos=token.start_pos, end_pos=end),
        Token("COMMA", ",", start_pos=end, end_pos=token.end_pos),
    )
