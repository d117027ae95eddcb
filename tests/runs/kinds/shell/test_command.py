"""The kind command: the parts of a shell text that it names, and those that it calls hidden."""

from __future__ import annotations

import json
import posixpath
from typing import cast

import pytest

from tests.recordings import DATA
from workbench.model import Json, RecordValue, Value, field_of
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.kinds.value_kind import MOST_CHARACTERS
from workbench.runs.values.found_value import Missing

READER = KINDS["command"].reader({"folder": "/repo", "home": "/home/me"})
COMMANDS = DATA / "shell_commands" / "commands.jsonl"


def part(text: str, name: str) -> Value:
    return field_of(READER.record(text), name)


def started(text: str) -> list[RecordValue]:
    return list(cast("tuple[RecordValue, ...]", part(text, "started")))


def named(text: str) -> list[str]:
    return [cast("str", field_of(program, "program")) for program in started(text)]


@pytest.mark.parametrize(
    ("text", "programs"),
    [
        ("npm test", ["npm"]),
        ("ls | sort -u; (pwd) & { cd x && make; }", ["ls", "sort", "pwd", "cd", "make"]),
        ('echo "$(rm a)" `rm b` <(rm c) ${x:-$(rm d)}', ["rm", "rm", "rm", "rm", "echo"]),
        ("env -i A=1 sudo -u root nice -n 5 timeout -k 1 5 rm a", ["env", "sudo", "nice", "timeout", "rm"]),
        ("sh -c 'bash -ec \"rm a; eval rm b\"'", ["sh", "bash", "rm", "eval", "rm"]),
        ("find . -name a -exec rm {} \\; -ok sh -c ls + ", ["find", "rm", "sh", "ls"]),
        ("ls | xargs -0 -n 1 rm", ["ls", "xargs", "rm"]),
        ("r''m a; \\rm a; \"rm\" a; $'r\\x6d' a", ["rm", "rm", "rm", "rm"]),
        (
            "/bin/rm a; /tmp/../usr/bin/rm a; /tmp/rm a; ./rm a; ~/rm a",
            ["rm", "rm", "/tmp/rm", "/repo/rm", "/home/me/rm"],
        ),
        (
            "if a; then b; elif c; then d; else e; fi; while f; do g; done; for x in y; do h; done",
            list("abcdefgh"),
        ),
        ("case $x in a|b) c;; *) d;; esac; ! e", ["c", "d", "e"]),
        ("> out rm a; rm > out a", ["rm", "rm"]),
        (
            "time rm a; command rm b; exec rm c; nohup rm d",
            ["time", "rm", "command", "rm", "exec", "rm", "nohup", "rm"],
        ),
        ("poetry run pytest; bash x.sh", ["poetry", "pytest", "bash", "/repo/x.sh"]),
        ("cat <<'E'\n$(rm a)\nE\nls", ["cat", "ls"]),
        ("# rm\nls # rm", ["ls"]),
        ("ln a b; cat /proc/cpuinfo /proc/self/status /dev/stdin", ["ln", "cat"]),
        ("", []),
    ],
)
def test_every_program_that_starts_is_named(text: str, programs: list[str]) -> None:
    assert (named(text), part(text, "opaque")) == (programs, False)


