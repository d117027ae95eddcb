"""Sessions at a glance that are always the same, to show and to picture the session browser."""

from __future__ import annotations

from pathlib import Path

from workbench.app.overview import Overview

HOME = Path("/home/ada")
DAY = 1_767_600_000.0
HERE = (
    Overview(HOME / "sessions/hospital-access", "Who may read which patient data", 3, 1, 9, 2, True, DAY),
    Overview(
        HOME / "sessions/web-shopping", "What the web assistant may do for a user", 2, 0, 14, 1, False, DAY
    ),
)
RECENT = (
    Overview(HOME / "work/mail-agent", "Which mail may leave", 1, 0, 21, 0, False, DAY),
    Overview(HOME / "old", problem="/home/ada/old cannot be read (No such file or directory)."),
)
