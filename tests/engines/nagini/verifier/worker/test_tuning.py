"""The tuning of the verifier's process (omitted and kept parts) changes no type and no verdict."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import nagini_translation
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.check.proof.test_constructs import CONSTRUCTS, all_in_one
from tests.plain_policies import check
from workbench.engines.nagini.lowering.lower import lower
from workbench.engines.nagini.verifier.worker.tuning import (
    FILES,
    declarations,
    fresh_name,
    needed_axioms,
    needed_functions,
    write_declarations,
)

RESOURCES = Path(nagini_translation.__file__).parent / "resources"

SETS = """// Sets
define Twice(a) a + a
domain $Set[E] {
    function Set_card(s: $Set[E]): Int
    axiom Set_card_nonneg {
        forall s: $Set[E] :: { Set_card(s) } 0 <= Set_card(s)
    }
    /* axiom { */
    function Set_in(e: E, s: $Set[E]): Bool  // axiom {
    axiom { true }
}
"""

# Prints the types that Nagini reads from every program, first with a new build each time, then with a kept
# build, and at the end once more from the first program.
SCRIPT = """
import json, sys
from pathlib import Path
from nagini_translation.lib.typeinfo import TypeInfo
from workbench.engines.nagini.verifier.worker.tuning import WarmBuild

def types(path):
    found = TypeInfo()
    try:
        found.check(path)
    except Exception as error:
        return [type(error).__name__, *[line.split(": error: ")[-1] for line in error.messages]]
    held = [*found.all_types.items(), *found.alt_types.items()]
    return sorted(f"{key}: {value}" for key, value in held)

full = [types(path) for path in sys.argv[1:]]
warm = WarmBuild()
warm.keep_warm(Path.cwd())
kept = [types(path) for path in (*sys.argv[1:], sys.argv[1])]
print(json.dumps([full, kept, warm.added]))
"""


def test_only_declarations_are_kept_of_a_file_of_axioms() -> None:
    functions = "function Set_card(s: $Set[E]): Int function Set_in(e: E, s: $Set[E]): Bool"
    assert " ".join(declarations(SETS).split()) == f"domain $Set[E] {{ {functions} }}"
    with pytest.raises(ValueError, match="no end"):
        declarations("domain A { axiom a { true ")


def test_every_function_of_silicons_axioms_stays_declared(tmp_path: Path) -> None:
    with ZipFile(RESOURCES / "backends" / "viperserver.jar") as archive:
        texts = {name: archive.read(f"dafny_axioms/{name}.vpr").decode() for name in FILES}
    options = write_declarations(texts.__getitem__, tmp_path)
    assert {option.removeprefix("--").partition("=")[0] for option in options} == set(FILES.values())
    for name, text in texts.items():
        program = (tmp_path / f"{name}.vpr").read_text()
        assert "axiom" not in program
        assert program.count("function ") == sum(
            line.strip().startswith("function ") for line in text.splitlines()
        )


def test_the_domain_of_types_keeps_what_is_said_of_ints_and_sets_of_them() -> None:
    relations = {"typeof", "issubtype", "isnotsubtype", "extends_", "get_basic", "PSet", "PSet_arg", "int"}
    assert needed_functions([*relations, "union_type_2", "Exception", "bytes"]) == relations
    general = {"issubtype_transitivity", "issubtype_object", "null_nonetype", "PSet_args0", "subtype_PSet"}
    left_out = ["subtype_bytes", "subtype_union_2", "union_subtype_2", "union_basic_2"]
    assert needed_axioms([*general, "subtype_int", *left_out]) == general | {"subtype_int"}


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["a", "a_0", "a_1", "b", "b_0_0", "b_0"]))))
def test_fresh_names_are_those_that_nagini_counts(requests: list[tuple[int, str]]) -> None:
    from nagini_translation.lib import program_nodes

    scope: Any = program_nodes.PythonScope

    def scopes() -> list[Any]:
        used = {"a"}
        first, second = scope(used, None), scope(used, None)  # two modules share the names
        return [first, second, scope(None, first)]

    plain, counted = scopes(), scopes()
    assert [fresh_name(counted[at], name) for at, name in requests] == [
        plain[at].get_fresh_name(name) for at, name in requests
    ]


@pytest.mark.nagini
def test_types_are_those_of_a_full_build_and_nothing_of_an_earlier_program_stays(tmp_path: Path) -> None:
    terms = check(all_in_one())
    wrong = (
        "from nagini_contracts.contracts import *\n\n\ndef check_C1(a: int) -> bool:\n    return a + 'x'\n"
    )
    texts = [lower(terms, [f"C{number}", f"C{number + 1}"]).text for number in (1, 2 * len(CONSTRUCTS) - 1)]
    paths: list[str] = []
    for position, text in enumerate([texts[0], wrong, texts[1]]):
        path = tmp_path / f"program{position}.py"
        path.write_text(text, encoding="ascii")
        paths.append(str(path))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *paths],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path.cwd()), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    full, remaining, added = json.loads(done.stdout.splitlines()[-1])
    assert remaining == [*full, full[0]]
    assert full[0] != full[2]
    assert full[1][0] == "TypeException"
    assert added == len(remaining)