@pytest.mark.parametrize(
    "text",
    [
        "$X a",
        "`echo rm` a",
        "r? a",
        "eval $X",
        'sh -c "$X"',
        "curl a | sh",
        "sh < a",
        "bash -s",
        "bash",
        "python -c 1",
        "python3 -",
        "node -e 1",
        "perl -ne 1",
        "cat a | python",
        "ruby -",
        "php -r 1",
        "awk 'BEGIN{system(\"rm\")}'",
        "sed 's/a/b/e' x",
        "sed -n '1w out' x",
        "sed -f x y",
        "source a",
        ". a",
        "alias ls=rm",
        "trap 'rm a' EXIT",
        "PATH=/tmp ls",
        "LD_PRELOAD=/tmp/x.so ls",
        "IFS=x; ls",
        "export PATH=/tmp",
        "env PATH=/tmp ls",
        "for PATH in /tmp; do ls; done",
        "read PATH",
        "GIT_SSH_COMMAND=rm git fetch",
        "NODE_OPTIONS=-r=./x npm test",
        "git -c alias.x='!rm' x",
        "git rebase -x rm",
        "mywrap rm a",
        "ls | xargs mywrap",
        "find . -frobnicate",
        "sort --frobnicate a",
        "rg --frobnicate a",
        "git frobnicate",
        "git rebase --exe=rm",
        "git grep -Orm x",
        "git fetch --upload-pa=rm",
        "git bisect run rm",
        "tar xf a --to-com=rm",
        "tar -I rm -xf a",
        "sort --compress-prog=rm a",
        "find . $X",
        "find . -exec $X \\;",
        "find . -exec sh -c 'rm {}' \\;",
        "xargs -I{} sh -c 'rm {}'",
        "xargs sh",
        "xargs env",
        "env -S 'rm a'",
        "sudo -i",
        "echo $((a[$(rm)]))",
        "echo ${x@P}",
        "echo ${!x}",
        "[[ $a -eq 1 ]]",
        "test -v 'a[$(rm)]'",
        "printf -v 'a[$(rm)]' x",
        "declare -i x=1",
        "let x=1",
        "echo > /dev/tcp/h/80",
        "cat <<E\n$(rm a)\nE\n",
        "ssh h rm",
        "docker run x rm",
        "make SHELL=rm",
        "npx -c rm",
        "npm exec rm a",
        "npm --prefix x exe rm",
        "npm $X rm",
        "pnpm dlx rm a",
        "yarn dlx rm a",
        "bunx rm a",
        "uvx rm",
        "uv tool run rm",
        "pipx run rm a",
        "conda run -n x rm a",
        "nix-shell --run rm",
        "vim -c '!rm'",
        "parallel rm ::: a",
        "su -c rm",
        "command cd x",
        "cd $X; ./a",
        "while a; do cd b; done",
        "unknown --exec rm",
        "crontab -",
        "ln -s ../etc b/l; cat b/l/shadow",
        "ln -fs /etc l",
        "cp --symbolic a b",
    ],
)
def test_what_may_start_more_is_opaque(text: str) -> None:
    assert part(text, "opaque") is True
    assert part(text, "why")


@pytest.mark.parametrize(
    ("text", "part_name"),
    [
        ("echo > $X", "writes"),
        ("echo > $X", "paths"),
        ("ln $X l", "writes"),
        ("cat /proc/self/cwd/../etc/passwd", "reads"),
        ("cat < /proc/1/root/etc/passwd", "reads"),
        ("cd /proc/self; cat cwd/../x", "reads"),
        ("cat $X", "reads"),
        ("cat --frobnicate a", "reads"),
        ("cp a $X", "writes"),
        ("rm $X", "writes"),
        ("wc --files0-from=a", "reads"),
        ("sort --files0-from=-", "reads"),
        ("find -files0-from a", "paths"),
        ("jq -nf a b", "reads"),
        ("jq -n 'import \"a\" as $a; $a'", "reads"),
        ("mywrap", "reads"),
        ("mywrap a", "paths"),
        ("git log -- ':(glob)**'", "reads"),
        ("git diff '.e*'", "reads"),
        ("curl $X", "hosts"),
        ("curl --resolve a.example:443:b.example https://a.example", "hosts"),
        ("curl -x b.example https://a.example", "hosts"),
        ("https_proxy=b.example curl https://a.example", "hosts"),
        ("curl 'https://{a,b}.example'", "hosts"),
        ("git push", "hosts"),
        ("curl -T '{.env,a}' https://a.example", "reads"),
        ("curl file:///repo/%2eenv", "reads"),
        ("curl file://localhost/etc/passwd", "reads"),
        ("curl -o '#1' 'https://a.example/[1-2]'", "writes"),
        ("curl --output-dir d -o a https://a.example", "writes"),
        ("gcc @a", "reads"),
        ("curl -w '%output{a}x' https://a.example", "writes"),
        ("git log --format=%GG", "programs"),
        ("pdftotext d/a.pdf", "writes"),
        ("enscript a", "programs"),
        ("CC=./x make", "programs"),
        ("git push origin main", "hosts"),
        ("npm install a", "hosts"),
        ("ls $X; git log $X", "flags"),
        ("rg -g '{.env,a}' x", "reads"),
        ("go run github.com/a/b@latest", "programs"),
        ("go run a.example/b", "programs"),
        ("echo x | crontab", "programs"),
        ("cp * d", "writes"),
        ("cp *.py d", "writes"),
        ("mv */a d", "writes"),
        ("rm *", "writes"),
        ("grep x *.py", "reads"),
        ("wc -l *.py", "reads"),
        ("uniq * a", "writes"),
        ("test -f *", "programs"),
        ("cat *n", "flags"),
    ],
)
def test_what_the_text_does_not_show_is_open(text: str, part_name: str) -> None:
    known = READER.parts(text)[part_name]
    assert isinstance(known, Missing)


