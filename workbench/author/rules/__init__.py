"""The offline author, which reads requests in a controlled language."""

from workbench.author.rules.author import RulesAuthor

__all__ = ["RulesAuthor"]
