"""The author of a policy of calls is the person who writes it: the draft is what the file says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from itertools import groupby
from typing import cast

from workbench.author.citations import folded, name_of
from workbench.author.request_outline import OutlinedSentence, outline
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
from workbench.dialect.run_values import all_parts
from workbench.model import (
    NOWHERE,
    AgentSpec,
    Draft,
    Requirement,
    Scalar,
    Sentence,
    SentenceRole,
    WorkbenchError,
)
from workbench.policy.checker.syntax_tree import split_requirements
from workbench.policy.terms import Constant, ConstantSet, TableEntry


class WrittenAuthor:
    """Drafts nothing: the policy of calls is written, and its rules and clauses cite the request's sentences.

    A rule or clause cites a sentence by having its words, whatever the label of either is. A sentence that
    none cites is a requirement of its own, which the session owes; one that only heads others is implied.
    """

    def __init__(self, policy: Callable[[], str]) -> None:
        """Take what gives the text of the policy of calls."""
        self._policy = policy
        self._drafted: tuple[object, str, Draft] | None = None

    def draft(self, request: str, spec: AgentSpec, choices: Mapping[str, str]) -> Draft:  # noqa: ARG002 # of the protocol
        """The policy as it is written, over plain arguments; choices change nothing of it.

        Of a policy that is not in the dialect only the sentences are known; its check reports its problems.
        """
        try:
            lowered = lowered_policy(self._policy(), spec, "policy.py")
        except WorkbenchError:
            lowered = None
        known = self._drafted
        if known is None or known[0] is not lowered or known[1] != request:
            known = self._drafted = lowered, request, self._draft(request, lowered)
        return known[2]

    def _draft(self, request: str, lowered: LoweredPolicy | None) -> Draft:
        said = outline(request)
        if lowered is not None and any(one.row for one in said):
            said = tuple(_without_covered_rows(said, _cited_tables(lowered)))
        cited = {} if lowered is None else _cited(lowered)
        requirements = tuple(_requirements(request, said, cited))
        by_words = {folded(one.text): one.id for one in requirements if one.quote}
        ids = [by_words[folded(split_requirements(one.words)[1])] for one in said]
        return Draft(
            tuple(
                Sentence(one.text, one.span, SentenceRole.REQUIREMENT, (name,))
                for one, name in zip(said, ids, strict=True)
            ),
            requirements,
            () if lowered is None else lowered.arguments,
            "" if lowered is None else self._policy(),
            implied=tuple(
                name for one, name in zip(said, ids, strict=True) if one.heads and name not in cited
            ),
        )


def _without_covered_rows(
    said: Iterable[OutlinedSentence], tables: Mapping[str, Set[frozenset[Scalar]]]
) -> Iterator[OutlinedSentence]:
    """The sentences without the rows of tables that a clause covers.

    It cites the sentence above the table, and has the names of all its rows as a set of texts.
    """
    for (under, has_rows), group in groupby(said, lambda one: (one.under, bool(one.row))):
        whole = list(group)
        entries = frozenset[Scalar](name for one in whole for name in one.row)
        if not has_rows or not under or entries not in tables.get(folded(under[-1]), ()):
            yield from whole


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
    request: str, said: tuple[OutlinedSentence, ...], cited: Mapping[str, str]
) -> Iterator[Requirement]:
    """A requirement for the words of each sentence, then one for each citation of no sentence."""
    names: dict[str, str] = {}
    for name, text in cited.items():
        names.setdefault(folded(text), name)
    taken, known = set(cited), set[str]()
    for one in said:
        labels, text = split_requirements(one.words)
        words = folded(text)
        if words in known:  # the same sentence once more
            continue
        known.add(words)
        free = next((label for label in labels if label not in taken), "")
        name = names.pop(words, "") or free or name_of(text)
        while name in taken and name not in cited:  # two sentences of one name
            name = f"{name}.1"
        taken.add(name)
        yield Requirement(name, text, request[one.span.start : one.span.end], one.span)
    for name in names.values():
        yield Requirement(name, cited[name], "", NOWHERE)
