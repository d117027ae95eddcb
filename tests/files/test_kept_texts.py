"""Texts kept between commands: only what this user wrote with the same code and maker is read again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.app.session_language import RULE_CODE, SENTENCE_CODE
from workbench.files.kept_texts import KeptText, KeptTexts


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "cache" / "texts"


def kept(maker: str, **texts: str) -> KeptTexts:
    made = KeptTexts(maker)
    for key, text in texts.items():
        made.put(key, text)
    made.save()
    return made


def test_what_was_kept_is_read_by_the_same_maker_alone(folder: Path) -> None:
    kept("one", a="first", b="")
    kept("one", a="first again", c="third")
    assert [KeptTexts("one").get(key) for key in "abcd"] == ["first again", "", "third", None]
    assert KeptTexts("other").get("a") is None
    assert KeptText(KeptTexts("one"), "c").get() == "third"
    assert len(list(folder.glob("*.kept"))) == 1


def test_a_forged_or_damaged_file_is_not_read(folder: Path) -> None:
    kept("one", a="first")
    (path,) = folder.glob("*.kept")
    stored = json.loads(path.read_text())
    forged = {**stored, "texts": stored["texts"].replace("first", "worst")}
    for text in (json.dumps(forged), "{", "[]", json.dumps({"texts": 1, "signature": 2}), ""):
        path.write_text(text)
        assert KeptTexts("one").get("a") is None
    kept("two", a="second")
    (other,) = (one for one in folder.glob("*.kept") if one != path)
    path.write_text(other.read_text())  # signed, but of another maker
    assert KeptTexts("one").get("a") is None


def test_a_file_that_others_may_write_is_not_read(folder: Path) -> None:
    kept("one", a="first")
    (path,) = folder.glob("*.kept")
    path.chmod(0o666)
    assert KeptTexts("one").get("a") is None
    path.chmod(0o600)
    assert KeptTexts("one").get("a") == "first"
    folder.chmod(0o777)
    assert KeptTexts("one").get("a") is None


def test_a_folder_that_cannot_be_written_keeps_the_texts_of_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path / "file" / "below"))
    assert kept("one", a="first").get("a") == "first"


@pytest.mark.parametrize(
    ("modules", "code"),
    [
        ("workbench.language.language, workbench.dialect.lowered_policy", SENTENCE_CODE),
        ("workbench.clarify.written.idle_rules, workbench.dialect.lowered_policy", RULE_CODE),
    ],
)
def test_the_code_that_a_kept_text_depends_on_is_all_that_makes_it(
    modules: str, code: tuple[str, ...]
) -> None:
    """In a process that has imported nothing else: texts would be stale after a change of a part left out."""
    script = f"import sys, {modules}\nprint(*(name for name in sys.modules if name.startswith('workbench.')))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    names = {name.removeprefix("workbench.") for name in loaded.stdout.split()} - _OF_NO_KEPT_TEXT
    parts = {part.removesuffix(".py") for part in code}
    assert {"runs.kinds.path", "dialect.check"} <= names
    assert {name for name in names if name.partition(".")[0] not in parts} == set()


_OF_NO_KEPT_TEXT = {"files", "files.private", "files.kept_texts", "question_wording"}
"""What keeps the texts, and the wording of questions, which are made anew."""
