"""Paths with placeholders: what stands for many folders is never taken for one of that name."""

from __future__ import annotations

import re

import pytest

from workbench.language.path_patterns import names_a_pattern, path_pattern


@pytest.mark.parametrize(
    ("text", "path", "name"),
    [
        ("It comes from below /projects/NAME/release.", "/projects/NAME/release", "release_folders"),
        ("Only /home/<user>/.ssh is closed", "/home/<user>/.ssh", "matching_folders"),
        ("Write to `/srv/{tenant}/out/` alone", "/srv/{tenant}/out", "out_folders"),
        ("Never /home/*/keys", "/home/*/keys", "keys_folders"),
    ],
)
def test_a_placeholder_stands_for_one_name_of_a_path(text: str, path: str, name: str) -> None:
    found = path_pattern(text)
    assert found is not None and (found.path, found.name) == (path, name)
    named = re.sub(r"NAME|<user>|\{tenant\}|\*", "x.y", path)
    assert re.search(found.regex, named) and re.search(found.regex, f"{named}/a/b")
    assert not re.search(found.regex, f"{named}s/a") and not re.search(found.regex, f"/a{named}")
    assert not re.search(found.regex, named.replace("x.y", "x/y"))
    assert names_a_pattern(("in", ("lit", "text", path), ("attr", ("name", "p"), "inside")))


@pytest.mark.parametrize(
    "text", ["Keep /repo/LICENSE.", "all of /src/*", "/srv/HR", "a/NAME/b", "and/or/NOT"]
)
def test_a_file_in_capitals_and_all_of_a_folder_are_no_pattern(text: str) -> None:
    assert path_pattern(text) is None
