"""A stored verdict is believed only if this user wrote it with this code, and if it is possible now."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from tests.check.proof.test_files import Script
from tests.plain_policies import check
from workbench.check.disagreement import DISAGREEMENT
from workbench.check.known_proof import NOT_AGREED, NOT_RUN, known_proof
from workbench.check.proof.counterexamples import CounterexampleSearch
from workbench.check.proof.prover import ProofAttempt, Prover
from workbench.cli import main
from workbench.engines.nagini import verdict_cache as module
from workbench.engines.nagini.lowering.lower import ReadyPolicy
from workbench.engines.nagini.verdict_cache import StoredVerdict, VerdictCache
from workbench.files import kept_texts
from workbench.files.private import secret_key
from workbench.model import ClauseProof, Engine, Proof, ProofStatus
from workbench.policy.terms import Clause, PolicyTerms
from workbench.session import Session

SHOP = Path(__file__).resolve().parents[3] / "sessions" / "web-shopping"
POLICY = '''
from nagini_contracts.contracts import Ensures, Implies, Result


def forbid_minor(age: int) -> bool:
    """R1: Minors may not."""
    return age < {limit}


def allow(age: int) -> bool:
    # R1: Minors may not.
    Ensures(Implies(age < 18, not Result()))
    return not (forbid_minor(age))
'''
RIGHT = check(POLICY.format(limit=18))
WEAKENED = check(POLICY.format(limit=1))
PROVED = StoredVerdict(ProofStatus.PROVED)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def key(terms: PolicyTerms) -> str:
    return ReadyPolicy.of(terms).key("C1")


def put(terms: PolicyTerms, entry: StoredVerdict = PROVED) -> Path:
    """Store a verdict on the clause of a policy in the user's cache, and return the file of the entry."""
    before = set(module.cache_folder().rglob("*.json"))
    VerdictCache().put(key(terms), entry)
    (path,) = set(module.cache_folder().rglob("*.json")) - before
    return path


def got(terms: PolicyTerms) -> StoredVerdict | None:
    return VerdictCache().get(key(terms), terms)


def signed(stored: dict[str, object], secret: bytes) -> str:
    """An entry with a signature as the workbench makes it, with some secret."""
    content = json.dumps(stored, sort_keys=True, separators=(",", ":"))
    signature = hmac.new(secret, f"verdict\n{content}".encode(), hashlib.sha256).hexdigest()
    return json.dumps({**stored, "signature": signature})


def stored(path: Path) -> dict[str, object]:
    entry: dict[str, object] = json.loads(path.read_text())
    del entry["signature"]
    return entry


def test_an_entry_comes_back_and_its_files_are_for_this_user_alone(folder: Path) -> None:
    path = put(RIGHT)
    assert got(RIGHT) == PROVED
    modes = [stat.S_IMODE(entry_path.stat().st_mode) for entry_path in (folder, *folder.rglob("*"))]
    assert not any(mode & 0o077 for mode in modes)
    secret = Path(os.environ["WORKBENCH_DATA_DIR"]) / "verdicts.key"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    # Each forgery below differs from this in one way.
    assert signed(stored(path), secret.read_bytes()) == path.read_text()


def by_hand(path: Path) -> None:
    path.write_text(json.dumps(stored(path)))


def with_an_empty_signature(path: Path) -> None:
    path.write_text(json.dumps({**stored(path), "signature": ""}))


def with_another_secret(path: Path) -> None:
    path.write_text(signed(stored(path), bytes(32)))


def with_a_field_changed(path: Path) -> None:
    path.write_text(path.read_text().replace('"seconds": 0.0', '"seconds": 1.0'))


def with_a_field_more(path: Path) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), "more": 1}))


def of_another_user(path: Path) -> None:
    path.write_text(signed({**stored(path), "user": os.getuid() + 1}, secret_key()))


def of_other_code(path: Path) -> None:
    path.write_text(signed({**stored(path), "versions": "other"}, secret_key()))


def of_another_clause(path: Path) -> None:
    path.write_text(signed({**stored(path), "key": key(WEAKENED)}, secret_key()))


def of_no_status(path: Path) -> None:
    path.write_text(signed({**stored(path), "status": "vacuous"}, secret_key()))


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def giant(path: Path) -> None:
    path.write_text(path.read_text() + " " * module.LARGEST)


def nested(path: Path) -> None:
    path.write_text("[" * 100_000)


def a_link(path: Path) -> None:
    path.rename(path.with_suffix(".moved"))
    path.symlink_to(path.with_suffix(".moved"))


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def writable_by_others(path: Path) -> None:
    path.chmod(0o666)


def in_a_linked_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_suffix(".moved"))
    path.parent.symlink_to(path.parent.with_suffix(".moved"))


