"""A person's answers to the questions of a former drafting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.author.model.whole_file.contested_inputs import ContestedInput, answered_case, decisions
from workbench.author.model.whole_file.model_cases import RunCase
from workbench.author.model.whole_file.stored_drafting import KeptDrafting
from workbench.author.model.whole_file.stored_parts import question_of
from workbench.author.protocol import CASE
from workbench.model import Question


@dataclass(frozen=True, slots=True)
class PersonAnswers:
    """The questions of the former drafting (none without a drafting), and the choices of a person.

    ``former_choices`` are those that the model already knew then.
    """

    asked: Sequence[ContestedInput]
    choices: Mapping[str, str]
    former_choices: Mapping[str, str]

    @classmethod
    def to(cls, former: KeptDrafting | None, request: str, choices: Mapping[str, str]) -> PersonAnswers:
        """The answers to a former drafting's questions."""
        if former is None:
            return cls((), choices, {})
        contested = [
            ContestedInput(question_of(question, request), question.run) for question in former.questions
        ]
        return cls(contested, choices, former.choices)

    @property
    def questions(self) -> list[Question]:
        """The questions of the former drafting."""
        return [one.question for one in self.asked]

    @property
    def told(self) -> dict[str, str]:
        """The choices that answer one of the questions."""
        ids = {question.id for question in self.questions}
        return {id_: value for id_, value in self.choices.items() if id_ in ids}

    @property
    def answered(self) -> list[ContestedInput]:
        """The questions that have an answer."""
        return [one for one in self.asked if one.question.id in self.choices]

    @property
    def decisions(self) -> tuple[str, ...]:
        """The decisions of the person, as sentences."""
        return decisions(self.questions, self.choices)

    @property
    def cases(self) -> list[RunCase]:
        """The inputs that the person has decided."""
        cases = (answered_case(one, self.choices.get(one.question.id, "")) for one in self.asked)
        return [case for case in cases if case is not None]

    @property
    def have_news(self) -> bool:
        """Whether an answer is new to the model, apart from decided inputs, which only become cases."""
        return any(
            question.kind != CASE
            and self.choices.get(question.id, "") != self.former_choices.get(question.id, "")
            for question in self.questions
        )
