"""Data files of the package: wrong data raises an error at reading."""

from __future__ import annotations

import pytest

from workbench.runs.sql.functions import DIALECTS, functions_of
from workbench.runs.values.data_file import DataTable


@pytest.mark.parametrize("value", ["ls", ["ls", "ls"], ["ls", 3], ["ls", ""], None])
def test_what_is_no_list_of_different_texts_is_refused(value: object) -> None:
    table = DataTable("programs.toml", {"harmless": value})
    with pytest.raises(ValueError, match=r"programs\.toml: harmless must be a list"):
        table.names("harmless")


def test_a_missing_key_and_a_wrong_type_are_refused_with_their_table() -> None:
    table = DataTable("programs.toml", {"git": {"starting": ["am"]}, "find": "no table"})
    assert table.table("git").names("starting") == {"am"}
    with pytest.raises(ValueError, match=r"programs\.toml \[git\]: valued must be a list"):
        table.table("git").names("valued")
    with pytest.raises(ValueError, match=r"find must be a table"):
        table.table("find")


def test_a_key_that_is_not_known_is_refused() -> None:
    table = DataTable("functions.toml", {"own": [], "with_out": []})
    table.check_keys("own", "with_out")
    with pytest.raises(ValueError, match=r"functions\.toml: unknown: with_out"):
        table.check_keys("own", "without")


def test_a_dialect_has_its_own_functions_and_the_shared_ones_but_those_it_is_without() -> None:
    assert {"abs", "glob"} <= functions_of("sqlite")
    assert "stddev" in functions_of("postgres") - functions_of("sqlite")
    assert "ln" in functions_of("sqlite") - functions_of("tsql")
    assert all("abs" in functions_of(dialect) for dialect in DIALECTS)
