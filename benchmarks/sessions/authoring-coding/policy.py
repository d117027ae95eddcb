"""House rules for the coding agent."""

from dataclasses import dataclass
from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Tool = Literal[
    "delete_path", "git_commit", "git_push", "http_request", "install_packages",
    "open_pull_request", "read_file", "run_shell", "search_code", "write_files",
]

# What looks, tests and builds.
LISTED = {
    "[", "awk", "base64", "basename", "bash", "cat", "cd", "cut", "date", "diff",
    "dirname", "du", "echo", "egrep", "env", "eslint", "false", "fgrep", "file", "find",
    "git blame", "git branch", "git branch --list", "git branch --show-current",
    "git branch -a", "git branch -r", "git branch -v", "git diff", "git grep", "git log",
    "git ls-files", "git ls-tree", "git rebase", "git rev-parse", "git shortlog",
    "git show", "git status", "grep", "head", "jest", "jq", "ls", "make build",
    "make check", "make lint", "make test", "nl", "npm run build", "npm run check",
    "npm run format", "npm run lint", "npm run test", "npm run typecheck", "npm test",
    "npx eslint", "npx jest", "npx prettier", "npx tsc", "npx vitest", "prettier",
    "printf", "pwd", "realpath", "rg", "sed", "sh", "sort", "stat", "tail", "test", "time",
    "tr", "tree", "true", "tsc", "vitest", "wc", "which", "xargs",
}

# Options that make them change files.
CHANGING = {"find -delete", "git --output", "sed -i", "sort -o", "tree -o"}
# What shows no more of a file than how long it is.
COUNTING = {"wc"}
PEOPLE = {"robin", "Robin", "ROBIN", "sam", "Sam", "SAM", "kim", "Kim", "KIM"}
HOSTS = {"github.com", "nodejs.org", "wiki.example.com"}
MOST_PACKAGES = 3


@dataclass(frozen=True)
class Path:
    absolute: str


@dataclass(frozen=True)
class Url:
    scheme: str
    host: str
    port: int | None
    has_userinfo: bool


@dataclass(frozen=True)
class Command:
    opaque: bool
    calls: frozenset[str]
    flags: frozenset[str]
    unknown: frozenset[str]
    writes: frozenset[str]
    paths: frozenset[str]


@dataclass(frozen=True)
class File:
    absolute: str
    folder: str
    mode: str | None


@dataclass(frozen=True)
class Package:
    exact: bool | None


@dataclass(frozen=True)
class Reviewer:
    login: str


def is_open_path(path: str) -> bool:
    return (
        path == "/repo"
        or path.startswith("/repo/")
        or path == "/tmp"
        or path.startswith("/tmp/")
        or path == "/dev/null"
    )


def is_secret_path(path: str) -> bool:
    return (
        path.endswith("/.env")
        or "/.env." in path and not path.endswith("/.env.example")
        or path.endswith(".pem")
        or path.endswith(".key")
        or path == "/repo/config/secrets"
        or path.startswith("/repo/config/secrets/")
    )


def forbid_outside(path: Path | None, paths: frozenset[str]) -> bool:
    """R1: Only the checkout and /tmp are open."""
    return (
        path is not None and not is_open_path(path.absolute)
        or any(not is_open_path(one) for one in paths)
    )


def forbid_secrets(path: Path | None, paths: frozenset[str]) -> bool:
    """R2: Secrets are not opened."""
    return (
        path is not None and is_secret_path(path.absolute)
        or any(is_secret_path(one) for one in paths)
    )


def forbid_workflows(tool: Tool, paths: frozenset[str]) -> bool:
    """R3: The CI workflows stay with people."""
    return (
        tool == "write_files"
        and any(path.startswith("/repo/.github/workflows/") for path in paths)
    )


def forbid_old_migrations(tool: Tool, files: tuple[File, ...], made: tuple[Path, ...]) -> bool:
    """R3: A database migration is made, and only in the same run changed."""
    return (
        tool == "write_files"
        and any(
            file.folder.startswith("/repo/db/migrations") and file.mode != "create"
            for file in files
        )
        and not {file.absolute for file in files} <= {one.absolute for one in made}
    )


def forbid_delete(tool: Tool, path: Path | None, made: tuple[Path, ...]) -> bool:
    """R4: Only files that the agent made in the same run are deleted."""
    return (
        tool == "delete_path"
        and path is not None
        and not any(one.absolute == path.absolute for one in made)
    )


def forbid_hidden_commands(command: Command | None) -> bool:
    """R5, R6: A command hides nothing that runs."""
    return command is not None and command.opaque


