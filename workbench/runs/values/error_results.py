"""Results that report a failed call, for logs that do not flag it: the form that JSON interfaces write.

The two patterns take one pass over the text, in Python's own engine.
"""

from __future__ import annotations

import re

_ERROR = re.compile(r'\s*+\{\s*+"error"')
_NO_ERROR = re.compile(r'\s*+\{\s*+"error"\s*+:\s*+(null|false|""|\{\s*+\}|\[\s*+\])\s*+[,}]')


def reports_an_error(result: str) -> bool:
    """Whether a result is an object that begins with an error."""
    return _ERROR.match(result) is not None


def reports_no_error(result: str) -> bool:
    """Whether a result has the form of an error and says that there is none."""
    return _NO_ERROR.match(result) is not None
