"""What the screen asks about the questions of a real session, in the screen's own values."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from workbench.clean_text import one_line
from workbench.model import Assumption, MadeBy, Question, SentenceRole
from workbench.old_screen.live_calls import LiveCalls
from workbench.old_screen.state import Contents, Turned
from workbench.old_screen.value_text import VERDICT_NAME, value_text

if TYPE_CHECKING:
    from workbench.app.results import Understanding
    from workbench.clarify import QuestionExplanation, RefinedRequest

ROLE_WORD = {SentenceRole.REQUIREMENT: "rule", SentenceRole.CONTEXT: "context", SentenceRole.OPEN: "open"}
MAKER = {MadeBy.HUMAN: "a person", MadeBy.DEFAULT: "default"}


class QuestionCalls(LiveCalls):
    """The calls of a ``Port`` about questions."""

    @abstractmethod
    def _understand(self) -> Understanding:
        """What the clarifier makes of the session."""

    def turned(self, question: Question) -> Mapping[str, Turned]:
        """Decide the recorded steps under each answer."""
        logs = self._loaded()
        return {
            value: Turned(found.allowed, found.denied, found.undecidable, len(logs.steps))
            for value, found in self._bench.questions.turned_by(question, logs).items()
        }

    def reject(self, question: Question) -> Contents:
        """Keep that no reading is meant."""
        return self._changed(self._bench.questions.reject(question))

    def put_assumption(self, made: Assumption) -> Contents:
        """Store an assumption in other words."""
        return self._changed(self._bench.questions.edit_assumption(made))

    def paths(self, question: Question) -> str:
        """The path of each reading on the example."""
        return "\n".join(_path_lines(self._bench.questions.explain(question, self._loaded())))

    def refined(self) -> str:
        """The refined request, sentence by sentence."""
        return "\n".join(_refined_lines(self._bench.questions.refined(self._understand())))


def _refined_lines(found: RefinedRequest) -> Iterator[str]:
    for sentence in found.sentences:
        yield f"{ROLE_WORD[sentence.role]:9}{one_line(sentence.written)}"
        for requirement in sentence.understood:
            yield f"         {requirement.id}: {one_line(requirement.text)}"
        for item in sentence.assumptions:
            yield f"         assumed by {MAKER[item.made_by]}: {one_line(item.statement)}"
    for requirement in found.added:
        yield f"added    {requirement.id}: {one_line(requirement.text)}"
    for item in found.general:
        yield f"assumed  by {MAKER[item.made_by]}: {one_line(item.statement)}"
    for question in found.open:
        yield f"open     {one_line(question.text)}"


def _path_lines(found: QuestionExplanation) -> Iterator[str]:
    if found.question.example is None or not found.readings:
        yield "There is no input on which the answers could be compared."
        return
    yield "On this input:"
    yield from (f"  {name} = {value_text(value)}" for name, value in found.question.shown.items())
    for reading in found.readings:
        yield ""
        yield f"{reading.option.label}: {VERDICT_NAME[reading.verdict]}"
        for step in reading.path:
            yield f"  {step.rule} {'fires' if step.fired else 'does not fire'}"
            yield from (f"    {'yes' if holds else 'no ':3} {text}" for text, holds in step.conditions)
