"""How the values of arguments are typed by a person: as TOML, read by the declared type."""

from workbench.session.toml_values import typed_text, typed_value

__all__ = ["typed_text", "typed_value"]
