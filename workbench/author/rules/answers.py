"""The answers that a reading takes as input, and the doubts that it returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from workbench.author.doubts import UNDECIDED
from workbench.model import Doubt


@dataclass(slots=True)
class Answers:
    """The answers under which a text is read, and the doubts met in reading it.

    ``consulted`` has every answer that was looked up, None for a missing one. The reading is the same under
    all answers that agree with these. If reading fails half-way, ``mark`` and ``forget`` drop the doubts that
    it met.
    """

    choices: Mapping[str, str]
    doubts: dict[str, Doubt] = field(default_factory=dict[str, Doubt])
    consulted: dict[str, str | None] = field(default_factory=dict[str, "str | None"])

    def of(self, id_: str) -> str | None:
        """The answer to the doubt with that id, if there is one; the doubt need not arise."""
        self.consulted[id_] = self.choices.get(id_)
        return self.consulted[id_]

    def to(self, doubt: Doubt) -> str:
        """The value by which reading continues: the answer given, else the default."""
        self.of(doubt.id)
        self.doubts[doubt.id] = self.merged(doubt)
        return chosen(self.doubts[doubt.id], self.choices)

    def merged(self, doubt: Doubt) -> Doubt:
        """The doubt as it was first met, about the requirements of all its places.

        It has no default if the defaults differ.
        """
        merged = self.doubts.get(doubt.id, doubt)
        about = tuple(dict.fromkeys((*merged.requirements, *doubt.requirements)))
        if about != merged.requirements:
            merged = replace(merged, requirements=about)
        return merged if merged.default == doubt.default else replace(merged, default=UNDECIDED)

    def mark(self) -> int:
        """A point to which ``forget`` can go back."""
        return len(self.doubts)

    def forget(self, mark: int) -> None:
        """Drop the doubts met since the mark."""
        for id_ in list(self.doubts)[mark:]:
            del self.doubts[id_]


def chosen(doubt: Doubt, answers: Mapping[str, str]) -> str:
    """The doubt's answer, else its default; ``UNDECIDED`` is an answer too.

    An answer outside the values counts only if the doubt takes free text.
    """
    answer = answers.get(doubt.id, doubt.default)
    return answer if doubt.free_text or answer in (*doubt.values, UNDECIDED) else doubt.default
