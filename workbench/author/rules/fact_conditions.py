# Lark's classes are annotated with types that are unknown in part.
# pyright: reportUnknownMemberType=false
"""Conditions over facts: records, lists and times, read by the grammar from a phrase and built as terms.

Every word has to be a name or a value of the agent spec, or a word of the grammar. Otherwise the phrase does
not have this form, and ``phrase_conditions`` reads it word by word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import cast

from lark import Lark, Token, Tree
from lark.exceptions import LarkError

from workbench.author.argument_terms import all_of, any_of, opposite
from workbench.author.rules.condition_words import ConditionWords, NoConditionError
from workbench.author.rules.fact_forms import FORMS, is_constant
from workbench.author.rules.fact_values import fitting, lacking_inside, type_of
from workbench.author.rules.grammar_text import TokenLexer, grammar_text
from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.sentences import Chunk
from workbench.model import ArgumentType, Kind
from workbench.policy.terms import (
    Arithmetic,
    Attribute,
    Constant,
    Count,
    Elements,
    IsMissing,
    Length,
    Term,
    Variable,
)
from workbench.policy.types import MOMENTS

_OPERATIONS = {"plus": "+", "minus": "-", "by": "*"}


@cache
def _parser() -> Lark:
    return Lark(
        grammar_text(), parser="earley", lexer=TokenLexer, start="condition_text", ambiguity="explicit"
    )


@dataclass(slots=True)
class PhraseConditions:
    """Reads conditions with the names and values of one lexicon.

    ``denying`` means that the rule denies more if the condition holds more often. If an element lacks a
    value, the rule denies.
    """

    lexicon: Lexicon
    denying: bool = True
    words: ConditionWords = field(init=False)

    def __post_init__(self) -> None:
        """Begin without tokens."""
        self.words = ConditionWords(self.lexicon)

    def read(self, chunk: Chunk) -> Term:
        """The condition of a chunk; raises NoConditionError if it does not have this form."""
        tokens = list(self.words.tokens(chunk))
        try:
            tree = _parser().parse(cast("str", tokens))
        except LarkError as error:
            raise NoConditionError(str(error)) from error
        if any(True for _ in tree.find_data("_ambig")):
            raise NoConditionError("it can be taken apart in more than one way")
        return self.term(tree.children[0])

    # --- terms ---

    def term(self, node: object) -> Term:
        """The condition of a node of the parse."""
        assert isinstance(node, Tree)
        tree = cast("Tree[Token]", node)
        parts = [child for child in tree.children if not _is_joint(child)]
        build = FORMS.get(str(tree.data))
        if build is None:
            raise NoConditionError(str(tree.data))
        return build(self, parts)

    def noun(self, node: object) -> Term:
        """The value that a noun of the parse names; raises NoConditionError for another node."""
        tree = cast("Tree[Token]", node)
        parts = [child for child in tree.children if not _is_joint(child)]
        match str(tree.data):
            case "fact" | "many":
                value = self.words.value(cast("Token", parts[0]))
                assert isinstance(value, Variable | Attribute)
                return value
            case "how_many":
                return self._how_many(parts)
            case "length":
                return Length(self.noun(parts[1]))
            case "time_from":
                since, until = self.noun(parts[1]), self.noun(parts[-1])
                if type_of(since).kind not in MOMENTS or type_of(until).kind is not type_of(since).kind:
                    raise NoConditionError
                return Arithmetic("-", until, since)
            case "sum_of":
                word = str(self.words.value(cast("Token", parts[1])))
                return self._calculated(_OPERATIONS[word], parts[0], parts[2])
            case _:
                raise NoConditionError

    def _calculated(self, operator: str, first: object, second: object) -> Term:
        if is_constant(first):
            right = self.noun(second)
            return Arithmetic(operator, self._factor(operator, first, type_of(right)), right)
        left = self.noun(first)
        right = self._factor(operator, second, type_of(left)) if is_constant(second) else self.noun(second)
        return Arithmetic(operator, left, right)

    def _factor(self, operator: str, node: object, type_: ArgumentType) -> Constant:
        """A constant next to a value of the type; a decimal may multiply a whole number."""
        try:
            return self.constant(node, type_)
        except NoConditionError:
            if operator != "*" or type_.kind is not Kind.INT:
                raise
            return self.constant(node, ArgumentType(Kind.DECIMAL))

    def _how_many(self, parts: Sequence[object]) -> Term:
        many = self.noun(parts[1])
        assert isinstance(many, Variable | Attribute)
        element = many.type.element
        if many.type.kind is not Kind.LIST or element is None:
            raise NoConditionError
        if len(parts) == 2:
            return Count(Variable("one", element), Elements(many), Constant(True))
        names = [part for part in parts if isinstance(part, Token) and part.type == "ELEMENT"]
        variable = self.words.elements[str(self.words.value(names[0]))]
        return Count(variable, Elements(many), self.term(parts[-1]))

    def constant(self, node: object, type_: ArgumentType) -> Constant:
        """The constant of a node, as a value of the type; raises NoConditionError if it is none."""
        token = cast("Tree[Token]", node).children[0]
        value = self.words.value(cast("Token", token))
        return Constant(fitting(cast("Token", token).type, value, type_))

    def guarded(self, atom: Term, *nouns: Term) -> Term:
        """A test of fields that elements may lack: the rule denies if a field is missing."""
        lacking = [attribute for noun in nouns for attribute in lacking_inside(noun)]
        for place in lacking:
            absent = IsMissing(place)
            atom = any_of(absent, atom) if self.denying else all_of(opposite(absent), atom)
        return atom


def _is_joint(node: object) -> bool:
    return isinstance(node, Token) and node.type in ("AND", "OR", "COMMA", "OPEN", "CLOSE", "OF")
