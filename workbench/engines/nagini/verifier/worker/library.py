"""The part of Nagini's library that lowered programs use, cut out of its text.

Nagini reads the whole library for every program before it cuts it to the used part; lowered programs use
twenty of its 160 functions and methods. Reading and cutting costs more than most proofs. Domains and fields
are kept, and of the functions the wanted ones and all that these or the domains mention. A definition that is
left out can only make a proof fail, never succeed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

WANTED = re.compile(
    r"int___(?:add|sub|mul|floordiv|mod|neg|eq|ne|lt|le|gt|ge|bool|unbox)__"
    r"|bool___(?:eq|ne|bool|unbox)__|__prim__(?:int|bool)___box__|PSet___\w+|object___\w*eq\w*"
)
UNUSED = frozenset({"name_domain", "tuple", "byteseq", "range", "lock", "bytes", "bytearray"})
_DECLARATION = re.compile(r"^(?=(?:function|method|predicate|domain|field|define|import)\b)", re.MULTILINE)
_IMPORT = re.compile(r'import\s+"(\w+)\.sil"')
_NAMED = re.compile(r"(?:function|method|predicate)\s+([\w$]+)")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def library(folder: Path) -> str:
    """The text of the library that starts at ``all.sil`` in a folder, without its unused parts.

    Raises:
        OSError: the file is missing.
    """
    declarations = list(_declarations(folder, "all"))
    named: dict[str, str] = {}
    mentioned: list[str] = []
    for text in declarations:
        match = _NAMED.match(text)
        if match is None:
            mentioned += _NAME.findall(text)
        else:
            named[match[1]] = text
            mentioned += [match[1]] if WANTED.fullmatch(match[1]) else []
    used_names: set[str] = set()
    while mentioned:
        name = mentioned.pop()
        if name in named and name not in used_names:
            used_names.add(name)
            mentioned += _NAME.findall(named[name])
    used_declarations = (
        text for text in declarations if (match := _NAMED.match(text)) is None or match[1] in used_names
    )
    return "".join(used_declarations)


def _declarations(folder: Path, name: str) -> Iterator[str]:
    """The declarations of a file and of its imports, in order; Silver's own imports are kept."""
    text = _COMMENT.sub("", (folder / f"{name}.sil").read_text(encoding="utf-8"))
    for part in _DECLARATION.split(text):
        match = _IMPORT.match(part)
        if match is None:
            yield part
            continue
        if match[1] not in UNUSED:
            yield from _declarations(folder, match[1])
        yield part[match.end() :]
