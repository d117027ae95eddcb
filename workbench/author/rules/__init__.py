"""The offline author of a controlled language."""

from workbench.author.rules.author import RulesAuthor

__all__ = ["RulesAuthor"]
