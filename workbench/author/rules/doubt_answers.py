"""The answers to doubts: resolves the doubts that parsing leaves, and those about the whole request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from workbench.author.rules.answers import Answers, chosen
from workbench.author.rules.parsing import Parsed
from workbench.model import Doubt


@dataclass(slots=True)
class DoubtAnswers:
    """Resolves the doubts of a request, in their order, under given choices."""

    choices: Mapping[str, str]
    _answers: Answers = field(init=False)

    def __post_init__(self) -> None:
        """Drop choices without a value."""
        self._answers = Answers({id_: value for id_, value in self.choices.items() if value})

    @property
    def doubts(self) -> Mapping[str, Doubt]:
        """The doubts met so far, by id."""
        return self._answers.doubts

    def ask(self, doubt: Doubt) -> str:
        """The value chosen for the doubt, else its default; empty if there is no safe default."""
        return self._answers.to(doubt)

    def settle[R](self, parse: Callable[[Mapping[str, str]], Parsed[R]]) -> Parsed[R]:
        """The result of ``parse`` under the choices, after resolving its doubts.

        A doubt that an earlier text left with another default is undecided. Then the text is parsed again
        with ``UNDECIDED`` as answer.
        """
        answers = self._answers.choices
        while True:
            parsed = parse(answers)
            merged = [self._answers.merged(doubt) for doubt in parsed.doubts]
            changed_answers = {
                doubt.id: answer
                for doubt, merged_doubt in zip(parsed.doubts, merged, strict=True)
                if (answer := chosen(merged_doubt, self._answers.choices)) != chosen(doubt, answers)
            }
            if not changed_answers:
                break
            answers = {**answers, **changed_answers}
        for doubt in parsed.doubts:
            self.ask(doubt)
        return parsed
