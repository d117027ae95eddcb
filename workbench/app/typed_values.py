"""The values of arguments as people type them: in TOML, read by the declared type."""

from workbench.session.toml_values import typed_text, typed_value

__all__ = ["typed_text", "typed_value"]
