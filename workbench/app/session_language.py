"""The language of a policy of calls, made once for a text and an agent."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from workbench.dialect.written_agent import WrittenAgent
from workbench.language.alone import ALONE
from workbench.model import AgentSpec
from workbench.policy.checker.syntax_tree import statements
from workbench.policy.rule_names import RULES
from workbench.policy.written import ArgumentWords, WrittenFile

if TYPE_CHECKING:
    from workbench.files.kept_texts import KeptText, KeptTexts
    from workbench.language.language import Language, WrittenSentences

SENTENCE_CODE = (
    "language", "dialect", "policy", "runs", "serialization", "clean_text.py", "likeness.py", "model.py",
)  # fmt: skip
"""The code that a sentence depends on: the kinds of texts have words and readings of their own."""
_OF_TOOL = ("tool == ", "tool in ", "tool != ", "tool not in ")
RULE_CODE = (*SENTENCE_CODE, "engines", "clarify", "check", "guard")
"""The code on which it depends what is found of the rules of a policy."""


def language_of(source: str, agent: AgentSpec) -> Language:
    """The language of a policy; raises PolicyError for a text that is not in the dialect."""
    return _language(source, WrittenAgent(agent))


def rule_sentences(source: str, agent: AgentSpec) -> Mapping[str, str]:
    """What each rule of a policy says, by its name; its Python where the grammar has no words for it.

    Raises PolicyError for a text that is not in the dialect.
    """
    with ALONE:
        language = language_of(source, agent)
        rules = {
            node.name: ast.unparse(node)
            for node in statements(source)
            if isinstance(node, ast.FunctionDef) and node.name.startswith(RULES)
        }
        said: dict[str, list[str]] = {}
        for one in language.aloud(rules):
            said.setdefault(one.name, []).append(one.text)
    return {name: " ".join(said[name]) if all(said[name]) else rules[name] for name in rules}


def words_of_arguments(file: WrittenFile, agent: AgentSpec) -> ArgumentWords:
    """The words for the arguments of a policy, as its sentences have them.

    What has a noun of its own keeps it; what the grammar has no words for is called by its expression. Raises
    PolicyError for a text that is not in the dialect.
    """
    words = file.words
    if not words:
        return words
    with ALONE:
        language = language_of(file.text, agent)
        spoken: dict[str, str] = {}
        for argument in file.arguments:
            text = words.expressions.get(argument.name)
            if text is None or argument.description not in ("", text):
                continue
            tools = words.tools_of(argument.name) or [one.tool for one in language.types.calls.values()]
            spoken[argument.name] = language.value(text, tools)
            for name, _ in () if argument.type.record is None else argument.type.record.fields:
                spoken[f"{argument.name}.{name}"] = language.value(f"{text}.{name}", tools)
    return ArgumentWords(file.arguments, {name: said for name, said in spoken.items() if said})


def conditions_in_words(
    conditions: Sequence[tuple[str, bool]], tool: str, file: WrittenFile, agent: AgentSpec
) -> tuple[tuple[str, bool], ...]:
    """The conditions of a rule about a call of a tool in words, where the grammar has some, with their truth.

    Conditions on the tool itself are left out where there are others: the rule's sentence names its tools.
    """
    with ALONE:
        language = language_of(file.text, agent)
        others = [one for one in conditions if not one[0].startswith(_OF_TOOL)] or conditions
        said = ((file.words.said(text), holds) for text, holds in others)
        return tuple((language.condition(text, (tool,)) or text, holds) for text, holds in said)


def condition_in_words(file: WrittenFile, agent: AgentSpec, tool: str, python: str) -> str:
    """A condition on a call of a tool in words; empty if the grammar has none."""
    with ALONE:
        return language_of(file.text, agent).condition(python, (tool,))


@lru_cache(maxsize=4)
def _language(source: str, agent: WrittenAgent) -> Language:
    from workbench.dialect.call_types import agent_types
    from workbench.dialect.lowered_policy import lowered_policy
    from workbench.language.language import Language

    # the policy that the engines have is not checked once more
    calls = lowered_policy(source, agent.spec).calls
    return Language(agent_types(agent.spec), source, calls, written_sentences)


@lru_cache(maxsize=8)
def written_sentences(lexicon: str) -> WrittenSentences:
    """The sentences written by a lexicon, which policies share that differ in rules and values alone."""
    from workbench.language.language import WrittenSentences

    return WrittenSentences(_texts(lexicon, *SENTENCE_CODE))


def kept_of(language: Language, agent: AgentSpec) -> KeptText:
    """What was found of the rules of a policy, by its text and its agent."""
    from workbench.files.kept_texts import KeptText

    texts = _texts("rules", *RULE_CODE)
    return KeptText(texts, f"{WrittenAgent(agent).written}\n{language.source}")


@lru_cache(maxsize=16)
def _texts(maker: str, *parts: str) -> KeptTexts:
    """The kept texts that depend on some parts of the code, and on what ``maker`` says."""
    from workbench.files.kept_texts import KeptTexts, code_of

    kept = KeptTexts(f"{code_of(*parts)}\n{maker}")
    _kept.append(kept)
    return kept


_kept: deque[KeptTexts] = deque(maxlen=16)


def keep_texts() -> None:
    """Write what this process found for the next one."""
    for kept in tuple(_kept):
        kept.save()
