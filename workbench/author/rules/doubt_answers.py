"""The answers to doubts: goes over those that parsing leaves, and over those about the whole request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from workbench.author.rules.answers import Answers, chosen
from workbench.author.rules.parsing import Parsed
from workbench.model import Doubt


@dataclass(slots=True)
class DoubtAnswers:
    """Goes over the doubts of a request, in their order, under given choices."""

    choices: Mapping[str, str]
    _answers: Answers = field(init=False)

    def __post_init__(self) -> None:
        """A choice without a value is none."""
        self._answers = Answers({id_: value for id_, value in self.choices.items() if value})

    @property
    def doubts(self) -> Mapping[str, Doubt]:
        """The doubts gone over, by id."""
        return self._answers.doubts

    def ask(self, doubt: Doubt) -> str:
        """The value chosen for the doubt, empty where there is no safe default and nobody has decided."""
        return self._answers.to(doubt)

    def settle[R](self, parse: Callable[[Mapping[str, str]], Parsed[R]]) -> Parsed[R]:
        """The result of ``parse`` under the choices, after going over its doubts.

        A doubt that an earlier text left with another default is undecided: then it is parsed again with that
        as answer.
        """
        answers = self._answers.choices
        while True:
            parsed = parse(answers)
            merged = [self._answers.merged(doubt) for doubt in parsed.doubts]
            other = {
                doubt.id: answer
                for doubt, known in zip(parsed.doubts, merged, strict=True)
                if (answer := chosen(known, self._answers.choices)) != chosen(doubt, answers)
            }
            if not other:
                break
            answers = {**answers, **other}
        for doubt in parsed.doubts:
            self.ask(doubt)
        return parsed
