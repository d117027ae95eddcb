"""How far a person is on the way through a request: what is open, what blocks first, and the next step."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from workbench.app.owed import Owed, OwedKind, not_asked, not_in_force
from workbench.app.requested_sentence import RequestedSentence, SentenceState
from workbench.app.results import Understanding
from workbench.clean_text import counted, one_line
from workbench.model import Question

_FIRST_WORDS = 4
_MOST_VALUES = 4
"""The most answers that the next step names."""


@dataclass(frozen=True)
class Standing:
    """The sentences of a request with what they are read as, and what a session asks and owes.

    ``folder`` is the session's, ``guarded`` says why guards do not enforce this version; empty if they do.
    ``to_look_at`` counts the calls that a person has not looked at, where nothing else is left.
    """

    folder: str
    sentences: tuple[RequestedSentence, ...]
    understanding: Understanding
    guarded: str = ""
    to_look_at: int = 0

    @cached_property
    def open_sentences(self) -> tuple[RequestedSentence, ...]:
        """The sentences of which nothing says what they mean, in the order of the request."""
        return tuple(one for one in self.sentences if one.state is SentenceState.OPEN)

    @property
    def counts(self) -> Mapping[SentenceState, int]:
        """The number of sentences in each state."""
        return Counter(one.state for one in self.sentences)

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The open questions, without those that only say that a sentence is open."""
        from workbench.check.undemanded import clause_question

        said = {clause_question(one.requirement, ()) for one in self.open_sentences}
        return tuple(question for question in self.understanding.open if question.id not in said)

    @cached_property
    def missing(self) -> tuple[Owed, ...]:
        """What is not in force and no question asks about."""
        return not_asked(not_in_force(self.understanding.owed), self.understanding.open)

    @property
    def settled(self) -> bool:
        """Whether nothing is open, and all that is owed is in force."""
        return self.understanding.settled and not self.open_sentences

    @property
    def next_step(self) -> str:
        """What to do next, which ends with the command; of an open sentence with lines below it."""
        folder = shlex.quote(self.folder)
        first = [item for item in self.missing if item.kind is not OwedKind.REQUIREMENT]
        if first:
            return one_line(first[0].mend)
        exact = [one for one in self.open_sentences if one.exact]
        if exact:
            return f"keep what is in the language: workbench say {folder} --as-they-stand --keep"
        if self.open_sentences:
            words = beginning(self.open_sentences[0], self.sentences)
            return (
                "see what the first open sentence may mean, by the command\n"
                f"  workbench say {folder} --for {words}\n"
                'The same with "SENTENCE" --keep says what it means, with --context REASON --keep that it '
                "states no rule."
            )
        if self.missing:  # citations of no sentence: what is open may say them
            return one_line(self.missing[0].mend)
        if self.questions:
            question = self.questions[0]
            values = "VALUE"
            if len(question.options) <= _MOST_VALUES:
                values = " or ".join(shlex.quote(option.value) for option in question.options)
            return f"answer the first question: workbench answer {folder} {question.id} {values}"
        if self.guarded:
            return f"check it, and accept it for the guards: workbench check {folder} --accept"
        if self.to_look_at:
            causes = counted(self.to_look_at, "cause")
            return (
                f"{causes} of denials that nobody judged: workbench denials {folder}\n"
                f"Nothing else is left, and none holds up the guard: workbench export {folder}"
            )
        return f"nothing is left to do but to write the guard: workbench export {folder}"


def beginning(sentence: RequestedSentence, sentences: tuple[RequestedSentence, ...]) -> str:
    """The first words of a sentence that no other sentence begins with, quoted for a shell."""
    from workbench.author.citations import folded

    words = one_line(sentence.requirement.text).split()
    others = [folded(one.requirement.text) for one in sentences if one is not sentence]
    for count in range(min(_FIRST_WORDS, len(words)), len(words)):
        begun = " ".join(words[:count])
        if folded(begun) and not any(text.startswith(folded(begun)) for text in others):
            return shlex.quote(begun)
    return shlex.quote(" ".join(words))