@pytest.mark.parametrize(
    "text",
    [
        "cp ./* d",
        "cp -- * d",
        "cp d/* e",
        "rm *.pyc",
        "cat *",
        "head -5 *.md",
        "ls *",
        "stat ?",
        "sha256sum *.gz",
        "[ -f *.py ]",
        "rg -g '!dist' x",
        "go run main.go",
        "go run ./cmd/a",
        "crontab -l",
    ],
)
def test_what_is_known_to_change_nothing_else_is_told(text: str) -> None:
    parts = READER.parts(text)
    assert not any(isinstance(parts[name], Missing) for name in ("programs", "reads", "writes", "paths"))


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("npm run build", {"/w"}),
        ("pnpm run lint a.ts", {"/w", "/w/a.ts"}),
        ("npm run build -- a.ts", {"/w", "/w/a.ts"}),
        ("npm test -- a.ts", {"/w", "/w/a.ts"}),
        ("cargo run -- a.txt", {"/w", "/w/a.txt"}),
        ("go generate ./a", {"/w", "/w/a"}),
    ],
)
def test_what_runs_the_code_of_a_folder_runs_it_with_other_words_too(text: str, paths: set[str]) -> None:
    """The name of a script is no path, and words after a double dash change nothing."""
    parts = KINDS["command"].reader({"folder": "/w"}).parts(text)
    assert (parts["runs"], parts["paths"], parts["opaque"]) == ({"/w"}, paths, False)


@pytest.mark.parametrize(
    "text",
    [
        "'ls",
        "ls \\",
        "ls &&",
        "f() { rm; }; f",
        "function f { rm; }",
        "((x=1))",
        "a[$(rm)]=1",
        "coproc rm",
        "unset 'a[$(rm)]'",
        "ls\r\nrm a",
        "ls\u00a0a",
        "ls \u200b",
        "time { rm; }",
        "for ((;;)); do rm; done",
        'cat <<E "\nE\n"\nrm\nE\n',
        "ls \ud800",
        "\x00",
        "( " * 200 + "rm" + " )" * 200,
        "$(" * 200 + "rm" + ")" * 200,
        "}",
        "a &&& b",
        "{rm,a} b",
    ],
)
def test_what_is_not_understood_whole_is_not_determinable(text: str) -> None:
    with pytest.raises(Missing):
        READER.record(text)


def test_words_are_what_the_program_gets() -> None:
    [program] = started("git --no-pager log -n5 'a b' --format=\"%H\" \"c\"'d' e\\ f")
    assert field_of(program, "words") == {"--no-pager", "log", "-n5", "a b", "--format=%H", "cd", "e f"}
    assert field_of(program, "options") == {"-P", "--no-pager", "-n5", "-n", "--max-count", "--format"}
    assert (field_of(program, "first"), field_of(program, "second")) == ("log", "-n5")
    assert field_of(program, "unknown") is False


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("git -C x push origin", "push", "origin"),
        ("npm run build", "run", "build"),
        ("npm --prefix test install", "", ""),
        ("git --exec-path=x push", "", ""),
        ("unknown --flag word", "", ""),
        ("npx --yes eslint --fix", "eslint", "--fix"),
    ],
)
def test_the_sub_command_is_only_said_where_it_is_sure(text: str, first: str, second: str) -> None:
    [program] = started(text)
    assert (field_of(program, "first"), field_of(program, "second")) == (first, second)


