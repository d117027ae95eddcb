"""The sentences of a policy of calls: read aloud, completed while they are typed, and kept as rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.app.session_language import language_of
from workbench.language.completion import Completion, completion
from workbench.language.language import Language, Said, lines_of
from workbench.model import WorkbenchError

if TYPE_CHECKING:
    from workbench.app.contradictions import Contradiction
    from workbench.app.policy import Policy
    from workbench.app.results import Logs, PolicyChange
    from workbench.language.trees import Tree
    from workbench.session import Session

__all__ = ["Completion", "NotASentence", "Said", "SayPreview", "Sentences"]

_MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class SayPreview:
    """A sentence and what it says: its part of the policy file, and the effect of having it there.

    ``text`` is the sentence as the workbench writes it, and ``python`` the function that it is. ``policy`` is
    the file with it, ``change`` compares the policy before and after, and ``contradictions`` are clauses that
    would not hold.
    """

    name: str
    text: str
    python: str
    policy: str
    change: PolicyChange
    contradictions: tuple[Contradiction, ...] = ()
    stored: bool = False

    @property
    def lines(self) -> Sequence[str]:
        """The sentence with each item of its lists on a line of its own."""
        return lines_of(self.text)


class NotASentence(WorkbenchError):
    """A text that the language does not read; ``found`` is what of it is read, and what could follow."""

    def __init__(self, found: Completion, why: str) -> None:
        """Say how far the text is read, and what could stand there."""
        offered = ", ".join(found.offered[:_MOST_NAMED])
        follows = f" After it could stand: {offered}." if offered else ""
        super().__init__(f"{why} It is read up to “{found.beginning}”.{follows}")
        self.found = found


class Sentences:
    """The sentences of one session."""

    def __init__(self, session: Session, policy: Policy) -> None:
        self._session = session
        self._policy = policy

    @property
    def language(self) -> Language:
        """The language of the policy as it is.

        Raises WorkbenchError if the policy is none of calls, or not in the dialect.
        """
        if not self._session.is_written:
            raise WorkbenchError(
                f"The policy of {self._session.info.name} is over arguments; only a policy of calls has "
                "sentences. `workbench rules` reads its rules aloud."
            )
        return language_of(self._session.written, self._session.agent)

    def aloud(self) -> tuple[Said, ...]:
        """Every rule, clause, fact and list of the policy with its sentence."""
        return tuple(self.language.aloud())

    def complete(self, text: str) -> Completion:
        """What may come next after a text."""
        return completion(self.language.reader, text)

    def preview(self, text: str, logs: Logs | None = None) -> SayPreview:
        """What a sentence says and what it changes; nothing is stored.

        Raises NotASentence for a text that is none of the language, and PolicyError for a rule that the
        dialect refuses, such as one about a value that may be missing.
        """
        from workbench.app.contradictions import newly_refuted
        from workbench.language.kept_sentence import with_sentence

        language = self.language
        tree = self.tree(text)
        before = self._session.written
        kept = with_sentence(language, tree, text)
        found = newly_refuted(self._policy.terms(), self._policy.terms(kept.policy))
        change = self._policy.diff(before, kept.policy, logs)
        return SayPreview(kept.name, language.write(tree) or text, kept.python, kept.policy, change, found)

    def keep(self, text: str, logs: Logs | None = None, *, anyway: bool = False) -> SayPreview:
        """Store what a sentence says in the policy file; undo takes it back.

        Raises Contradicts, and stores nothing, if clauses of the contract would not hold then; with
        ``anyway`` it is stored all the same.
        """
        from workbench.app.contradictions import Contradicts

        sentence = self.preview(text, logs)
        if sentence.contradictions and not anyway:
            raise Contradicts(sentence.contradictions)
        self._session.set_policy(sentence.policy, f"Say: {sentence.text}")
        return replace(sentence, stored=True)

    def tree(self, text: str) -> Tree:
        """The one meaning of a sentence; raises NotASentence, or WorkbenchError where it has several."""
        language = self.language
        trees = language.read(text)
        if len(trees) > 1:
            meanings = " Or: ".join(language.write(tree) or "another reading" for tree in trees[:3])
            raise WorkbenchError(f"The sentence can be read in {len(trees)} ways. {meanings}")
        if not trees:
            raise NotASentence(self.complete(text), "This is no sentence of the language.")
        return trees[0]
