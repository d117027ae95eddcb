"""The types of arguments that a JSON schema names."""

from __future__ import annotations

from workbench.model import Kind

SCALARS = {"boolean": Kind.BOOL, "integer": Kind.INT, "number": Kind.DECIMAL, "string": Kind.STR}
"""By what the schema's ``type`` says."""

FORMATS = {"date": Kind.DATE, "time": Kind.TIME, "date-time": Kind.DATETIME}
"""By the ``format`` of a string."""
