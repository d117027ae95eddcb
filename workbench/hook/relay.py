"""What the process of an event does: it passes the event on and prints the answer.

It imports next to nothing, and parses nothing. The process that stays (``resident``) decides; this one starts
it where it does not answer. Every end of it but a whole answer is exit code 2 with a sentence on standard
error, which every client takes for a denial.
"""

# The modules behind ``socket``, ``os`` and ``signal``, which cost as much time as the interpreter itself.
import _socket
import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
else:
    import _signal

SECONDS = 25
"""The time for an answer; the installation gives the client more."""
MOST_BYTES = 16 * 1024 * 1024
_PROJECT = {"claude-code": b"CLAUDE_PROJECT_DIR", "gemini": b"GEMINI_PROJECT_DIR"}
_PAUSE = 0.02
_CREDENTIALS = 17  # SO_PEERCRED of Linux


class Broken(Exception):
    """Raised where there is no answer; its text says why."""


def main(words: list[str]) -> int:
    """Pass one event on; the exit code of the client's hook."""
    folder = words[1] if len(words) > 1 else ""
    try:
        _signal.signal(_signal.SIGALRM, _late)
        _signal.alarm(SECONDS)
        if not 3 <= len(words) <= 5:
            raise Broken("it was called wrongly; run 'workbench hook install' again")
        client, folder, session, pin, mode = [*words, "", "enforce"][:3] + [*words[3:], "", ""][:2]
        event = _read(0, MOST_BYTES)
        if len(event) > MOST_BYTES:
            raise Broken("the event has more than 16 MB")
        project = posix.environ.get(_PROJECT.get(client, b""), b"") or posix.getcwdb()
        head = "\0".join((client, pin, mode or "enforce", "")).encode("utf-8", "surrogateescape") + project
        code, out, err = _asked(folder, session, b"%d %d\n%s%s" % (len(head), len(event), head, event))
        _write(1, out)
        _write(2, err)
    except Broken as error:
        return _broken(folder, str(error))
    except OSError as error:
        return _broken(folder, error.strerror or "the system refuses something")
    except BaseException as error:  # nothing may end this process with another code
        return _broken(folder, f"it has a bug ({type(error).__name__})")
    return code


def _late(_number: int, _frame: object) -> None:
    raise Broken(f"it did not answer within {SECONDS} seconds")


def _broken(folder: str, why: str) -> int:
    """Say that the guard is broken, and note it where the decisions are."""
    _signal.alarm(0)
    sentence = f"The guard is broken, so nothing runs: {why}."
    try:
        _write(2, sentence.encode("utf-8", "replace") + b"\n")
        _note(folder, why)
    except BaseException:  # the exit code is what counts
        return 2
    return 2


def _note(folder: str, why: str) -> None:
    import json
    import time

    line = json.dumps({"time": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()), "trouble": why})
    flags = (
        posix.O_WRONLY
        | posix.O_APPEND
        | posix.O_CREAT
        | posix.O_NOFOLLOW
        | posix.O_CLOEXEC
        | posix.O_NONBLOCK
    )
    descriptor = posix.open(f"{folder}/trouble.jsonl", flags, 0o600)
    posix.write(descriptor, line.encode() + b"\n")
    posix.close(descriptor)


def _read(descriptor: int, most: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while size <= most and (part := posix.read(descriptor, 1 << 20)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[posix.write(descriptor, data) :]


def _asked(folder: str, session: str, message: bytes) -> tuple[int, bytes, bytes]:
    """The answer of the process that stays; it is asked a second time if it ended while it was asked."""
    for last in (False, True):
        connection = _connected(folder, session)
        try:
            connection.sendall(message)
            answer = bytearray()
            while part := connection.recv(1 << 16):
                answer += part
        except (BrokenPipeError, ConnectionResetError):
            answer = bytearray()
        finally:
            connection.close()
        head, _, rest = bytes(answer).partition(b"\n")
        numbers = head.split()
        if len(numbers) == 3 and all(number.isdigit() for number in numbers):
            code, out, err = map(int, numbers)
            if len(rest) == out + err and code in (0, 2):
                return code, rest[:out], rest[out:]
        if last:
            break
    raise Broken("the process that decides ended without an answer")


def _connected(folder: str, session: str) -> _socket.socket:
    """A connection to the process that stays, which is started if there is none."""
    try:
        status = posix.lstat(folder)
    except OSError:
        status = None
    if status is not None and (status.st_uid != posix.getuid() or status.st_mode & 0o077):
        raise Broken(f"{folder} is open to others; remove it")
    started = 0
    while True:
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            connection.connect(f"{folder}/socket")
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            if not started:
                started = _start(folder, session)
            elif (status := _ended(started)) is not None:
                if status:
                    raise Broken("the process that decides cannot start") from None
                started = 0  # another process was there, and ends without its socket
            _pause()
            continue
        except OSError:
            connection.close()
            raise
        if hasattr(_socket, "SO_PEERCRED"):
            _check_peer(connection)
        return connection


def _check_peer(connection: _socket.socket) -> None:
    """Refuse an answer of another user's process."""
    raw = connection.getsockopt(_socket.SOL_SOCKET, _CREDENTIALS, 12)
    if int.from_bytes(raw[4:8], sys.byteorder) != posix.getuid():
        raise Broken("another user's process answers in the place of the guard")


def _pause() -> None:
    import time

    time.sleep(_PAUSE)


def _ended(process: int) -> int | None:
    """How the process that was started ended, 0 if another one was there already; None if it has not."""
    try:
        ended, status = posix.waitpid(process, posix.WNOHANG)
    except ChildProcessError:
        return None
    return status if ended == process else None


def _start(folder: str, session: str) -> int:
    """Start the process that stays, in a session of its own, so that the client's end does not end it."""
    words = [sys.executable, "-I", "-m", "workbench.hook.resident", session, folder]
    process = posix.fork()
    if process == 0:
        try:
            posix.setsid()
            nothing = posix.open("/dev/null", posix.O_RDWR)
            for descriptor in (0, 1, 2):
                posix.dup2(nothing, descriptor)
            posix.chdir("/")
            posix.execv(sys.executable, words)
        finally:
            posix._exit(127)  # pyright: ignore[reportPrivateUsage]  its one name
    return process
