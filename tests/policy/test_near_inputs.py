"""Stored answers about inputs that differ in few arguments."""

from __future__ import annotations

from workbench.policy.near_inputs import LastInput, StoredAnswer


def test_an_argument_that_is_left_out_for_another_is_read_again() -> None:
    given = LastInput([StoredAnswer(["a"], lambda world: "a" in world)])
    value = 1
    given.go_to({"a": value})
    assert given.says(0) is True
    given.go_to({"b": value})
    assert given.says(0) is False
