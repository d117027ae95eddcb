"""Patterns of file names mean the names that bash finds by them, and say of these only what is so."""

from __future__ import annotations

import random
import subprocess
from itertools import product
from pathlib import Path

from workbench.policy.name_patterns import NamePattern

NAMES = sorted(
    {"".join(signs) for count in range(1, 5) for signs in product("a.b", repeat=count)} - {".", ".."}
)
PARTS = ["a", "b", ".", "a.", ".b", "b.b", "aab", "..."]


def test_a_pattern_means_what_bash_finds_and_knows_only_what_is_so_of_it(tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / name).touch()
    rng = random.Random(3)
    drawn = {"".join(rng.choice("ab.*?*") for _ in range(rng.randint(1, 4))) for _ in range(300)}
    patterns = [one for one in sorted(drawn) if "**" not in one and set("*?") & set(one)]
    script = "shopt -s nullglob\n" + "\n".join(f"echo {one} ''" for one in patterns)
    found = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)

    for text, line in zip(patterns, found.stdout.splitlines(), strict=True):
        pattern, names = NamePattern(text), set(line.split()) - {".", ".."}
        assert {name for name in NAMES if pattern.fits(name)} == names, text
        for part in PARTS:
            told = [
                (pattern.begins(part), {name.startswith(part) for name in names}),
                (pattern.ends(part), {name.endswith(part) for name in names}),
                (pattern.has(part), {part in name for name in names}),
            ]
            assert all(says is None or so <= {says} for says, so in told), (text, part)


def test_a_path_below_a_folder_is_known_by_its_beginning() -> None:
    pattern = NamePattern("/repo/src/*/*.py")
    assert [pattern.begins(one) for one in ("/repo/", "/etc", "/repo/src/.")] == [True, False, False]
    assert [pattern.fits(one) for one in ("/repo/src/a/b.py", "/repo/src/a.py", "/repo/src/a/.b.py")] == [
        True, False, False,
    ]  # fmt: skip
    assert NamePattern("/repo/**").fits("/repo/.a/.b")
