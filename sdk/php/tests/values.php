<?php

use Tare\Worker\Fault;
use Tare\Worker\ParameterSets;
use Tare\Worker\ValuePrinter;

return [
    'values are printed without running any code' => static function (): void {
        $hostile = new class implements JsonSerializable, IteratorAggregate {
            public function __toString(): string
            {
                throw new LogicException('printed');
            }

            #[ReturnTypeWillChange]
            public function jsonSerialize()
            {
                throw new LogicException('serialised');
            }

            public function getIterator(): Iterator
            {
                throw new LogicException('iterated');
            }
        };
        $deep = [];
        $deep['self'] = &$deep;
        foreach (
            [
                ['"a"', 'a'], ['"\u0000\n\""', "\0\n\""], ['"a�"', "a\xff"], ['1', 1], ['1.0', 1.0], ['0.1', 0.1], ['inf', INF], ['nan', NAN],
                ['true', true], ['null', null], ['[]', []], ['[1, "b"]', [1, 'b']], ['{"k": [1], 3: null}', ['k' => [1], 3 => null]],
                ['Closure', static function (): void {
                }], ['ArrayObject', new ArrayObject()], ['resource (stream)', STDERR],
                ['[1, 2, 3, 4, 5, 6, 7, 8, …]', range(1, 20)],
                ['"' . str_repeat('x', 60) . '…"', str_repeat('x', 1 << 20)], ['"' . str_repeat('𝄞', 60) . '"', str_repeat('𝄞', 60)],
                ['"' . str_repeat('𝄞', 60) . '…"', str_repeat('𝄞', 61)],
            ] as [$text, $value]
        ) {
            Check::same($text, ValuePrinter::print($value));
        }
        Check::matches('/^\w+@anonymous$/', ValuePrinter::print($hostile));
        Check::holds(strlen(ValuePrinter::print($deep)) < 100, 'a recursive array ends');
    },
    'the first provider changes fastest' => static function (): void {
        $product = ParameterSets::product([
            ParameterSets::collect(['a' => ['x' => 1], 'b' => ['x' => 2]], 'p'),
            ParameterSets::collect([['y' => 1], ['y' => 2, 'x' => 9]], 'q'),
        ]);
        Check::same([
            ['a,y=1', ['x' => 1, 'y' => 1]], ['b,y=1', ['x' => 2, 'y' => 1]],
            ['a,y=2 x=9', ['x' => 9, 'y' => 2]], ['b,y=2 x=9', ['x' => 9, 'y' => 2]],
        ], $product);
    },
    'names are valid, and made of what they hold' => static function (): void {
        $names = static function (array $keys): array {
            $sets = static function () use ($keys): Generator {
                foreach ($keys as $number => $name) {
                    yield $name => ['x' => \strlen((string) $number)];
                }
            };

            return array_column(ParameterSets::product([ParameterSets::collect($sets(), 'p')]), 0);
        };
        $long = str_repeat('deeply/nested/', 20);
        Check::same(
            ['a', 'a#2', '\xff', '\xfe☃\xe2\x98', '7', 'x=1', substr($long, 0, 200) . '…3060bf86e9d5e174'],
            $names(['a', 'a#2', "\xff", "\xfe☃\xe2\x98", '7', 1.5, $long . 'a'])
        );
        Check::same(array_slice($names([$long . 'a', $long . 'b']), 1), array_slice($names([$long . '0', $long . 'a', $long . 'b']), 2));
    },
    'sets without keys are named by what they hold, wherever they stand' => static function (): void {
        $names = static function (array $sets): array {
            return array_column(ParameterSets::product([ParameterSets::collect($sets, 'p')]), 0);
        };
        $sets = [['n' => 100, 'by' => 'md5'], ['n' => '1'], ['n' => 1], [2.5, null, true, '']];
        $found = ['n=100 by=md5', 'n="1"', 'n=1', '2.5 null true ""'];
        Check::same($found, $names($sets));
        Check::same(array_reverse($found), $names(array_reverse($sets)));
        // What equal ones hold doesn't depend on their numbers; of arrays and objects nothing short can be shown.
        Check::same(['0', 'n=2', '2', '3', '4'], $names([['n' => 1], ['n' => 2], ['n' => 1], ['a' => [1]], []]));
        // A key is a name.
        Check::same(['10', '20', 'a'], $names([10 => ['n' => 1], 20 => ['n' => 2], 'a' => ['n' => 3]]));
    },
    'sets of one name are told apart by what they hold, in any order' => static function (): void {
        $names = static function (array $sets): array {
            $provide = static function () use ($sets): Generator {
                foreach ($sets as $set) {
                    yield 'a' => $set;
                }
            };

            return array_column(ParameterSets::product([ParameterSets::collect($provide(), 'p')]), 0);
        };
        $sets = [['x' => 1], ['x' => '1'], ['x' => [[[[[1]]]]]], ['x' => [[[[[2]]]]]], ['y' => 1]];
        $found = $names($sets);
        Check::same(5, count(array_unique($found)));
        Check::same(array_reverse($found), $names(array_reverse($sets)));
        try {
            $names([['x' => 1], ['x' => 2], ['x' => 1]]);
            throw new UnexpectedValueException('accepted');
        } catch (Fault $fault) {
            Check::same('Two parameter sets are named "a", and nothing in them tells them apart.', $fault->getMessage());
        }
    },
    'too many sets are refused' => static function (): void {
        $many = array_fill(0, 400, ['0', []]);
        try {
            ParameterSets::product([$many, $many]);
            throw new UnexpectedValueException('accepted');
        } catch (Fault $fault) {
            Check::same(['provider', 'The providers together make more than 100,000 parameter sets.'], [$fault->kind, $fault->getMessage()]);
        }
        $some = array_map(static function (int $number): array {
            return ["s$number", []];
        }, range(1, 300));
        Check::same(90000, count(ParameterSets::product([$some, $some])));
    },
    'texts of PHP lose the places that are told beside them' => static function (): void {
        Check::same('Too few arguments to function A::b(), 0 passed and exactly 1 expected', Fault::withoutPlaces(
            'Too few arguments to function A::b(), 0 passed in /tmp/x y/z.php on line 12 and exactly 1 expected'
        ));
        Check::same('A::b(): Argument #1 ($n) must be of type int, array given', Fault::withoutPlaces(
            'A::b(): Argument #1 ($n) must be of type int, array given, called in /tmp/z.php on line 3'
        ));
        Check::same('Uncaught E: no', Fault::withoutPlaces("Uncaught E: no in /a/b.php:7\nStack trace:\n#0 {main}\n  thrown"));
    },
];
