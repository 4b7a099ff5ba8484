"""A request, its values checked when they are asked for: only the keys that a request knows count, whatever the others hold
(PROTOCOL 1.3). What is missing, of the wrong type or out of range is a `bad-request` (2.4)."""

from tare_worker.fault import Fault

MAX_INTEGER = 2**53 - 1


class Other:
    """A value that no key of a frame may have: null, a fraction, something nested or mixed."""


OTHER = Other()


class Request:
    """`kind` is the frame's name, `id` its number."""

    def __init__(self, kind, id, values):
        self.kind = kind
        self.id = id
        self._values = values

    def has(self, key):
        return key in self._values

    def string(self, key):
        value = self._value(key)
        if type(value) is not str:
            raise self._wrong(key, "a string")
        return value

    def optional_string(self, key):
        return self.string(key) if key in self._values else None

    def optional_boolean(self, key):
        """False where it is left out."""
        value = self._values.get(key, False)
        if type(value) is not bool:
            raise self._wrong(key, "a boolean")
        return value

    def integer(self, key, most=MAX_INTEGER, least=0):
        value = self._value(key)
        if type(value) is not int or not least <= value <= most:
            raise self._wrong(key, "an integer from %d to %d" % (least, most))
        return value

    def strings(self, key):
        """At least one."""
        value = self._value(key)
        if type(value) is not list or not value or type(value[0]) is not str:
            raise self._wrong(key, "an array of at least one string")
        return value

    def integers(self, key, longest, most=MAX_INTEGER):
        """At least one, at most `longest`."""
        value = self._value(key)
        if type(value) is not list or not 0 < len(value) <= longest or type(value[0]) is not int:
            raise self._wrong(key, "an array of 1 to %d integers" % longest)
        if min(value) < 0 or max(value) > most:
            raise self._wrong(key, "integers from 0 to %d" % most)
        return value

    def _value(self, key):
        if key not in self._values:
            raise Fault("bad-request", "The `%s` request lacks the key `%s`." % (self.kind, key))
        return self._values[key]

    def _wrong(self, key, wanted):
        return Fault("bad-request", "The key `%s` of the `%s` request wants %s." % (key, self.kind, wanted))