def forbid_programs(command: Command | None) -> bool:
    """R5, R6: The shell runs tests, linters, the build and what looks at things."""
    return command is not None and any(call not in LISTED for call in command.calls)


def forbid_changes_by_shell(command: Command | None) -> bool:
    """R5: The shell changes and removes no files but by redirects into /tmp."""
    return (
        command is not None
        and (
            any(
                flag in CHANGING
                or flag.startswith("sed --i")
                or flag.startswith("sort --o")
                or flag.startswith("git --ou")
                for flag in command.flags
            )
            or any(
                not file.startswith("/tmp/") and file != "/dev/null"
                for file in command.writes
            )
        )
    )


def forbid_files_of_shell(command: Command | None) -> bool:
    """R1, R2: The rules about files hold for the shell."""
    return (
        command is not None
        and any(not is_open_path(path) or is_secret_path(path) for path in command.paths)
    )


def forbid_words_of_the_run(command: Command | None) -> bool:
    """R2, R6: The files that a program shows are known before it runs."""
    return command is not None and any(program not in COUNTING for program in command.unknown)


def forbid_inexact_packages(tool: Tool, packages: tuple[Package, ...]) -> bool:
    """R7: New packages have an exact version."""
    return (
        tool == "install_packages"
        and any(package.exact is None or not package.exact for package in packages)
    )


def forbid_many_packages(tool: Tool, packages: tuple[Package, ...], installed: int) -> bool:
    """R7: At most three packages are new in a run."""
    return tool == "install_packages" and installed + len(packages) > MOST_PACKAGES


def forbid_other_managers(tool: Tool, manager: str | None) -> bool:
    """R8: Packages are installed with npm."""
    return tool == "install_packages" and manager != "npm"


def forbid_other_branches(tool: Tool, branch: str | None, remote: str | None) -> bool:
    """R14: Work is pushed to branches of the agent at origin."""
    return (
        tool == "git_push"
        and (
            branch is None
            or not branch.startswith("agent/")
            or ":" in branch
            or ".." in branch
            or " " in branch
            or remote is not None and remote != "origin"
        )
    )


def forbid_force(tool: Tool, force: bool | None, rebased: bool) -> bool:
    """R9: Only after a rebase is a branch overwritten."""
    return tool == "git_push" and force is not None and force and not rebased


def forbid_other_bases(tool: Tool, base: str | None) -> bool:
    """R10: Pull requests go against main or develop."""
    return tool == "open_pull_request" and base != "main" and base != "develop"


def forbid_no_reviewer(tool: Tool, reviewers: tuple[Reviewer, ...]) -> bool:
    """R10: One of us reviews a pull request."""
    return (
        tool == "open_pull_request"
        and not any(reviewer.login in PEOPLE for reviewer in reviewers)
    )


def forbid_untested(
    tool: Tool,
    passed_since_write: bool,
    passed_since_delete: bool,
    passed_since_install: bool,
) -> bool:
    """R11: The tests have passed with the code as it is."""
    return (
        tool == "open_pull_request"
        and not (passed_since_write and passed_since_delete and passed_since_install)
    )


def forbid_second_pull_request(tool: Tool, opened: bool) -> bool:
    """R15: One pull request is opened in a run."""
    return tool == "open_pull_request" and opened


def forbid_other_sites(url: Url | None) -> bool:
    """R12, R13: Only three sites are read, over https."""
    return (
        url is not None
        and (
            url.scheme != "https"
            or url.host not in HOSTS
            or url.port != 443
            or url.has_userinfo
        )
    )


def forbid_sending(tool: Tool, method: str | None) -> bool:
    """R13: Pages are only read."""
    return tool == "http_request" and method is not None and method != "GET" and method != "HEAD"


