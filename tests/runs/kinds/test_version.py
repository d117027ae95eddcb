"""The kind version: one version, or a range."""

from __future__ import annotations

import pytest

from workbench.model import field_of
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.values.found_value import Missing

READER = KINDS["version"].reader({})


@pytest.mark.parametrize(
    "text", ["4.17.21", "0.0.0", "2.3.0-beta.1", "1.0.0-x.7.z.92", "1.0.0+build.5", "1.0.0-0A.is.legal"]
)
def test_one_version_is_exact(text: str) -> None:
    assert field_of(READER.record(text), "exact") is True


@pytest.mark.parametrize(
    "text",
    [
        "^4.17.21",
        "~1.2.3",
        "4.17",
        "4",
        "4.x",
        "4.17.x",
        "*",
        "latest",
        "",
        " 4.17.21",
        "4.17.21 ",
        ">=1.0.0",
        "=1.0.0",
        "v1.0.0",
        "1.0.0 - 2.0.0",
        "1.0.0 || 2.0.0",
        "01.0.0",
        "1.0.0-01",
        "1.0.0-",
        "npm:other@1.0.0",
        "https://x/y.tgz",
        "1.0.0\n",
    ],
)
def test_all_else_is_not(text: str) -> None:
    assert field_of(READER.record(text), "exact") is False


def test_its_numbers() -> None:
    version = READER.record("1.20.300-rc.4")
    assert [field_of(version, name) for name in ("major", "minor", "patch", "tag")] == [1, 20, 300, "rc.4"]
    assert field_of(READER.record("^1.2.3"), "major") is None


def test_a_long_one_is_missing() -> None:
    with pytest.raises(Missing):
        READER.record("1.0.0-" + "a" * 300)