@pytest.mark.parametrize(
    "forge",
    [
        by_hand, with_an_empty_signature, with_another_secret, with_a_field_changed, with_a_field_more,
        of_another_user, of_other_code, of_another_clause, of_no_status, truncated, giant, nested,
        a_link, a_pipe, a_folder, writable_by_others, in_a_linked_folder,
    ],
    ids=lambda forge: forge.__name__,
)  # fmt: skip
def test_a_forged_entry_counts_as_absent(forge: Callable[[Path], None]) -> None:
    path = put(RIGHT)
    forge(path)
    assert got(RIGHT) is None
    assert [clause.why for clause in known_proof(RIGHT).clauses] == [NOT_RUN]


def test_an_entry_of_another_policy_under_the_name_of_this_one_counts_as_absent() -> None:
    target, source = put(WEAKENED), put(RIGHT)
    target.write_bytes(source.read_bytes())
    assert got(WEAKENED) is None


@pytest.mark.parametrize(
    "name", ["policy/evaluate.py", "engines/smt/preview.py", "model.py", "policy/new.py"]
)
def test_other_code_finds_no_verdict(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The code is read from a copy of the package, in which one module differs by a comment."""
    package = tmp_path / "workbench"
    real = Path(module.__file__).parents[2]
    for folder_name in ("policy", "engines", "check"):
        for source in (real / folder_name).rglob("*.py"):
            copied = package / source.relative_to(real)
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.write_bytes(source.read_bytes())
    (package / "model.py").write_bytes((real / "model.py").read_bytes())
    monkeypatch.setattr(kept_texts, "__file__", str(package / "files" / "kept_texts.py"))
    kept_texts.code_of.cache_clear()
    try:
        put(RIGHT)
        assert got(RIGHT) == PROVED
        with (package / name).open("a") as file:
            file.write("# different\n")
        kept_texts.code_of.cache_clear()
        assert got(RIGHT) is None
    finally:
        kept_texts.code_of.cache_clear()


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o1777])
@pytest.mark.parametrize("which", ["", "verdicts"])
def test_a_folder_that_others_may_write_to_is_not_used_and_said(mode: int, which: str, folder: Path) -> None:
    put(RIGHT)
    (folder / which).chmod(mode)
    cache = VerdictCache()
    assert cache.get(key(RIGHT), RIGHT) is None
    assert str(folder / which) in cache.unused
    entries = set(folder.rglob("*.json"))
    cache.put(key(WEAKENED), PROVED)
    assert set(folder.rglob("*.json")) == entries
    cache.trim()
    assert set(folder.rglob("*.json")) == entries
    proof = known_proof(RIGHT)
    assert proof.status is ProofStatus.UNKNOWN
    assert proof.why == cache.unused


def test_a_folder_of_another_user_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same files seen by another user: only the number that the system gives is faked."""
    put(RIGHT)
    another = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: another)
    cache = VerdictCache()
    assert cache.get(key(RIGHT), RIGHT) is None
    assert "belongs to another user" in cache.unused


@pytest.mark.parametrize("harm", ["mode", "link", "short"])
def test_a_secret_that_others_may_know_is_not_used(harm: str) -> None:
    put(RIGHT)
    secret = Path(os.environ["WORKBENCH_DATA_DIR"]) / "verdicts.key"
    match harm:
        case "mode":
            secret.chmod(0o644)
        case "link":
            secret.rename(secret.with_suffix(".moved"))
            secret.symlink_to(secret.with_suffix(".moved"))
        case _:
            secret.write_bytes(b"")
    cache = VerdictCache()
    assert cache.get(key(RIGHT), RIGHT) is None
    assert cache.unused
    cache.put(key(WEAKENED), PROVED)
    assert len(list(module.cache_folder().rglob("*.json"))) == 1


def test_without_a_place_for_the_secret_nothing_is_stored_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "file"))
    cache = VerdictCache()
    cache.put(key(RIGHT), PROVED)
    assert not list(module.cache_folder().rglob("*.json"))
    assert "the secret that signs them cannot be read or made" in cache.unused


