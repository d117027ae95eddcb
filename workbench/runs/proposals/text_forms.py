"""Forms of texts in results by which two spellings are equal: mail addresses and account numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.model import Json, Kind, RecordField
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.proposals.result_shapes import ShapePart
from workbench.runs.values.found_value import Missing
from workbench.runs.values.name_words import NAMED_ALONE

_ACCOUNT = re.compile(r"(^|_)iban$", re.IGNORECASE)
_IBAN = re.compile(r"[A-Za-z]{2}\d{2}[A-Za-z0-9 ]{8,32}")
_MAIL = "mail_address"


def is_account_number(name: str, texts: Sequence[str]) -> bool:
    """Whether texts of this name are IBANs, which may be written with blanks."""
    return _ACCOUNT.search(name) is not None and all(_IBAN.fullmatch(text) for text in texts)


def in_form(field: RecordField, part: ShapePart, objects: Sequence[Mapping[str, Json]]) -> RecordField:
    """A text field of a record with the form in which its values are compared, if all of them have one."""
    if field.type.kind is not Kind.STR or field.type.values:
        return field
    name = part.path[-1]
    texts = list(_texts(objects, part.path))
    if texts and is_account_number(name, texts):
        return replace(field, normal="code")
    if set(name.lower().split("_")) & NAMED_ALONE[_MAIL] and texts and all(_is_mail(text) for text in texts):
        return replace(field, kind=_MAIL)
    return field


def _is_mail(text: str) -> bool:
    try:
        KINDS[_MAIL].reader({}, "UTC").record(text)
    except Missing:
        return False
    return True


def _texts(objects: Sequence[Mapping[str, Json]], path: Sequence[str]) -> Iterator[str]:
    for item in objects:
        value: Json = dict(item)
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str):
            yield value
