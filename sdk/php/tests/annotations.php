<?php

use Tare\Worker\AnnotationParser;
use Tare\Worker\Declaration;

$parse = static function (string $comment): array {
    return array_map(static function (Declaration $declaration): array {
        return [$declaration->kind, $declaration->value, $declaration->extends];
    }, (new AnnotationParser())->parse($comment));
};

return [
    'numbers, lists and names' => static function () use ($parse): void {
        Check::same([['Revs', 1000, false]], $parse('/** @Revs(1000) */'));
        Check::same([['Revs', [1, 10], false]], $parse("/**\n * @Revs({1,10})\n */"));
        Check::same([['BeforeMethods', ['setUp'], false]], $parse('/** @BeforeMethods({"setUp"}) */'));
        Check::same([['ParamProviders', ['a', 'b'], true]], $parse('/** @ParamProviders({"a","b"}, extend=true) */'));
        Check::same([['OutputTimeUnit', 'milliseconds', false]], $parse('/** @OutputTimeUnit("milliseconds", precision=3) */'));
        Check::same([['Timeout', 0.5, false]], $parse('/** @Timeout(5e-1) */'));
        Check::same([['Groups', 'a "quoted" one', false]], $parse('/** @Groups("a ""quoted"" one") */'));
        Check::same([['Revs', 7, false]], $parse('/** @Revs(revs=7) */'));
        Check::same([['Executor', 'local', false]], $parse('/** @Executor("local", {"a": "b", c: {1, null, true}}) */'));
    },
    'prefixes, lines, case' => static function () use ($parse): void {
        Check::same(
            [['Revs', 1, false], ['Revs', 2, false], ['Skip', null, false], ['Groups', ['a', 'b'], false]],
            $parse("/**\n * @PhpBench\\Revs(1)\n * @\\Bench\\Revs(2)\n * @skip\n * @Groups({\n *    \"a\",\n *    \"b\",\n * })\n */")
        );
        Check::same([['Revs', 1, false], ['Iterations', 2, false]], $parse('/** @Revs(1) @Iterations(2) */'));
    },
    'other tags and text' => static function () use ($parse): void {
        Check::same([], $parse("/**\n * @param int \$revs\n * @return void mail@Revs(5) `@Revs(6)` {@see Revs}\n * @ORM\\Column(name=\"x\")\n */"));
        Check::same([], $parse('/***/'));
    },
    'what cannot be read says so' => static function (): void {
        foreach (['@Revs(', '@Revs({1', '@Revs(1 2)', '@Revs(=)', '@Groups("a', '@Revs(No\Such::CONSTANT)', '@Groups({{1}={2}})'] as $text) {
            $found = (new AnnotationParser())->parse("/** $text */");
            Check::same(1, count($found), $text);
            Check::holds($found[0]->trouble !== null, $text);
        }
    },
    'constants are looked up in the given scopes' => static function (): void {
        Check::same(JSON_THROW_ON_ERROR, (new AnnotationParser())->parse('/** @Revs(JSON_THROW_ON_ERROR) */')[0]->value);
        $parser = new AnnotationParser([Tare\Worker\Frames::class, 'Tare\Worker']);
        Check::same(1, $parser->parse('/** @Revs(self::WIRE) */')[0]->value);
        Check::same(1, $parser->parse('/** @Revs(Frames::WIRE) */')[0]->value);
        Check::same(1, $parser->parse('/** @Revs(\Tare\Worker\Frames::WIRE) */')[0]->value);
    },
    'counts' => static function (): void {
        Check::same([10, 0], (new Declaration('Revs', [['10', 0]], false))->counts());
        foreach ([-1, 1.5, 'x', [], [null], true] as $wrong) {
            try {
                (new Declaration('Revs', [$wrong], false))->counts();
                throw new UnexpectedValueException('accepted ' . json_encode($wrong));
            } catch (Tare\Worker\Fault $fault) {
                Check::same('load', $fault->kind);
            }
        }
    },
];