def test_many_processes_make_one_secret(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        assert len({future.result() for future in [pool.submit(secret_key) for _ in range(64)]}) == 1
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["verdicts.key"]


# --- a verdict that is rightly signed and wrong ---------------------------------------------------


def attempted(terms: PolicyTerms, script: Script) -> ClauseProof:
    proof_attempt = ProofAttempt(terms, script, VerdictCache(), 5.0, Event(), lambda _: None)
    proof_attempt.prove(list(terms.clauses))
    return proof_attempt.verdicts["C1"]


def test_a_stored_proof_of_a_weakened_policy_is_refuted_by_a_run() -> None:
    put(WEAKENED)
    assert got(WEAKENED) == PROVED
    verdict = attempted(WEAKENED, Script({"C1": "fails"}))
    assert verdict.status is ProofStatus.REFUTED
    assert not verdict.cached
    assert verdict.counterexample is not None
    assert verdict.counterexample.confirmed
    assert known_proof(WEAKENED).status is ProofStatus.REFUTED


def test_a_stored_proof_that_the_preview_refutes_is_a_disagreement() -> None:
    put(WEAKENED)
    (clause,) = known_proof(WEAKENED).clauses
    assert (clause.status, clause.why) == (ProofStatus.UNKNOWN, DISAGREEMENT)
    assert attempted(WEAKENED, Script({})).why == DISAGREEMENT


def test_a_stored_proof_that_the_preview_cannot_confirm_is_proved_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put(RIGHT)
    script = Script({})
    assert attempted(RIGHT, script).cached
    assert not script.jobs

    def nothing(*_: object) -> CounterexampleSearch:
        return CounterexampleSearch(None)

    monkeypatch.setattr("workbench.check.proof.prover.from_preview", nothing)
    again = attempted(RIGHT, script)
    assert (again.status, again.cached) == (ProofStatus.PROVED, False)
    assert script.jobs == [["C1"]]


def test_a_stored_proof_that_the_preview_cannot_confirm_is_not_shown_as_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unknown(terms: PolicyTerms) -> Proof:
        def verdict(clause: Clause) -> ClauseProof:
            return ClauseProof(clause.id, (), ProofStatus.UNKNOWN, Engine.CVC5, why="gave up")

        return Proof(tuple(verdict(clause) for clause in terms.clauses))

    put(RIGHT)
    monkeypatch.setattr("workbench.check.known_proof.preview", unknown)
    (clause,) = known_proof(RIGHT).clauses
    assert (clause.status, clause.why) == (ProofStatus.UNKNOWN, NOT_AGREED)


def test_a_stored_refutation_has_to_break_the_clause_once_more() -> None:
    put(RIGHT, StoredVerdict(ProofStatus.REFUTED, {"age": 3}))
    assert attempted(RIGHT, Script({})).status is ProofStatus.PROVED
    put(WEAKENED, StoredVerdict(ProofStatus.REFUTED, {"age": 3}))
    (clause,) = known_proof(WEAKENED).clauses
    assert clause.counterexample is not None
    assert clause.counterexample.confirmed


def test_a_stored_proof_of_a_clause_that_says_nothing_is_vacuous() -> None:
    terms = check(POLICY.format(limit=18).replace("Implies(age < 18,", "Implies(age < 18 and age > 20,"))
    put(terms)
    (clause,) = known_proof(terms).clauses
    assert (clause.status, clause.cached) == (ProofStatus.VACUOUS, True)
    assert "its left side never happens" in clause.why


def test_that_stored_verdicts_are_not_used_is_said_once(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    prover = Prover(share=False)
    try:
        messages = [said_by(prover) for _ in range(2)]
    finally:
        prover.close()
    assert str(folder) in messages[0]
    assert messages[1] == ""


def said_by(prover: Prover) -> str:
    """The note of a proof about the cache, from a clause that needs no verifier."""
    dead = POLICY.format(limit=18).replace("# R1: Minors", "Requires(age < 3 and age > 5)\n    # R1: Minors")
    terms = check(dead.replace("import Ensures, Implies,", "import Ensures, Implies, Requires,"))
    proof = prover.prove(terms)
    assert proof.status is ProofStatus.VACUOUS
    return proof.why


# --- what the commands say --------------------------------------------------------------------------


def forge_all(terms: PolicyTerms) -> None:
    """Write an entry "proved" by hand for every clause, with the right name and everything but the secret."""
    cache = VerdictCache()
    for clause in terms.clauses:
        cache.put(ReadyPolicy.of(terms).key(clause.id), PROVED)
    for path in module.cache_folder().rglob("*.json"):
        path.write_text(signed(stored(path), b"guessed"))


def weakened_shop(folder: Path) -> Path:
    import shutil

    shop = folder / "shop"
    shutil.copytree(SHOP, shop)
    policy = shop / "policy.py"
    policy.write_text(policy.read_text().replace("age < 18", "age < 1", 1))
    return shop


def test_forged_verdicts_make_no_weakened_policy_proved_in_what_is_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = weakened_shop(tmp_path)
    forge_all(Session.open(shop, read_only=True).evaluated().terms)
    assert main(["evidence", str(shop), "--json"]) == 1
    output = json.loads(capsys.readouterr().out)
    for row in output["clauses"]:
        assert [verdict["status"] for verdict in row["verdicts"] if verdict["engine"] == "nagini"] == [
            "unknown"
        ]
    terms = Session.open(shop, read_only=True).evaluated().terms
    assert known_proof(terms).status is ProofStatus.UNKNOWN


def test_evidence_says_once_that_stored_verdicts_are_not_used(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    main(["evidence", str(SHOP), "--json"])
    shown = capsys.readouterr()
    assert shown.err.count("Stored verdicts are not used") == 1
    assert json.loads(shown.out)


@pytest.mark.nagini
def test_forged_verdicts_do_not_reach_verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shop = weakened_shop(tmp_path)
    forge_all(Session.open(shop, read_only=True).evaluated().terms)
    assert main(["verify", str(shop), "--json"]) == 1
    proof = json.loads(capsys.readouterr().out)
    assert proof["status"] == "refuted"
    refuted = [clause for clause in proof["clauses"] if clause["status"] == "refuted"]
    assert all(clause["counterexample"]["confirmed"] for clause in refuted)
    assert not any(clause["cached"] for clause in proof["clauses"])
