"""How the values of arguments are shown: as literals of the dialect, as durations."""

from workbench.policy.durations import duration_of, duration_text
from workbench.policy.literals import literal

__all__ = ["duration_of", "duration_text", "literal"]