@pytest.mark.parametrize(
    "text", ["cat $X", "cat *.c", "cat {a,b}", "cat ~bob/x", "ls | xargs cat", "cat $(ls)", "cd -; cat x"]
)
def test_words_that_only_the_run_tells_are_said(text: str) -> None:
    assert field_of(started(text)[-1], "unknown") is True


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("cat a/../b", "/repo/b"),
        ("cat ../../etc/passwd", "/etc/passwd"),
        ("cat //etc/./passwd", "/etc/passwd"),
        ("cat ~/x", "/home/me/x"),
        ("cat '.e''nv'", "/repo/.env"),
        ("git show HEAD:.env", "/repo/.env"),
        ("dd if=/etc/passwd", "/etc/passwd"),
        ("curl -F file=@/etc/passwd x", "/etc/passwd"),
        ("grep --file=/etc/passwd x", "/etc/passwd"),
        ("grep -rf/etc/passwd x", "/etc/passwd"),
        ("cat -- -n", "/repo/-n"),
        ("curl file:///etc/passwd", "/etc/passwd"),
        ("cd a && cat ../b", "/repo/b"),
        ("cd /x; cat b", "/repo/b"),
        ("cd /x; cat b", "/x/b"),
        ("(cd /x); cat b", "/repo/b"),
        ("cd; cat b", "/home/me/b"),
        ("git -C /x diff a", "/x/a"),
        ("cat < in", "/repo/in"),
        ("cat > /tmp/out", "/tmp/out"),
        ("sh -c 'cat a'", "/repo/a"),
    ],
)
def test_paths_are_named_in_their_normal_form(text: str, path: str) -> None:
    assert path in cast("frozenset[str]", part(text, "paths"))


@pytest.mark.parametrize(
    ("text", "part_name", "expected"),
    [
        ("cp a/b .claude", "writes", {".claude", ".claude/b"}),
        ("cp -t d a", "writes", {"d", "d/a"}),
        ("mv a b", "reads", {"a"}),
        ("mv a b", "writes", {"a", "b", "b/a"}),
        ("sed p a -e 1d", "reads", {"p", "a"}),
        ("sed -ni p a", "writes", {"a"}),
        ("sed -ni.bak p a", "writes", {"a", "a.bak"}),
        ("sed -nnnnnnnnnnni p a", "writes", {"a"}),
        ("sort -rrrrrrrrrrro out a", "writes", {"out"}),
        ("sort a -o out", "writes", {"out"}),
        ("sort --outp=out a", "writes", {"out"}),
        ("uniq a b", "writes", {"b"}),
        ("find a -delete", "writes", {"a"}),
        ("grep .env -e . a", "reads", {".env", "a"}),
        ("grep -fA b", "reads", {"A", "b"}),
        ("grep -r x", "trees", {"."}),
        ("grep -r x a", "trees", {"a"}),
        ("rg x", "trees", {"."}),
        ("rg -gA x .env", "reads", {".env"}),
        ("tar czf a.tgz b", "writes", {"a.tgz"}),
        ("tar czf a.tgz b", "trees", {"b"}),
        ("tar -C d -cf a.tar b", "trees", {"d/b"}),
        ("tar -C d -cf a.tar b", "writes", {"a.tar"}),
        ("wget -P d -O a https://a.example/b", "writes", {"a"}),
        ("git -C d rm x", "writes", {"d/x"}),
        ("git -C d -C e status", "paths", {"d", "d/e"}),
        ("wget -P d -O a https://a.example/b", "paths", {"a", "d"}),
        ("fuser a", "paths", {"a"}),
        ("git mv a b", "writes", {"a", "b", "b/a"}),
        ("git show HEAD:a", "reads", {"a"}),
        ("git diff .env", "reads", {".env"}),
        ("git diff HEAD~1 d/k", "reads", {"d/k"}),
        ("git diff --stat a HEAD", "reads", {"a"}),
        ("git -C d diff k", "reads", {"d/k"}),
        ("git diff a/../d", "trees", {".", "d"}),
        ("git log -p .env", "reads", {".env"}),
        ("git show HEAD a", "reads", {"a"}),
        ("git log --cc ./d/k", "reads", {"d/k"}),
        ("git log -L1,1:.env", "reads", {".env"}),
        ("git log -L :main:a", "reads", {"a"}),
        ("ls &> /dev/null/../x", "writes", {"/dev/x"}),
        ("git grep x", "trees", {"."}),
        ("git grep -- d", "trees", {"."}),
        ("git status -vv", "trees", {"."}),
        ("git diff --stat", "trees", {"."}),
        ("curl -o a -T b https://a.example", "writes", {"a"}),
        ("curl -o a -T b https://a.example", "reads", {"b"}),
        ("curl -O 'https://a.example/b/c.zip?d'", "writes", {"c.zip"}),
        ("python x.py a", "runs", {"x.py"}),
        ("make -C d", "runs", {"d"}),
        ("./x.sh", "runs", {"x.sh"}),
        ("cd d && ls > a", "writes", {"a", "d/a"}),
        ("gzip a", "writes", {"a", "a.gz"}),
        ("touch a; mkdir -p b; chmod +x c; rm d; tee e; dd of=f", "writes", set("abcdef")),
    ],
)
def test_files_by_what_is_done_with_them(text: str, part_name: str, expected: set[str]) -> None:
    assert part(text, part_name) == {posixpath.normpath(posixpath.join("/repo", name)) for name in expected}