def allow(
    tool: Tool,
    paths: frozenset[str],
    path: Path | None,
    files: tuple[File, ...],
    made: tuple[Path, ...],
    command: Command | None,
    manager: str | None,
    packages: tuple[Package, ...],
    installed: int,
    branch: str | None,
    remote: str | None,
    force: bool | None,
    rebased: bool,
    base: str | None,
    reviewers: tuple[Reviewer, ...],
    passed_since_write: bool,
    passed_since_delete: bool,
    passed_since_install: bool,
    opened: bool,
    url: Url | None,
    method: str | None,
) -> bool:
    # R1: What is outside of the checkout and /tmp is denied.
    Ensures(
        Implies(
            "/etc/passwd" in paths or any(other.startswith("/repo-old") for other in paths),
            not Result(),
        ),
    )
    # R2: No secret is read, searched, deleted, written or committed.
    Ensures(
        Implies(
            any(
                one.endswith("/.env")
                or one.startswith("/repo/config/secrets/")
                or one.endswith(".pem")
                for one in paths
            ),
            not Result(),
        ),
    )
    # R2: So it is with the one path of a call.
    Ensures(Implies(path is not None and path.absolute == "/repo/config/secrets", not Result()))
    # R3: No workflow is written.
    Ensures(
        Implies(
            tool == "write_files" and "/repo/.github/workflows/test.yml" in paths,
            not Result(),
        ),
    )
    # R3: A migration that the agent did not make is not overwritten.
    Ensures(
        Implies(
            tool == "write_files"
            and any(file.folder == "/repo/db/migrations" and file.mode is None for file in files)
            and len(made) == 0,
            not Result(),
        ),
    )
    # R4: What the agent did not make is not deleted.
    Ensures(
        Implies(
            tool == "delete_path"
            and path is not None
            and all(one.absolute != path.absolute for one in made),
            not Result(),
        ),
    )
    # R5, R6: No opaque command runs.
    Ensures(Implies(command is not None and command.opaque, not Result()))
    # R5, R6: sudo, curl and rm are not run, and git neither pushes nor fetches.
    Ensures(
        Implies(
            command is not None
            and any(
                call in {"sudo", "curl", "rm", "git push", "git fetch"}
                for call in command.calls
            ),
            not Result(),
        ),
    )
    # R5: sed does not edit in place, and find does not delete.
    Ensures(
        Implies(
            command is not None and ("sed -i" in command.flags or "find -delete" in command.flags),
            not Result(),
        ),
    )
    # R5: No redirect writes into the checkout.
    Ensures(
        Implies(
            command is not None and any(file.startswith("/repo/") for file in command.writes),
            not Result(),
        ),
    )
    # R1, R2: No path of a command is a secret or outside.
    Ensures(
        Implies(
            command is not None
            and any(
                path_of_it.endswith("/.env") or path_of_it == "/etc/passwd"
                for path_of_it in command.paths
            ),
            not Result(),
        ),
    )
    # R2, R6: cat reads what is known.
    Ensures(Implies(command is not None and "cat" in command.unknown, not Result()))
    # R7: A package without an exact version is not installed.
    Ensures(
        Implies(
            tool == "install_packages" and any(package.exact is None for package in packages),
            not Result(),
        ),
    )
    # R7: There are never more than three new ones.
    Ensures(Implies(tool == "install_packages" and Result(), installed + len(packages) <= 3))
    # R8: Nothing but npm installs.
    Ensures(Implies(tool == "install_packages" and Result(), manager == "npm"))
    # R14: main is not pushed to.
    Ensures(Implies(tool == "git_push" and branch == "main", not Result()))
    # R14: No other remote is pushed to.
    Ensures(Implies(tool == "git_push" and remote == "fork", not Result()))
    # R9: Nothing is forced without a rebase.
    Ensures(Implies(tool == "git_push" and force is not None and force and Result(), rebased))
    # R10: The base is main or develop.
    Ensures(Implies(tool == "open_pull_request" and Result(), base == "main" or base == "develop"))
    # R10: There is a reviewer.
    Ensures(Implies(tool == "open_pull_request" and len(reviewers) == 0, not Result()))
    # R11: The tests passed after the last write.
    Ensures(
        Implies(
            tool == "open_pull_request" and Result(),
            passed_since_write and passed_since_delete,
        ),
    )
    # R15: There is no second pull request.
    Ensures(Implies(tool == "open_pull_request" and opened, not Result()))
    # R12, R13: An address of another site, or not over https, is not read.
    Ensures(Implies(url is not None and Result(), url.host in HOSTS and url.scheme == "https"))
    # R13: Nothing is sent.
    Ensures(Implies(tool == "http_request" and method == "PUT", not Result()))
    return not (
        forbid_outside(path, paths)
        or forbid_secrets(path, paths)
        or forbid_workflows(tool, paths)
        or forbid_old_migrations(tool, files, made)
        or forbid_delete(tool, path, made)
        or forbid_hidden_commands(command)
        or forbid_programs(command)
        or forbid_changes_by_shell(command)
        or forbid_files_of_shell(command)
        or forbid_words_of_the_run(command)
        or forbid_inexact_packages(tool, packages)
        or forbid_many_packages(tool, packages, installed)
        or forbid_other_managers(tool, manager)
        or forbid_other_branches(tool, branch, remote)
        or forbid_force(tool, force, rebased)
        or forbid_other_bases(tool, base)
        or forbid_no_reviewer(tool, reviewers)
        or forbid_untested(
            tool,
            passed_since_write,
            passed_since_delete,
            passed_since_install,
        )
        or forbid_second_pull_request(tool, opened)
        or forbid_other_sites(url)
        or forbid_sending(tool, method)
    )
