"""The situation in which questions are sought: a draft under its choices, and drafts under other choices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from workbench.author.model.errors import NotRecorded
from workbench.author.protocol import Author
from workbench.model import AgentSpec, Arguments, Doubt, Draft, Question, WorkbenchError
from workbench.policy.check import check
from workbench.policy.terms import PolicyTerms


@dataclass(frozen=True)
class Situation:
    """A request as drafted under ``choices``.

    ``inputs`` are complete argument vectors from imported logs; questions prefer them as examples. ``edited``
    is True if a person has edited the policy, so that the draft alone does not decide.
    """

    request: str
    spec: AgentSpec
    draft: Draft
    choices: Mapping[str, str]
    author: Author
    inputs: tuple[Arguments, ...] = ()
    edited: bool = False
    _drafts: dict[tuple[tuple[str, str], ...], Draft] = field(
        default_factory=dict[tuple[tuple[str, str], ...], Draft], repr=False, compare=False
    )
    _questions: dict[tuple[tuple[str, str], ...], tuple[Question, ...]] = field(
        default_factory=dict[tuple[tuple[str, str], ...], tuple[Question, ...]], repr=False, compare=False
    )
    _terms: dict[str, PolicyTerms | None] = field(
        default_factory=dict[str, PolicyTerms | None], repr=False, compare=False
    )

    def questions(self, find: Callable[[Situation], tuple[Question, ...]]) -> tuple[Question, ...]:
        """The questions that ``find`` finds under these choices; it runs once."""
        key = tuple(sorted(self.choices.items()))
        if key not in self._questions:
            self._questions[key] = find(self)
        return self._questions[key]

    @cached_property
    def terms(self) -> PolicyTerms | None:
        """The checked policy of the draft, or None if it is not in the dialect."""
        return self._checked(self.draft.policy)

    def doubts(self, kind: str) -> Iterator[Doubt]:
        """The draft's doubts of a kind."""
        return (doubt for doubt in self.draft.doubts if doubt.kind == kind)

    def under(self, choices: Mapping[str, str]) -> Situation:
        """The same request under other choices; drafts that exist already are shared."""
        key = tuple(sorted(choices.items()))
        if key not in self._drafts:
            self._drafts[key] = self.author.draft(self.request, self.spec, choices)
        return replace(self, draft=self._drafts[key], choices=choices)

    def draft_under(self, more: Mapping[str, str]) -> Draft:
        """The draft under the situation's choices and ``more``."""
        choices = {**self.choices, **more}
        key = tuple(sorted(choices.items()))
        if key not in self._drafts:
            self._drafts[key] = self.author.draft(self.request, self.spec, choices)
        return self._drafts[key]

    def terms_under(self, more: Mapping[str, str]) -> PolicyTerms | None:
        """The checked policy under the situation's choices and ``more``, or None if there is none.

        The default choice decides like no choice, so it needs no draft of its own. If a model's calls are
        replayed and this draft was never recorded, there is none.
        """
        defaults = {question.id: question.default for question in (*self.draft.doubts, *self.draft.questions)}
        more = {
            id_: value for id_, value in more.items() if id_ in self.choices or defaults.get(id_) != value
        }
        if not more:
            return self.terms
        try:
            return self._checked(self.draft_under(more).policy)
        except NotRecorded:
            return None

    def _checked(self, policy: str) -> PolicyTerms | None:
        if policy not in self._terms:
            try:
                self._terms[policy] = check(policy)
            except WorkbenchError:
                self._terms[policy] = None
        return self._terms[policy]
