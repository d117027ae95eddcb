"""Results that say that a call failed, where the log itself does not flag it."""

from __future__ import annotations

# As JSON interfaces write it.
ERRORS = r'^\s*\{\s*"error"'
