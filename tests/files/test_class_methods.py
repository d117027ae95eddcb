"""The compiled methods of dataclasses are kept for the next process, and do what they did."""

from __future__ import annotations

import dataclasses
import sys
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import pytest

from workbench.files.class_methods import ClassMethods


def made(kept: ClassMethods, patch: pytest.MonkeyPatch) -> type:
    """A class whose methods are compiled, or were."""
    patch.setattr(dataclasses, "exec", kept.execute, raising=False)
    fields: list[tuple[str, type]] = [("number", int), ("text", str)]
    return dataclasses.make_dataclass("Made", fields, frozen=True, slots=True)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path / "__pycache__" / "methods.kept"


def check(made_class: type) -> None:
    one, same, other = made_class(1, "a"), made_class(1, "a"), made_class(2, "a")
    assert one == same != other
    assert hash(one) == hash(same)
    assert repr(one) == "Made(number=1, text='a')"
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.number = 3


def test_the_next_process_compiles_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ClassMethods(path)
    check(made(first, monkeypatch))
    first.save()
    written = path.read_bytes()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a text was compiled again")

    second = ClassMethods(path)
    monkeypatch.setattr("workbench.files.class_methods.compile", refuse, raising=False)
    check(made(second, monkeypatch))
    second.save()
    assert path.read_bytes() == written
    assert [one.name for one in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "content", [b"", b"nothing", MAGIC_NUMBER, MAGIC_NUMBER + b"[\x01", MAGIC_NUMBER + b"N", b"old!{0"]
)
def test_a_file_that_cannot_be_read_is_made_again(
    path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    kept = ClassMethods(path)
    check(made(kept, monkeypatch))
    kept.save()
    assert path.read_bytes().startswith(MAGIC_NUMBER)
    check(made(ClassMethods(path), monkeypatch))


def test_nothing_is_written_where_python_writes_no_bytecode(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    kept = ClassMethods(path)
    check(made(kept, monkeypatch))
    kept.save()
    assert not path.parent.exists()
