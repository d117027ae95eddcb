"""A path in a sentence that stands for many, by a placeholder: “/projects/NAME/release”."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.language.trees import Tree, is_tree

_PATH = re.compile(r"(?<![\w/.~])/[^\s,;:“”\"'`()]+")
_PLACEHOLDER = re.compile(r"<[^<>/]+>|\{[^{}/]+\}|\*|[A-Z][A-Z_]+")


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A path with placeholders as it is written, and a name for what matches it."""

    path: str
    name: str

    @property
    def regex(self) -> str:
        """The pattern of the full names of the files there: a placeholder is one name."""
        names = self.path.strip("/").split("/")
        parts = ("[^/]+" if _PLACEHOLDER.fullmatch(one) else re.escape(one) for one in names)
        return rf"\A/{'/'.join(parts)}(?:/|\Z)"


def path_pattern(text: str) -> PathPattern | None:
    """The first path with a placeholder before its last name, which in capitals is a file, as LICENSE."""
    for found in _PATH.finditer(text):
        path = found.group().rstrip(".!?/")
        if is_path_pattern(path):
            name = f"{path.rpartition('/')[2]}_folders"
            return PathPattern(path, name if name.isidentifier() and name.islower() else "matching_folders")
    return None


def is_path_pattern(path: str) -> bool:
    """Whether a name of a path before its last is a placeholder."""
    names = path.strip("/").split("/")
    return path.startswith("/") and any(map(_PLACEHOLDER.fullmatch, names[:-1]))


def names_a_pattern(tree: Tree) -> bool:
    """Whether a tree takes a path with a placeholder for one folder of that name."""
    match tree:
        case ("lit", "text", str(text)):
            return is_path_pattern(text)
        case _:
            return any(is_tree(part) and names_a_pattern(part) for part in tree)
