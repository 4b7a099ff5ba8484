"""A key-value store in several processes that share a port: `lots.py PORT PROCESSES`. The kernel draws by lot to which of them a connection falls, and there it
stays, as with servers of several threads that each serve their own connections. It speaks as much of Redis's protocol as GET and SET; each process has keys of its own."""

import ctypes
import os
import selectors
import signal
import socket
import sys

END_WITH_PARENT = 1


def serve(port):
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(128)
    chosen = selectors.DefaultSelector()
    chosen.register(listener, selectors.EVENT_READ, None)
    store = {}
    while True:
        for key, _ in chosen.select():
            if key.data is None:
                connection, _ = listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                chosen.register(connection, selectors.EVENT_READ, bytearray())
                continue
            try:
                read = key.fileobj.recv(65536)
            except OSError:
                read = b""
            if not read:
                chosen.unregister(key.fileobj)
                key.fileobj.close()
                continue
            key.data.extend(read)
            answers = b"".join(answer(words, store) for words in commands(key.data))
            if answers:
                key.fileobj.sendall(answers)


def commands(data):
    """Takes whole commands from the beginning of what was read."""
    while True:
        lines = data.split(b"\r\n")
        if len(lines) < 2 or not lines[0].startswith(b"*"):
            return
        count = int(lines[0][1:])
        if len(lines) < 2 + 2 * count:
            return
        words = [bytes(lines[2 + 2 * number]) for number in range(count)]
        del data[: sum(len(line) + 2 for line in lines[: 1 + 2 * count])]
        yield words


def answer(words, store):
    name = words[0].upper()
    if name == b"SET":
        store[words[1]] = words[2]
        return b"+OK\r\n"
    if name == b"GET":
        value = store.get(words[1])
        return b"$-1\r\n" if value is None else b"$%d\r\n%s\r\n" % (len(value), value)
    return b"-ERR only GET and SET\r\n"


if __name__ == "__main__":
    parent = os.getpid()
    for _ in range(int(sys.argv[2]) - 1):
        if os.fork() == 0:
            ctypes.CDLL(None).prctl(END_WITH_PARENT, signal.SIGTERM)
            if os.getppid() != parent:
                sys.exit()
            break
    serve(int(sys.argv[1]))
