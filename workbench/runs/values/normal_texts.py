"""Normal forms of texts, so that two spellings of one thing are equal."""

from __future__ import annotations

from workbench.model import Value
from workbench.runs.values.coerce import shown
from workbench.runs.values.found_value import Missing

NORMALS = ("code", "id", "caseless", "trimmed", "plain", "unspaced", "statement")
CASELESS, TRIMMED = frozenset(("caseless", "plain")), frozenset(("trimmed", "plain"))
_BLANKS = " \t\n\r\v\f"


def normal_text(value: Value, normal: str) -> Value:
    """A text in a normal form; any other value is returned unchanged.

    ``code`` is the form of an IBAN or a licence number: ASCII letters and digits without blanks, in capitals.
    ``id`` is that of an identifier: in capitals, without blanks and without a ``#`` before it.
    ``caseless`` is the text with no difference of capital and small letters, ``trimmed`` the one without
    blanks at its ends, and ``plain`` is both. ``unspaced`` is the text without blanks. ``statement`` is the
    text without blanks at its ends and without closing semicolons, for SQL. Raises Missing for a text that
    has no such form.
    """
    if not isinstance(value, str) or not normal:
        return value
    if normal == "statement":
        return value.lstrip(_BLANKS).rstrip(f"{_BLANKS};")
    if normal in CASELESS | TRIMMED:
        trimmed = value.strip() if normal in TRIMMED else value
        return trimmed.casefold() if normal in CASELESS else trimmed
    joined = "".join(value.split())
    if normal == "id":
        identifier = joined.removeprefix("#")
        if not (identifier.isascii() and identifier.isprintable() and identifier):
            raise Missing(f"{shown(value)} is no identifier of plain letters, digits and signs")
        return identifier.upper()
    if normal == "code":
        if not (joined.isascii() and joined.isalnum()):
            raise Missing(f"{shown(value)} has other characters than letters, digits and blanks")
        return joined.upper()
    return joined
