"""Paths: a text names the file that the file system finds; a text with several readings names nothing."""

from __future__ import annotations

import ntpath
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.runs.kinds.reading_kinds import part_of, parts_of
from workbench.model import Json
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.values.described_option import BadOption

NAMES = st.sampled_from(["a", "b", "repo", "repo-old", ".env", "x.tar.gz", "..", ".", "", "é", "link"])
LEADS = st.sampled_from(["", "/", "//", "~/", "./", "../"])


@pytest.mark.parametrize(
    ("text", "absolute"),
    [
        ("/etc/../etc/./passwd", "/etc/passwd"),
        ("src//a.py", "/repo/src/a.py"),
        ("../repo-old/x", "/repo-old/x"),
        ("~/.ssh/id_rsa", "/home/agent/.ssh/id_rsa"),
        ("~", "/home/agent"),
        ("a/~/b", "/repo/a/~/b"),
        ("../../../..", "/"),
        ("//etc", "/etc"),
        ("a%2e%2e/b", "/repo/a%2e%2e/b"),
        ("app/[id]/page.tsx", "/repo/app/[id]/page.tsx"),
    ],
)
def test_a_path_is_written_out(text: str, absolute: str) -> None:
    assert part_of("path", text, "absolute", root="/repo", home="/home/agent") == absolute


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "/etc/passwd ", " /etc", "a\x00b", "a\u2400b", "a\nb", "a<U+202E>b", "~root/x", "C:\\x",
        "C:/x", "c:x", "a\\b", "file:///etc/passwd", "/a/．．/b", "/a／b", "/a/‥/b", "/cafe\u0301", "～/x", 3,
        None, True, ["/a"], "/proc/self/root/etc/passwd", "/proc/1/task/1/cwd/../x", "/dev/fd/3",
    ],
)  # fmt: skip
def test_what_is_read_in_several_ways_is_not_determinable(text: Json) -> None:
    assert isinstance(parts_of("path", text, root="/repo", home="/home/agent"), str)


def test_a_relative_path_needs_its_root_and_a_home_is_declared() -> None:
    assert "where it begins: cwd =" in str(parts_of("path", "a"))
    assert "give the option home" in str(parts_of("path", "~/a", root="/repo"))
    assert part_of("path", "/a", "absolute") == "/a"


def test_what_is_inside_a_folder_is_no_matter_of_its_letters() -> None:
    for text, inside in [("/repo/a", True), ("/repo", True), ("/repo-old/a", False), ("/repo/../etc", False)]:
        folders = part_of("path", text, "inside")
        assert isinstance(folders, frozenset)
        assert ("/repo" in folders) == inside


def test_the_parts_of_a_path() -> None:
    assert parts_of("path", "/repo/src/Main.test.PY") == {
        "text": "/repo/src/Main.test.PY",
        "absolute": "/repo/src/Main.test.PY",
        "folder": "/repo/src",
        "name": "Main.test.PY",
        "suffix": ".py",
        "names": frozenset({"repo", "src", "Main.test.PY"}),
        "inside": frozenset({"/", "/repo", "/repo/src", "/repo/src/Main.test.PY"}),
    }
    assert [part_of("path", f"/{name}", "suffix") for name in (".env", "a", "a.", "..b", "a.b.c")] == [
        "",
        "",
        "",
        "",
        ".c",
    ]


@settings(
    max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(lead=LEADS, names=st.lists(NAMES, max_size=6))
def test_the_file_system_finds_the_same(lead: str, names: list[str], tmp_path: Path) -> None:
    """The oracle is the system's own resolution, with a link that is declared and is there."""
    text = lead + "/".join(names)
    top = os.path.realpath(tmp_path)
    for name in ("repo", "elsewhere/deep"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    link = tmp_path / "repo" / "link"
    if not link.is_symlink():
        link.symlink_to(tmp_path / "elsewhere" / "deep")
    root, home = f"{top}/repo", f"{top}/home"
    links: Json = {f"{top}/repo/link": f"{top}/elsewhere/deep"}
    absolute = part_of("path", text, "absolute", root=root, home=home, links=links)
    expanded = home + text[1:] if text.startswith("~") else text
    assert absolute == (os.path.realpath(Path(root) / expanded) if text else None)


@settings(max_examples=examples(200), deadline=None)
@given(
    names=st.lists(st.text(st.characters(codec="ascii", exclude_characters="/\\:"), min_size=1), max_size=5)
)
def test_what_is_written_from_names_is_read_as_these_names(names: list[str]) -> None:
    text = "/" + "/".join(names)
    parts = parts_of("path", text)
    if isinstance(parts, str) or {".", ".."} & set(names):
        return
    assert (parts["absolute"], parts["names"]) == (text, frozenset(names))
    assert part_of("path", str(parts["absolute"]), "absolute") == parts["absolute"]


@settings(max_examples=examples(200), deadline=None)
@given(text=st.text(max_size=30))
def test_hostile_text_is_never_another_path_than_the_system_reads(text: str) -> None:
    absolute = part_of("path", text, "absolute", root="/repo")
    assert absolute is None or absolute == "/" + os.path.normpath(Path("/repo") / text).lstrip("/")


@pytest.mark.parametrize(
    ("text", "absolute"),
    [
        ("C:\\Repo\\..\\X.TXT", "c:/x.txt"),
        ("src/A.py", "c:/repo/src/a.py"),
        ("c:/", "c:/"),
        ("C:x", None),
        ("\\x", None),
        ("\\\\host\\share", None),
        ("\\\\?\\C:\\x", None),
        ("aux.txt", None),
        ("aux .txt", None),
        ("COM¹", None),
        ("ſecret.txt", None),
        ("a.txt:stream", None),
        ("a.", None),
        ("PROGRA~1", None),
    ],
)
def test_a_path_of_windows(text: str, absolute: str | None) -> None:
    inside = part_of("path", text, "absolute", root="C:\\Repo", windows=True)
    assert inside == absolute
    if absolute is not None:
        assert absolute == ntpath.normpath(ntpath.join("C:\\Repo", text)).replace("\\", "/").lower()


def test_case_counts_unless_it_tells_no_files_apart() -> None:
    assert part_of("path", "/repo/.ENV", "name") == ".ENV"
    assert part_of("path", "/repo/.ENV", "name", ignore_case=True) == ".env"
    assert part_of("path", "/repo/ÉTÉ", "name", ignore_case=True) == "été"


@pytest.mark.parametrize("letter", ["ſ", "ß", "ı", "İ", "ς", "\ufe0f"])
def test_a_letter_whose_case_is_folded_in_several_ways_is_only_read_where_case_counts(letter: str) -> None:
    assert part_of("path", f"/repo/{letter}x", "name") == f"{letter}x"
    assert part_of("path", f"/repo/{letter}x", "name", ignore_case=True) is None


@pytest.mark.parametrize(
    "options",
    [
        {"root": "repo"},
        {"root": "/a/../b"},
        {"home": "~"},
        {"links": {"a": "/b"}},
        {"rot": "/"},
        {"windows": "yes"},
    ],
)
def test_a_wrong_option_is_an_error(options: dict[str, Json]) -> None:
    with pytest.raises(BadOption):
        KINDS["path"].reader(options)


def test_declared_links_that_go_round_are_no_path() -> None:
    assert "circle" in str(parts_of("path", "/a", links={"/a": "/b", "/b": "/a"}))