@pytest.mark.parametrize("part_name", ["reads", "writes"])
@pytest.mark.parametrize("text", ["git log main", "ls > /dev/null 2> /dev/null < /dev/null"])
def test_a_revision_and_the_null_device_are_no_files(text: str, part_name: str) -> None:
    assert part(text, part_name) == frozenset()


NO_TREE = (
    "git commit -m x; git checkout -b x; git switch -c x; git branch x; git reset HEAD a; git init a",
    "git restore --staged a; git remote -v; git worktree list; pip list; git checkout --detach",
)
WHOLE_TREE = (
    "git commit -am x; git commit -p; git checkout x; git checkout -b x main; git checkout -f; git add -A",
    "git switch x; git switch --orphan x; git reset --hard; git restore -S -W a; git restore -p; git stash",
)
TREE_OF_A = ("git add a; git add -u a; git restore a; git checkout x -- a; git commit a",)


@pytest.mark.parametrize(
    ("text", "trees"),
    [
        (text, trees)
        for lines, trees in ((NO_TREE, ()), (WHOLE_TREE, ("/repo",)), (TREE_OF_A, ("/repo/a",)))
        for line in lines
        for text in line.split("; ")
    ],
)
def test_git_reads_or_changes_the_whole_repository_only_where_it_does(
    text: str, trees: tuple[str, ...]
) -> None:
    found = cast("frozenset[str]", part(text, "trees"))
    assert found >= set(trees)
    assert ("/repo" in found) is ("/repo" in trees)


@pytest.mark.parametrize(
    "text", ["cd a && git checkout x", "git -C a diff", "(cd a; git commit -am x)", "git -C .. stash"]
)
def test_what_git_changes_above_another_folder_is_open(text: str) -> None:
    parts = READER.parts(text)
    assert isinstance(parts["trees"], Missing)
    assert not isinstance(parts["reads"], Missing)


REMOTES: Json = {"/repo": {"origin": "github.com", "fork": "GitLab.com"}}
OF_REMOTES = KINDS["command"].reader({"folder": "/repo", "home": "/home/me", "remotes": REMOTES})


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("git push origin main", {"github.com"}),
        ("git -C . push -u fork x", {"gitlab.com"}),
        ("git config --local --list --show-scope; git push origin main", {"github.com"}),
        ("git fetch", {"github.com", "gitlab.com"}),
        ("git pull --rebase origin main && git push", {"github.com", "gitlab.com"}),
        ("cd /repo; git ls-remote origin", {"github.com"}),
        ("git push -u https://a.example/x main", {"a.example"}),
        ("git remote add x https://a.example/x", {"a.example"}),
        ("mkdir -p b; cp a b; sed -i s/a/b/ src/*.py; git push origin", {"github.com"}),
    ],
)
def test_a_declared_remote_has_a_host(text: str, hosts: set[str]) -> None:
    assert OF_REMOTES.parts(text)["hosts"] == hosts


