<?php

declare(strict_types=1);

namespace Tare\Worker;

/** Named parameter sets, and the product of several providers. */
final class ParameterSets
{
    /** Most sets of one benchmark: what is beyond is an endless generator. */
    public const LIMIT = 100000;

    private const LONGEST_NAME = 200;

    /**
     * @param mixed $sets what a provider returned: sets by name
     *
     * @return list<array{string, array<array-key, mixed>}> name and set
     *
     * @throws Fault of kind `provider`
     */
    public static function collect($sets, string $provider): array
    {
        if (!\is_iterable($sets)) {
            throw new Fault('provider', "The provider $provider returns " . ValuePrinter::print($sets) . ', not parameter sets.');
        }
        $collected = [];
        $numbered = [];
        foreach ($sets as $key => $set) {
            if (\count($collected) >= self::LIMIT) {
                throw self::tooMany("The provider $provider yields");
            }
            $name = \is_int($key) || \is_string($key) ? (string) $key : (string) \count($collected);
            if (!\is_array($set)) {
                throw new Fault(
                    'provider',
                    "The parameter set " . ValuePrinter::text($name) . " of the provider $provider is " . ValuePrinter::print($set) . ', not an array.',
                    'Yield arrays of parameters by name.'
                );
            }
            if (!\is_string($key) && $name === (string) \count($collected)) {
                $numbered[] = \count($collected);
            }
            $collected[] = [$name, $set];
        }
        foreach (self::namesByContent($collected, $numbered) as $place => $name) {
            $collected[$place][0] = $name;
        }
        if ($collected === []) {
            throw new Fault(
                'provider',
                "The provider $provider yields no parameter set.",
                'Yield at least one array of parameters, or remove the provider.'
            );
        }

        return $collected;
    }

    /**
     * Names of sets that have only their place for a key. A place is another set's once one is added before it, so a set of plain values is named by
     * these. Of several equal ones each keeps its number.
     *
     * @param list<array{string, array<array-key, mixed>}> $sets
     * @param list<int>                                    $places
     *
     * @return array<int, string> by place
     */
    private static function namesByContent(array $sets, array $places): array
    {
        $names = [];
        foreach ($places as $place) {
            $name = ValuePrinter::plain($sets[$place][1]);
            if ($name !== '') {
                $names[$place] = '=' . $name;
            }
        }
        $counts = \array_count_values($names);

        return \array_map(static function (string $name): string {
            return \substr($name, 1);
        }, \array_filter($names, static function (string $name) use ($counts): bool {
            return $counts[$name] === 1;
        }));
    }

    /**
     * Every combination, the first provider's sets changing fastest; the names joined with commas, the sets merged. Names are
     * valid UTF-8 and unique, and don't depend on the order: those that several sets have get a hash of what the set holds.
     *
     * @param list<list<array{string, array<array-key, mixed>}>> $collections none of them empty
     *
     * @return list<array{string, array<array-key, mixed>}>
     *
     * @throws Fault of kind `provider`
     */
    public static function product(array $collections): array
    {
        $total = 1;
        foreach ($collections as $collection) {
            $total *= \count($collection);
            if ($total > self::LIMIT) {
                throw self::tooMany('The providers together make');
            }
        }
        $product = [];
        for ($index = 0; $index < $total; ++$index) {
            $names = [];
            $merged = [];
            $rest = $index;
            foreach ($collections as $collection) {
                $size = \count($collection);
                [$names[], $set] = $collection[$rest % $size];
                $merged = \array_merge($merged, $set);
                $rest = \intdiv($rest, $size);
            }
            $product[] = [\implode(',', $names), $merged];
        }

        return self::named($product);
    }

    /**
     * The sets with the names by which the core knows them.
     *
     * @param list<array{string, array<array-key, mixed>}> $sets
     *
     * @return list<array{string, array<array-key, mixed>}>
     *
     * @throws Fault of kind `provider` where two hold the same under one name
     */
    private static function named(array $sets): array
    {
        $identifiers = [];
        foreach ($sets as [$name]) {
            // A key that looks like a number is an integer in PHP arrays; the prefix keeps it a string.
            $identifiers[] = '=' . ValuePrinter::identifier($name, self::LONGEST_NAME);
        }
        $counts = \array_count_values($identifiers);
        $named = [];
        $taken = [];
        foreach ($sets as $place => [$name, $set]) {
            $identifier = $identifiers[$place];
            if ($counts[$identifier] > 1) {
                $identifier .= '#' . ValuePrinter::digest([$name, $set]);
            }
            if (isset($taken[$identifier])) {
                throw new Fault(
                    'provider',
                    'Two parameter sets are named ' . ValuePrinter::text($name) . ', and nothing in them tells them apart.',
                    'Give each set a name of its own.'
                );
            }
            $taken[$identifier] = true;
            $named[] = [\substr($identifier, 1), $set];
        }

        return $named;
    }

    private static function tooMany(string $what): Fault
    {
        return new Fault(
            'provider',
            $what . ' more than ' . \number_format(self::LIMIT) . ' parameter sets.',
            'End the generator; a benchmark needs a handful of sets.'
        );
    }
}
