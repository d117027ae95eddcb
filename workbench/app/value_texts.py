"""How the values of arguments are shown and typed: as literals of the dialect, as durations, as TOML."""

from workbench.policy.durations import duration_of, duration_text
from workbench.policy.literals import literal
from workbench.session.toml_values import typed_text, typed_value

__all__ = ["duration_of", "duration_text", "literal", "typed_text", "typed_value"]