@pytest.mark.parametrize(
    "text",
    [
        "git push upstream",
        "git push $X",
        "cd a && git push origin",
        "git -C /other push origin",
        "git --bare push origin",
        "git --git-dir=/x push origin",
        "git -c remote.origin.url=x push origin",
        "git -c url.x.insteadOf=y fetch",
        "GIT_DIR=x git push origin",
        "export GIT_CONFIG_COUNT=1; git push origin",
        "HOME=/tmp git push origin",
        "git clone origin",
        "git fetch --multiple a b",
        "git push --repo=x",
        "git config remote.origin.url x; git push origin",
        "git remote set-url origin https://a.example/x && git push origin",
        "git push origin; git remote add x ../y",
        "git push -u ../x main; git push",
        "echo x >> .git/config; git push origin",
        "git push origin > .git/config",
        "sed -i s/a/b/ ~/.gitconfig && git push origin",
        "cp x /repo/.git/config; git fetch origin",
        "cp -r a . && git push origin",
        "mv .git b; git push origin",
        "rm -r /repo; git push origin",
        "tar xf a.tar; git push origin",
        "patch -p1 < a; git push origin",
        "tee ~/.config/git/config < a; git push origin",
        "ln -s .git b; echo x > b/config; git push origin",
        "cp a $X; git push origin",
        "mywrap a; git push origin",
    ],
)
def test_a_remote_that_may_be_another_has_no_host(text: str) -> None:
    assert isinstance(OF_REMOTES.parts(text)["hosts"], Missing)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("git log -p", True),
        ("git log --oneline -5", False),
        ("git show", True),
        ("git show --stat", False),
        ("git show HEAD:a", False),
        ("git show :0:a HEAD@{10:00}:b", False),
        ("git show :/fix", True),
        ("git show HEAD:a :/fix", True),
        ("git show 'HEAD^{/fix: a}'", True),
        ("git show HEAD@{10:00}", True),
        ("git show ':(top)a'", True),
        ("git show -- :/", True),
        ("git show HEAD a.py", True),
        ("git log -p -- a", True),
        ("git diff", False),
        ("git diff --cached", False),
        ("git diff main", True),
        ("git diff --stat main", False),
        ("git diff --stat -U1 main", True),
        ("git diff --summary --unified main", True),
        ("git diff ./main", False),
        ("git grep x", False),
        ("git grep x -- main", False),
        ("git grep x main", True),
        ("git grep -e x HEAD~2", True),
        ("git grep -l x main", False),
        ("git grep x src/ .", False),
        ("git grep x HEAD:src/", True),
        ("git diff -- a", False),
        ("git stash show -p", True),
        ("git cat-file -p HEAD", True),
    ],
)
def test_what_files_once_held_is_said_to_be_printed(text: str, told: bool) -> None:
    assert part(text, "history") is told


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("make test deploy", {"make test", "make deploy"}),
        ("/tmp/git push", {"/tmp/git"}),
        ("git branch -v -D a", {"git branch -v", "git branch -D"}),
        ("git branch --list", {"git branch --list"}),
        ("git stash list --stat", {"git stash list"}),
        ("git --no-pager log", {"git log"}),
        ("git commit -m \"$(cat <<'E'\na `b`\nE\n)\"", {"cat", "git commit"}),
        ("cat <<A > x\na\nA\ncat <<'B'\n$(rm b)\nB", {"cat"}),
    ],
)
def test_calls(text: str, calls: set[str]) -> None:
    assert (part(text, "calls"), part(text, "opaque")) == (calls, False)


@pytest.mark.parametrize(
    "text",
    [
        "test ! -v 'a[$(rm)]'",
        "test -n x -a -v 'a[$(rm)]'",
        "printf -v'a[$(rm)]' y",
        "x='a[$(rm)]'; b=([x]=1); ls",
        "RANDOM='a[$(rm)]'; ls",
        "for SECONDS in 'a[$(rm)]'; do ls; done",
        "sed p a -e 'e rm'",
        "awk -FF 'BEGIN{system(\"rm\")}' a",
        "RIPGREP_CONFIG_PATH=a rg x",
        "echo x | xargs --replace ./a cat",
        "git show --stdin",
    ],
)
def test_words_that_once_hid_a_program_are_opaque(text: str) -> None:
    assert part(text, "opaque") is True


def test_a_text_that_is_searched_for_is_no_path() -> None:
    paths = cast(
        "frozenset[str]", part("grep -rn /etc/passwd docs; echo /etc/shadow; sed 's/a/b/' f", "paths")
    )
    assert paths >= {"/repo/docs", "/repo/f"}
    assert not {"/etc/passwd", "/etc/shadow"} & paths


def test_files_of_redirects() -> None:
    text = "a > x 2>> y < z; b &> w 2>&1; { c; } >| v"
    assert part(text, "writes") == {f"/repo/{name}" for name in "xywv"}
    assert part(text, "reads") == {"/repo/z"}


