"""A list to choose how many demonstrations a call retrieves, and in which order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.tui.messages import Choose

COUNTS = (1, 2, 3, 5, 8)


@dataclass(frozen=True, slots=True)
class Retrieving:
    """The number of demonstrations, None for the session's, and whether the ``least`` similar are retrieved.

    GuardAgent's ablation retrieves the least similar ones.
    """

    k: int | None
    least: bool = False

    @property
    def words(self) -> str:
        """The words for this choice."""
        return f"the {'' if self.k is None else f'{self.k} '}{'least' if self.least else 'most'} similar"


def retrieving_wanted(settle: Callable[[Retrieving], object]) -> Choose[Retrieving]:
    """A list of the choices; ``settle`` is called with the chosen one."""
    choices = [Retrieving(k, least_similar) for least_similar in (False, True) for k in COUNTS]
    because = {False: "", True: ", as in GuardAgent's ablation"}
    offers = [(one, "", f"{one.words}{because[one.least]}") for one in choices]
    return Choose("What a call retrieves", offers, settle)
