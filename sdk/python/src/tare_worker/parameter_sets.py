"""The inputs that `@tare.parameters` declares, as named sets."""

from itertools import product

from tare_worker.fault import Fault
from tare_worker.values import content, cut, digest, identifier, set_name

MOST = 100_000
LONGEST_NAME = 200


def parameter_sets(declarations, place):
    """A list of (name, values by name). One set without a name where nothing is declared. Raises a Fault of kind `provider`."""
    parts = [_sets(kind, declaration, place) for kind, declaration in declarations]
    count = 1
    for part in parts:
        count *= len(part)
    if count > MOST:
        raise Fault("provider", "There are %d parameter sets; %d can be told apart." % (count, MOST), "Leave some out.", *place)
    sets = []
    for combination in product(*parts):
        values = {}
        for _, part in combination:
            values.update(part)
        sets.append(("-".join(name for name, _ in combination), values))
    return _named(sets, place)


def _named(sets, place):
    """The sets with the names by which the core knows them, whatever their order: those that several sets have get a hash of what the set holds."""
    names = [identifier(name, LONGEST_NAME) for name, _ in sets]
    counts = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    named = {}
    for name, (whole, values) in zip(names, sets):
        if counts[name] > 1:
            name += "#" + digest(whole + "\n" + content(values))
        if name in named:
            message = 'Two parameter sets are named "%s", and nothing in them tells them apart.' % cut(whole)
            raise Fault("provider", message, "Give each set a name of its own.", *place)
        named[name] = values
    return list(named.items())


def _sets(kind, declaration, place):
    if kind == "product":
        return [
            ("-".join(name for _, name, _ in choice), {parameter: value for parameter, _, value in choice})
            for choice in product(*([(key, set_name(key, v, i), v) for i, v in enumerate(values)] for key, values in declaration.items()))
        ] or _none(place)
    try:
        given = declaration() if callable(declaration) else declaration
        pairs = list(given.items() if isinstance(given, dict) else given)
    except Exception as raised:
        raise Fault.of(raised, "provider").or_at(*place) from raised
    for pair in pairs:
        whole = isinstance(pair, tuple) and len(pair) == 2
        if not whole or not isinstance(pair[0], str) or not isinstance(pair[1], dict) or not all(isinstance(k, str) for k in pair[1]):
            raise Fault(
                "provider",
                "A parameter set is %s, not a name and a dict of values by name." % type(pair).__name__,
                "Give {\"name\": {\"parameter\": value}}, or yield (\"name\", {\"parameter\": value}).",
                *place,
            )
    return pairs or _none(place)


def _none(place):
    raise Fault("provider", "There is no parameter set.", "Give at least one value for each parameter.", *place)