def test_hosts() -> None:
    text = "curl -s https://u:p@A.example.:8443/x nodejs.org; scp a bob@b.example:/c; git clone ssh://d.example/x"
    assert part(text, "hosts") == {"a.example", "nodejs.org", "b.example", "d.example"}


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("env", {"*"}),
        ("env A=1", {"*"}),
        ("env A=1 ls", set[str]()),
        ("printenv", {"*"}),
        ("printenv TOKEN", {"TOKEN"}),
        ("xargs printenv", {"*"}),
        ("export -p", {"*"}),
        ("declare -p TOKEN", {"TOKEN"}),
        ('echo "a ${TOKEN}"', {"TOKEN"}),
        ("bash -c 'echo $TOKEN'", {"TOKEN"}),
        ("cat <<E\n$TOKEN\nE", {"TOKEN"}),
        ("cat <<'E'\n$TOKEN\nE", set[str]()),
        ("cd /proc/self && cat environ", {"*"}),
        ("grep -r TOKEN /proc", {"*"}),
        ("awk 'BEGIN { print ENVIRON[\"TOKEN\"] }'", {"*"}),
        ("jq -n '$ENV.TOKEN'", {"*"}),
        ("ps auxe", {"*"}),
        ("ps -ef", set[str]()),
        ("echo $1 $? $$", set[str]()),
        ("for f in *.py; do echo $f; done", set[str]()),
        ("while read line; do echo $line; done < f", set[str]()),
        ("x=$(git rev-parse HEAD); echo $x", set[str]()),
    ],
)
def test_variables_of_the_environment_that_a_command_uses_or_shows(text: str, used: set[str]) -> None:
    assert part(text, "environment") == used


@pytest.mark.parametrize("text", ["set", "cat $(ls)", "python3 -c 'import os; print(os.environ)'", "eval $X"])
def test_what_may_show_the_environment_is_open(text: str) -> None:
    assert not isinstance(READER.parts(text)["environment"], frozenset)


def test_variables() -> None:
    assert part("A=1 b; env C=2 d; export E=3; read F; for g in h; do i; done", "variables") == {
        "A",
        "C",
        "E",
        "F",
        "g",
    }


@pytest.mark.bounded
@pytest.mark.parametrize("text", ["rm " + "x" * (MOST_CHARACTERS - 3), "rm " + "x " * 49_000])
def test_a_long_text_of_one_command_is_read(text: str) -> None:
    assert named(text) == ["rm"]


@pytest.mark.bounded
@pytest.mark.parametrize(
    "text",
    [
        "echo " + "'" * 5_000,
        "rm '" + "(" * 5_900 + "'",
        "((" * 40_000,
        "$(" * 45_000,
        "a <<A\n" * 15_000,
        "`" * 99_000,
        "a;" * 49_000,
        "a|" * 49_000,
        "{ " * 45_000,
        '"$(' * 30_000,
        "if " * 33_000,
    ],
)
def test_a_long_text_is_read_or_refused(text: str) -> None:
    try:
        programs = named(text)
    except Missing:
        return
    assert programs in (["rm"], ["echo"])


@pytest.mark.skipif(not COMMANDS.exists(), reason="the recorded commands are not here")
def test_recorded_commands_are_read() -> None:
    """Each is read without an obstacle, and its first word is named."""
    lines = [json.loads(line) for line in COMMANDS.read_text("utf-8").splitlines()]
    texts = [line["text"] for line in lines if line["language"] == "shell"]
    unread = 0
    for text in texts:
        try:
            programs = started(text)
        except Missing:
            unread += 1
            continue
        first = text.split()[0].lstrip("(").rstrip(";")
        names = {field_of(program, "name") for program in programs}
        assert "=" in first or first.rsplit("/", 1)[-1] in names
    assert unread <= len(texts) // 100


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("npx jest --outputFile=dist/x", "writes"),
        ("npx vitest run --outputFile.json dist/x", "writes"),
        ("npx tsc --outFile dist/x", "writes"),
        ("npx prettier --write '{src,/etc}/**'", "writes"),
        ("prettier --write 'd*st/x.js'", "writes"),
        ("prettier 'se*rets/x.js'", "paths"),
        ("eslint --fix 'd\\ist/**'", "writes"),
        ("chmod -cR 000 .", "writes"),
        ("FLASK_APP=../x flask run", "paths"),
    ],
)
def test_files_that_a_program_finds_or_names_in_its_own_way_are_not_determinable(
    text: str, name: str
) -> None:
    assert isinstance(READER.parts(text)[name], Missing)


def test_patterns_of_a_kind_of_files_are_those_below_a_folder() -> None:
    assert not isinstance(READER.parts("npx prettier --write 'src/**/*.{ts,tsx}'")["writes"], Missing)
