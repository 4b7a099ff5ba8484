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
            ['a,0', ['x' => 1, 'y' => 1]], ['b,0', ['x' => 2, 'y' => 1]],
            ['a,1', ['x' => 9, 'y' => 2]], ['b,1', ['x' => 9, 'y' => 2]],
        ], $product);
    },
    'names are unique and valid' => static function (): void {
        $sets = static function (): Generator {
            foreach (['a', 'a', 'a#2', 'a', "\xff", "\xfe", '7', '7'] as $name) {
                yield $name => [];
            }
            yield 1.5 => [];
        };
        Check::same(
            ['a', 'a#2', 'a#2#2', 'a#3', '�', '�#2', '7', '7#2', '8'],
            array_column(ParameterSets::product([ParameterSets::collect($sets(), 'p')]), 0)
        );
    },
    'too many sets are refused' => static function (): void {
        $many = array_fill(0, 400, ['0', []]);
        try {
            ParameterSets::product([$many, $many]);
            throw new UnexpectedValueException('accepted');
        } catch (Fault $fault) {
            Check::same(['provider', 'The providers together make more than 100,000 parameter sets.'], [$fault->kind, $fault->getMessage()]);
        }
        Check::same(90000, count(ParameterSets::product([array_fill(0, 300, ['0', []]), array_fill(0, 300, ['0', []])])));
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
