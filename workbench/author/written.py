"""The author of a policy of calls is the person who writes it: the draft is what the file says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from itertools import groupby
from typing import cast

from workbench.author.citations import folded, name_of
from workbench.author.rules.request_text import FIELD, Block, BlockKind, plain, read_blocks, sentences
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
from workbench.dialect.run_values import all_parts
from workbench.model import (
    AgentSpec,
    Draft,
    Requirement,
    Scalar,
    Sentence,
    SentenceRole,
    Span,
    WorkbenchError,
    span_of,
)
from workbench.policy.checker.syntax_tree import split_requirements
from workbench.policy.terms import Constant, ConstantSet, TableEntry

_ROW = re.compile(r"(\w+):\s*(\w+(?:,\s*\w+)*)")
NO_SENTENCE = Span(0, 0)
"""The place of what a rule or clause cites and no sentence says."""


class WrittenAuthor:
    """Drafts nothing: the policy of calls is written, and its rules and clauses cite the request's sentences.

    A rule or clause cites a sentence by having its words, whatever the label of either is. A sentence that
    none cites is a requirement without a clause, which the session owes.
    """

    def __init__(self, policy: Callable[[], str]) -> None:
        """Take what gives the text of the policy of calls."""
        self._policy = policy

    def draft(self, request: str, spec: AgentSpec, choices: Mapping[str, str]) -> Draft:  # noqa: ARG002 # of the protocol
        """The policy as it is written, over plain arguments; choices change nothing of it.

        Of a policy that is not in the dialect only the sentences are known; its check reports its problems.
        """
        try:
            lowered = lowered_policy(self._policy(), spec, "policy.py")
        except WorkbenchError:
            lowered = None
        said = tuple(_said(request, {} if lowered is None else _cited_tables(lowered)))
        cited = {} if lowered is None else _cited(lowered)
        requirements = tuple(_requirements(request, said, cited))
        by_span = {requirement.span: requirement.id for requirement in requirements}
        return Draft(
            tuple(Sentence(text, span, SentenceRole.REQUIREMENT, (by_span[span],)) for text, span in said),
            requirements,
            () if lowered is None else lowered.arguments,
            "" if lowered is None else lowered.text,
        )


def _said(request: str, tables: Mapping[str, Set[frozenset[Scalar]]]) -> Iterator[tuple[str, Span]]:
    """The sentences of a request with their places, without headings.

    Lines ``Key: value`` next to each other are one card, whose words are those of its last value. Items
    ``name: name, name`` are a table of the sentence above them; they are sentences of their own unless a
    clause that cites this sentence has them as a set of texts, ``name.name``.
    """
    above = ""
    for kind, group in groupby(read_blocks(request), _kind):
        blocks = list(group)
        card = FIELD.fullmatch(blocks[-1].text) if kind is BlockKind.FIELD and len(blocks) > 1 else None
        if card is not None:
            yield card["value"], span_of(request, blocks[0].span.start, blocks[-1].span.end)
        elif kind is not BlockKind.HEADING and (
            kind is not BlockKind.ITEM or _entries(blocks) not in tables.get(folded(above), ())
        ):
            for block in blocks:
                for span in sentences(request, block.span):
                    yield plain(request[span.start : span.end]), span
        above = blocks[-1].text


def _kind(block: Block) -> BlockKind:
    return block.kind


def _entries(items: Iterable[Block]) -> frozenset[Scalar] | None:
    """The entries ``name.name`` of a table whose rows these are; None if they are none."""
    rows = [_ROW.fullmatch(item.text) for item in items]
    if not all(rows):
        return None
    return frozenset(f"{row[1]}.{name}" for row in rows if row for name in re.findall(r"\w+", row[2]))


def _cited_tables(lowered: LoweredPolicy) -> Mapping[str, Set[frozenset[Scalar]]]:
    """The constant sets of the clauses, by the words that they cite."""
    calls = lowered.calls
    found: dict[str, set[frozenset[Scalar]]] = {}
    for clause in calls.clauses:
        for one in clause.terms:
            for part in all_parts(one.term, calls.values):
                match getattr(part, "collection", None):
                    case ConstantSet(members):
                        found.setdefault(folded(clause.comment), set()).add(frozenset(members))
                    case TableEntry(table, Constant(key)):
                        entry = calls.tables[table].entries.get(cast("Scalar", key))
                        if isinstance(entry, frozenset):
                            found.setdefault(folded(clause.comment), set()).add(entry)
                    case _:
                        pass
    return found


def _cited(lowered: LoweredPolicy) -> dict[str, str]:
    """The words that the rules and clauses of a policy give each requirement; those of a rule come first."""
    words: dict[str, str] = {}
    for rule in lowered.calls.rules:
        for name in rule.requirements:
            words.setdefault(name, rule.message)
    for clause in lowered.calls.clauses:
        for name in clause.requirements:
            words.setdefault(name, clause.comment)
    return words


def _requirements(
    request: str, said: tuple[tuple[str, Span], ...], cited: Mapping[str, str]
) -> Iterator[Requirement]:
    names: dict[str, str] = {}
    for name, text in cited.items():
        names.setdefault(folded(text), name)
    taken = set(cited)
    for sentence, span in said:
        labels, text = split_requirements(sentence)
        free = next((label for label in labels if label not in cited), "")
        name = names.pop(folded(text), "") or free or name_of(text)
        while name in taken and name not in cited:  # the same words twice, or two sentences of one name
            name = f"{name}.1"
        taken.add(name)
        yield Requirement(name, text, request[span.start : span.end], span)
    for name in names.values():
        yield Requirement(name, cited[name], "", NO_SENTENCE)
