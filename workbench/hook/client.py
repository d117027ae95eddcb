"""The process that a coding agent starts for each event, run by its path with ``python -I -S``.

    client.py CLIENT FOLDER SESSION [PIN [MODE]]

Python compiles the text of a script at every start, but keeps that of a module; so all of it is in ``relay``.
"""

import posix
import sys

if __name__ == "__main__":
    sys.path.append(__file__.rsplit("/", 3)[0])
    from workbench.hook.relay import main

    # Without the end of the interpreter, which frees what the system frees anyway.
    posix._exit(main(sys.argv[1:]))  # pyright: ignore[reportPrivateUsage]  its one name
