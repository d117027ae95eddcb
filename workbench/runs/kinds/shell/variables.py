"""Variables that a shell text sets, and which of them change what runs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.runs.kinds.shell.command_words import Word
from workbench.runs.kinds.shell.shell_tree import NotRead
from workbench.runs.kinds.shell.simple_commands import Started

# Variables by which the shell, the linker or common programs find the programs and files that they load.
_POWERFUL = re.compile(
    r"PATH|IFS|ENV|SHELL\w*|BASH\w*|PS[0-9]|PROMPT\w*|HOME|PWD|OLDPWD|CDPATH|GLOB\w*|TMPDIR|LD_\w+|DYLD_\w+"
    r"|GIT_\w+|SSH\w*|PERL\w*|PYTHON\w*|RUBY\w*|GEM_\w+|LUA\w*|NODE_(?!ENV$)\w+|npm_\w+|NPM_\w+|JAVA_\w+|_JAVA\w+"
    r"|JDK_\w+|MAVEN_\w+|GRADLE_\w+|CLASSPATH|LESS\w*|MANPAGER|VISUAL|BROWSER|MAKE\w*|GNUMAKE\w*|TAR_\w+|RSYNC_\w+"
    r"|POSIX\w*|GCONV_PATH|LOCPATH|MALLOC_\w+|GLIBC_\w+|OPENSSL\w*|CURL_HOME|WGETRC|HISTFILE|INPUTRC|TERMINFO\w*"
    r"|XDG_\w+|DOCKER_\w+|KUBE\w+|CARGO\w*|RUST\w*|GO[A-Z]+|CGO_\w+|CC|CXX|LD|AR|CPP|FC|_\w*|FUNCNEST|EXECIGNORE"
    r"|\w*(CONFIG\w*|_RC|RCFILE)"
    r"|\w*(COMMAND|CMD|PAGER|EDITOR|OPTIONS|OPTS|OPT|FLAGS|PRELOAD|ASKPASS|WRAPPER|HOOK\w*|STARTUP|INIT\w*)",
    re.IGNORECASE,
)
_NAME = re.compile(r"([A-Za-z_]\w*)(\+?=.*)?", re.ASCII | re.DOTALL)
_DECLARING = frozenset({"-x", "-r", "-g", "-gx", "-rx", "-xr", "-n", "-p", "--"})


def assign(name: str, started: Started) -> None:
    """Note that a variable gets a value."""
    started.variables.add(name)
    if _POWERFUL.fullmatch(name):
        started.hide(f"the variable {name} may change what runs")


def declare(keyword: str, words: Sequence[Word], started: Started) -> None:
    """Note the words of export, declare, local, readonly or unset that are not plain assignments."""
    for word in words:
        if word.text is None:
            started.hide(f"{keyword} has a word that is only known when it runs")
        elif word.text.startswith(("-", "+")):
            # -n unexports with export, and makes a reference with declare.
            if word.text not in _DECLARING or (word.text == "-n" and keyword != "export"):
                started.hide(f"{keyword} {word.text} is not followed")
        elif (match := _NAME.fullmatch(word.text)) is not None:
            assign(match.group(1), started)
        else:
            raise NotRead(f"{keyword} has a word that is no variable")
