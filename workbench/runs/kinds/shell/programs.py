"""Programs whose words decide what else runs: one table, by what a program does with its words."""

from __future__ import annotations

import re
from dataclasses import dataclass

STANDARD_FOLDERS = frozenset({
    "/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Launcher:
    """A program that starts another: its options without and with a value, and how many words come first.

    ``assignments`` are words ``NAME=value`` before the program; ``leading`` must be the first words
    (``run`` of ``poetry run``), else it starts nothing that its words name.
    """

    flags: str = ""
    valued: str = ""
    long_flags: frozenset[str] = frozenset()
    long_valued: frozenset[str] = frozenset()
    skipped: int = 0
    assignments: bool = False
    leading: tuple[str, ...] = ()


LAUNCHERS = {
    "env": Launcher("i0v", "u", frozenset({"--ignore-environment", "--null", "--debug"}),
    frozenset({"--unset"}),
                    assignments=True),
    "sudo": Launcher("EHnSkbPB", "ugphTCtr", frozenset({"--non-interactive", "--preserve-env",
    "--set-home", "--stdin"}),
                     frozenset({"--user", "--group", "--prompt"}), assignments=True),
    "doas": Launcher("nL", "uC"),
    "nohup": Launcher(),
    "setsid": Launcher("cfw", "", frozenset({"--ctty", "--fork", "--wait"})),
    "nice": Launcher("", "n", frozenset(), frozenset({"--adjustment"})),
    "ionice": Launcher("t", "cn"),
    "timeout": Launcher("fpv", "ks", frozenset({"--preserve-status", "--foreground", "--verbose"}),
                        frozenset({"--kill-after", "--signal"}), skipped=1),
    "time": Launcher("p", assignments=True),
    "stdbuf": Launcher("", "ioe", frozenset(), frozenset({"--input", "--output", "--error"})),
    "chrt": Launcher("abfior", "", skipped=1),
    "taskset": Launcher("a", "", skipped=1),
    "busybox": Launcher(),
    "toybox": Launcher(),
    "command": Launcher("p"),
    "builtin": Launcher(),
    "exec": Launcher("cl", "a"),
    "poetry": Launcher(leading=("run",)),
    "uv": Launcher(leading=("run",)),
    "pipenv": Launcher(leading=("run",)),
    "bundle": Launcher(leading=("exec",)),
    "xargs": Launcher("0rtpx", "InPLdasE", frozenset({"--null", "--no-run-if-empty", "--verbose", "--exit"}),
                      frozenset({"--replace", "--max-args", "--max-procs", "--max-lines", "--delimiter",
                      "--arg-file",
                                 "--max-chars"})),
}  # fmt: skip

# Their text after -c is read as bash reads it. Others have a syntax of their own.
SHELLS = frozenset({"sh", "bash", "dash"})
OTHER_SHELLS = frozenset({"ash", "ksh", "mksh", "zsh", "fish", "csh", "tcsh", "rbash", "pwsh", "nu", "xonsh"})

_INTERPRETER = re.compile(
    r"(python|pypy|node|nodejs|deno|bun|perl|ruby|php|lua|luajit|tclsh|wish|Rscript|guile|jshell|osascript|jrunscript"
    r"|groovy|scala|julia|elixir|escript|racket|sbcl|ghci|runghc|ts-node|tsx|irb|R|octave|zx)[0-9.]*"
)
# With these before a script, an interpreter still runs that script and nothing else.
INTERPRETER_FLAGS = frozenset({"-u", "-B", "-O", "-E", "-s", "-v", "-w"})
INFORMS = frozenset({"--version", "-V", "--help", "-h"})

# They start what their words, their input or a file names, in ways that are not followed here.
OPAQUE = frozenset({
    "alias", "aria2c", "at", "batch", "bind", "bunx", "bwrap", "capsh", "catchsegv", "chroot", "choom",
    "compgen", "complete",
    "coproc", "dc", "dbus-run-session", "dialog", "docker", "ed", "emacs", "enable", "entr", "ex",
    "expect", "fakechroot",
    "fakeroot", "fc", "firejail", "flock", "ftp", "gdb", "gnuplot", "hash", "hyperfine", "kubectl", "less",
    "let", "lftp",
    "ltrace", "m4", "man", "mapfile", "more", "mosh", "mysql", "nano", "nc", "ncat", "netcat", "nsenter",
    "numactl",
    "nvim", "parallel", "parset", "perf", "podman", "prlimit", "proot", "proxychains", "proxychains4",
    "psql", "readarray",
    "rlogin", "rlwrap", "rsh", "run-parts", "runcon", "runuser", "screen", "script", "setarch", "setpriv",
    "sg", "shopt",
    "socat", "sqlite3", "ssh", "start-stop-daemon", "strace", "su", "systemd-run", "telnet", "tmux",
    "torify", "torsocks",
    "trap", "unalias", "unbuffer", "unshare", "uvx", "valgrind", "vi", "view", "vim", "vimdiff", "watch",
    "xvfb-run", "xterm", "nix-shell", "direnv", "watchexec", "nodemon",
    "export", "declare", "typeset", "local", "readonly", "unset", "set", "fd", "fdfind", "ld.so",
    "linux32", "linux64",
    "crontab", "cmake", "source", ".",
})  # fmt: skip

# Programs whose first word says what they do, and those of which the second does.
PARTED = frozenset({
    "apt", "apt-get", "brew", "bun", "bundle", "cargo", "conda", "docker", "dotnet", "gem", "gh", "git",
    "glab", "go",
    "gradle", "helm", "kubectl", "make", "mvn", "npm", "npx", "pip", "pip3", "pnpm", "podman", "poetry",
    "systemctl",
    "terraform", "uv", "yarn",
})  # fmt: skip
# Sub-commands that start a program which stands in the words after them; it may come from the network.
SUB_COMMANDS_THAT_START = {
    "npm": frozenset({
        "cre", "crea", "creat", "create", "exe", "exec", "expl", "explo", "explor", "explore",
        "ini", "init", "inn", "inni", "innit", "x",
    }),  # npm takes a beginning of a command for the command
    "pnpm": frozenset({"exec", "dlx", "create"}),
    "yarn": frozenset({"exec", "dlx", "create"}),
    "bun": frozenset({"x", "create"}),
    "pipx": frozenset({"run"}),
    "conda": frozenset({"run"}), "mamba": frozenset({"run"}), "micromamba": frozenset({"run"}),
    "hatch": frozenset({"run", "shell"}), "pdm": frozenset({"run"}), "rye": frozenset({"run"}),
    "pixi": frozenset({"exec", "run", "x"}), "mise": frozenset({"exec", "x", "watch"}),
    "asdf": frozenset({"exec"}), "pyenv": frozenset({"exec"}), "rbenv": frozenset({"exec"}),
    "nodenv": frozenset({"exec"}), "gem": frozenset({"exec"}), "tox": frozenset({"exec", "e"}),
    "nix": frozenset({"develop", "run", "shell"}), "brew": frozenset({"sh", "exec"}),
}  # fmt: skip
PARTED_TWICE = frozenset({
    "git branch", "git config", "git notes", "git reflog", "git remote", "git stash", "git submodule",
    "git tag",
    "git worktree", "npm run", "npm run-script", "pnpm run", "yarn run", "bun run", "gh pr", "gh repo",
    "gh issue",
})  # fmt: skip

NETWORK = frozenset({
    "curl", "wget", "ssh", "scp", "sftp", "rsync", "ftp", "lftp", "telnet", "nc", "ncat", "netcat", "ping",
    "ping6",
    "dig", "nslookup", "host", "traceroute", "whois", "http", "https", "xh", "aria2c", "mosh", "socat",
    "tftp",
})  # fmt: skip

# An option with such a name starts a program, whichever program has it.
STARTING_OPTION = re.compile(
    r"--?[\w-]*(exec|command|cmd|prog|eval|rsh|shell|hook|script|pager|editor|plugin|wrapper|preload|callback)[\w-]*(=.*)?",
    re.DOTALL,
)
# Programs all of whose options are known to start nothing, although they sound so or may be shortened.
HARMLESS = frozenset({
    "ls", "cat", "head", "tail", "wc", "grep", "egrep", "fgrep", "echo", "printf", "pwd", "true", "false",
    ":", "cut",
    "tr", "uniq", "basename", "dirname", "realpath", "readlink", "stat", "file", "date", "sleep", "seq",
    "rm", "cp",
    "mv", "mkdir", "rmdir", "touch", "chmod", "chown", "ln", "tee", "df", "du", "ps", "kill", "which",
    "id", "whoami",
    "[", "test", "exit", "return", "break", "continue", "wait", "umask", "ulimit", "cd", "pushd", "popd",
    "tac", "rev",
    "nl", "od", "md5sum", "sha1sum", "sha256sum", "base64", "diff", "cmp", "comm", "paste", "fold",
    "printenv",
    "uname", "hostname", "dd", "yes", "shift", "times", "logout", "jobs", "fg", "bg", "disown", "type",
    "dirs",
})  # fmt: skip

# Options of a program that start another, in full; a shorter form of a long one counts as it.
STARTING_OPTIONS = {
    "sort": ("--compress-program",),
    "split": ("--filter",),
    "tar": ("--to-command", "--checkpoint-action", "-I", "--use-compress-program", "--rsh-command", "-F",
            "--info-script", "--new-volume-script", "--rmt-command"),
    "rg": ("--pre", "--hostname-bin"),
    "rsync": ("-e", "--rsh", "--rsync-path"),
    "scp": ("-S", "-o", "-D", "-F"),
    "sftp": ("-S", "-o", "-D", "-b", "-F"),
    "zip": ("-TT", "--unzip-command"),
    "curl": ("-K", "--config", "--engine"),
    "wget": ("--use-askpass", "--config", "-e", "--execute"),
    "make": ("--eval", "-f", "--file", "--makefile", "-I", "--include-dir", "-E", "-C", "--directory"),
    "npm": ("--call", "-c", "--script-shell", "--node-options", "--prefix", "-C", "--userconfig",
    "--globalconfig",
            "--git", "--editor", "--viewer", "--shell"),
    "npx": ("--call", "-c", "--script-shell", "--node-options", "--prefix", "-C", "--userconfig",
    "--globalconfig",
            "--package", "-p", "--shell", "--node-arg", "-n"),
    "yarn": ("--cwd",),
    "go": ("-exec", "-toolexec", "-vettool"),
    "cargo": ("--config",),
    "pip": ("--config-settings", "--editor"),
    "gcc": ("-wrapper", "-B", "-specs", "-fplugin"),
    "cc": ("-wrapper", "-B", "-specs", "-fplugin"),
    "g++": ("-wrapper", "-B", "-specs", "-fplugin"),
    "git": ("--exec", "--upload-pack", "--receive-pack", "--open-files-in-pager", "--ext-diff", "--textconv",
            "--extcmd", "--tool", "--exec-path", "--config", "--config-env", "--template", "--gpg-sign",
            "--edit-description", "--paginate"),
}  # fmt: skip
STARTING_OPTIONS["clang"] = STARTING_OPTIONS["gcc"]
STARTING_OPTIONS["pip3"] = STARTING_OPTIONS["pip"]
STARTING_OPTIONS["pnpm"] = STARTING_OPTIONS["npm"]

# Programs where a word that is only known when it runs may make them start another.
CAREFUL = frozenset(STARTING_OPTIONS) | frozenset({"sed", "awk", "find"})


def is_interpreter(program: str) -> bool:
    """Whether a program runs code of its words, of a file or of its input."""
    return _INTERPRETER.fullmatch(program) is not None


def means(word: str, option: str) -> bool:
    """Whether a word is an option, maybe shortened, maybe with its value."""
    if option.startswith("--"):
        name = word.partition("=")[0]
        return len(name) > 2 and option.startswith(name)
    if len(option) == 2:
        return word.startswith("-") and not word.startswith("--") and option[1] in word[1:]
    return word.partition("=")[0] == option
