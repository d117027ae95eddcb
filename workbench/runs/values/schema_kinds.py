"""The types of arguments for the types and formats of a JSON schema."""

from __future__ import annotations

from workbench.model import Kind

SCALARS = {"boolean": Kind.BOOL, "integer": Kind.INT, "number": Kind.DECIMAL, "string": Kind.STR}
"""The kind of argument by the schema's ``type``."""

FORMATS = {"date": Kind.DATE, "time": Kind.TIME, "date-time": Kind.DATETIME}
"""The kind of argument by the ``format`` of a string."""

TEXT_FORMATS = {
    "email": "mail_address",
    "idn-email": "mail_address",
    "uri": "url",
    "url": "url",
    "iri": "url",
}
"""The kind of value by the ``format`` of a string."""
