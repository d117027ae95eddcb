"""The corpus of policy sentences: the meaning of each, and the author's reading of it.

A sentence is *wrong* if it is read without a question, but not with its meaning, or if it is asked about and
no combination of answers gives its meaning. If the question asks for other words, a person can still give the
meaning, so a sentence that could not be read is never wrong.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import Any

import tomlkit

from workbench.author.rules import RulesAuthor
from workbench.author.rules.file_text import annotation, type_name
from workbench.clarify import Situation, find_questions
from workbench.engines.smt.preview import equivalent
from workbench.model import AgentSpec, Argument, Draft, Kind, Question
from workbench.policy.check import check
from workbench.policy.render import literal
from workbench.policy.terms import PolicyTerms
from workbench.session.agent_file import read_agent

FOLDER = Path(__file__).parent / "corpus"
AUTHOR = RulesAuthor()
READ, WRONG, ASKED = "read", "wrong", "asked"
CORPORA = (*("sentences", "unseen", "domains", "traps", "late", "first_use", "forms", "everyday", "trades"),)
"""The files of ``corpus/``, in the order of the documents."""


@dataclass(frozen=True, slots=True, eq=False)  # each equals only itself, so that it is judged once
class CorpusSentence:
    """A sentence for one agent; ``meanings`` are conditions of the dialect, two if the sentence is ambiguous.

    There is no meaning if a person has to add something first: the agent cannot know what the sentence is
    about, or the sentence has no plain meaning. ``allows`` says whether the meanings state what is allowed
    while everything else is forbidden, instead of what is denied while everything else is allowed.
    """

    id: str
    spec: AgentSpec
    text: str
    meanings: tuple[str, ...]
    allows: bool

    @property
    def request(self) -> str:
        """The sentence with the rule for everything else."""
        return f"{self.text}\n\nEverything else is {'forbidden' if self.allows else 'allowed'}.\n"


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgement of a sentence: read, wrong or asked; ``kinds`` are those of its open questions."""

    outcome: str
    kinds: tuple[str, ...]
    policy: str


@cache
def corpus(name: str = "sentences") -> tuple[CorpusSentence, ...]:
    """Every sentence of the corpus, or of the file ``name`` next to it, in order."""
    agents = _agents()
    return tuple(
        CorpusSentence(
            entry["id"],
            agents[entry["agent"]],
            entry["text"],
            _meanings(entry),
            "allows" in entry,
        )
        for entry in _content(name)["sentences"]
    )


@cache
def _agents() -> Mapping[str, AgentSpec]:
    return {
        name: read_agent(tomlkit.dumps(table))
        for part in CORPORA
        for name, table in _content(part).get("agents", {}).items()
    }


def _content(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def _meanings(declared: Mapping[str, Any]) -> tuple[str, ...]:
    if declared.get("asks"):
        return ()
    return tuple(declared.get("readings") or [declared.get("denies") or declared["allows"]])


@cache
def outcomes(name: str) -> Counter[str]:
    """The number of sentences of a corpus with each judgement."""
    return Counter(judge(sentence).outcome for sentence in corpus(name))


@cache
def judge(sentence: CorpusSentence) -> Judged:
    """Draft the sentence and compare its possible policies with its meanings."""
    draft = AUTHOR.draft(sentence.request, sentence.spec, {})
    questions = _questions(sentence, draft, {})
    kinds = tuple(question.kind for question in questions)
    meant = [_by_hand(sentence, meaning) for meaning in sentence.meanings]
    if not questions:
        right = len(meant) == 1 and _same(sentence, draft, meant[0])
        return Judged(READ if right else WRONG, kinds, draft.policy)
    if any(question.free_text and question.blocking for question in questions):
        return Judged(ASKED, kinds, draft.policy)
    drafts = list(_drafts(sentence, questions))
    reached = [any(_same(sentence, other_draft, meaning) for other_draft in drafts) for meaning in meant]
    return Judged(ASKED if all(reached) else WRONG, kinds, draft.policy)


def _questions(sentence: CorpusSentence, draft: Draft, choices: Mapping[str, str]) -> list[Question]:
    situation = Situation(sentence.request, sentence.spec, draft, choices, AUTHOR)
    return [question for question in find_questions(situation) if question.id not in choices]


def _drafts(sentence: CorpusSentence, questions: list[Question]) -> Iterator[Draft]:
    axes = [[(question.id, option.value) for option in question.options] for question in questions]
    for combination in islice(product(*axes), 64):
        yield AUTHOR.draft(sentence.request, sentence.spec, dict(combination))


def _same(sentence: CorpusSentence, draft: Draft, meant: PolicyTerms) -> bool:
    """Whether the draft decides every input as meant."""
    terms = check(draft.policy)
    known = {argument.name for argument in sentence.spec.arguments}
    return {argument.name for argument in terms.arguments} <= known and equivalent(terms, meant)


def _by_hand(sentence: CorpusSentence, meaning: str) -> PolicyTerms:
    arguments = sentence.spec.arguments
    parameters = ", ".join(f"{argument.name}: {annotation(argument)}" for argument in arguments)
    names = ", ".join(argument.name for argument in arguments)
    kind, decided = ("permit", "") if sentence.allows else ("forbid", "not ")
    source = (
        f"from datetime import date, time\nfrom decimal import Decimal\nfrom typing import Literal\n\n"
        f"from nagini_contracts.contracts import Ensures, Result\n\n{_enums(arguments)}\n\n"
        f'def {kind}_by_hand({parameters}) -> bool:\n    """By hand."""\n    return {meaning}\n\n\n'
        f"def allow({parameters}) -> bool:\n    Ensures(Result() == Result())\n"
        f"    return {decided}{kind}_by_hand({names})\n"
    )
    return check(source)


def _enums(arguments: tuple[Argument, ...]) -> str:
    return "\n".join(
        f"{type_name(argument)} = Literal[{', '.join(literal(value) for value in argument.type.values)}]"
        for argument in arguments
        if argument.type.kind is Kind.ENUM
    )
