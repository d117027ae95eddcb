"""A pattern of results that report a failed call, for logs that do not flag it."""

from __future__ import annotations

# The form that JSON interfaces write.
ERRORS = r'^\s*\{\s*"error"'
