"""How the values of arguments are shown: in words, as literals of the dialect, as durations."""

from workbench.policy.durations import duration_of, duration_text
from workbench.policy.literals import literal
from workbench.policy.value_words import argument_words, value_words

__all__ = ["argument_words", "duration_of", "duration_text", "literal", "value_words"]
