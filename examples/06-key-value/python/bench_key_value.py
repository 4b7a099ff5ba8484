"""A key-value store under load: Redis or Valkey over a socket, and Aerospike through its own package where an address is given."""

import os
import socket

import tare

VALUE = b'{"name":"somebody","visits":1,"seen":"2016-03-01T12:00:00Z"}'


class Redis:
    """What is needed here of the protocol (RESP 2)."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)), timeout=5)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._lines = self._socket.makefile("rb")

    def get(self, key):
        return self._ask(b"GET", key)

    def set(self, key, value):
        if self._ask(b"SET", key, value) != b"OK":
            raise RuntimeError("SET was not answered with OK")

    def close(self):
        self._socket.close()

    def _ask(self, *words):
        self._socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
        line = self._lines.readline()
        if line[:1] == b"+":
            return line[1:-2]
        if line[:1] == b"$":
            length = int(line[1:])
            return None if length < 0 else self._lines.read(length + 2)[:-2]
        raise RuntimeError("the server said %r" % line)


class OwnKey:
    def __init__(self, worker):
        self._store = self._connected()
        self._prefix = b"tare:%d:%d" % (worker.number, os.getpid())
        self._key = self._prefix
        self._store.set(self._key, VALUE)

    def _connected(self):
        return Redis(os.environ.get("KEY_VALUE_ADDRESS", "127.0.0.1:6379"))

    @tare.operation(weight=9)
    def get(self):
        if self._store.get(self._key) != VALUE:
            raise RuntimeError("the value is not the one that was put")

    @tare.operation()
    def put(self, worker):
        self._store.set(self._key, VALUE)

    def close(self):
        self._store.close()


class NewKeys(OwnKey):
    """Each write to a new key; reads are of the last one that was written."""

    @tare.operation()
    def put(self, worker):
        self._key = b"%s:%d" % (self._prefix, worker.turn)
        self._store.set(self._key, VALUE)


if os.environ.get("AEROSPIKE_ADDRESS"):
    import aerospike

    class Cluster:
        """Aerospike behind the same two calls. Namespace `test`, as its packages come."""

        def __init__(self, address):
            host, port = address.rsplit(":", 1)
            self._client = aerospike.client({"hosts": [(host, int(port))]}).connect()

        def get(self, key):
            return bytes(self._client.get(("test", "tare", key.decode()))[2]["value"])

        def set(self, key, value):
            self._client.put(("test", "tare", key.decode()), {"value": bytearray(value)})

        def close(self):
            self._client.close()

    class Aerospike(OwnKey):
        def _connected(self):
            return Cluster(os.environ["AEROSPIKE_ADDRESS"])
