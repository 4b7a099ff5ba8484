<?php

/** The units of each text by name, or the fault. */
$units = static function (string ...$texts): array {
    $folder = sys_get_temp_dir() . '/tare-test-' . bin2hex(random_bytes(6));
    mkdir($folder);
    $paths = [];
    foreach ($texts as $number => $text) {
        file_put_contents($paths[] = "$folder/$number.php", $text);
    }
    $process = proc_open([PHP_BINARY, dirname(__DIR__) . '/units.php'], [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
    fwrite($pipes[0], implode("\n", $paths) . "\n");
    fclose($pipes[0]);
    $lines = explode("\n", trim((string) stream_get_contents($pipes[1])));
    proc_close($process);
    array_map('unlink', $paths);
    rmdir($folder);
    Check::has(['language' => 'php', 'runtime' => PHP_VERSION], json_decode(array_shift($lines), true));

    return array_map(static function (string $line) {
        $line = json_decode($line, true);

        return $line['fault'] ?? array_column($line['units'], null, 'name');
    }, $lines);
};
$source = <<<'PHP'
<?php
declare(strict_types=1);
namespace A;
/** Docs. */
#[\Attribute]
final class C extends Base
{
    use T { foo as protected bar; }
    const A = 'abc';
    /** Docs of m. */
    public static function &m(int $a = 1): ?self
    {
        $f = static function () use ($a) { return new class { function inner() { return 5; } }; };
        return $f(__LINE__);
    }
    abstract protected function n(): void;
}
function top() { return "a{$x}b"; }
if (!function_exists('cond')) {
    function cond() {}
}
echo 1; ?>
text
PHP;

return [
    'functions, methods and classes are units, and the rest of the file' => static function () use ($units, $source): void {
        [$found] = $units($source);
        Check::same(['<file>', 'C', 'C::m', 'C::n', 'top', 'cond'], array_keys($found));
        Check::has(['kind' => 'function', 'simple' => 'm', 'line' => 11, 'end' => 15, 'outer' => 1], $found['C::m']);
        Check::same(['abstract'], $found['C::n']['flags']);
    },
    'what differs is the unit it stands in' => static function () use ($units, $source): void {
        foreach ([
            ['Docs of m.', 'Words.', []],
            ['abstract protected function n', 'abstract /** A */ protected /* b */ function /** c */ n', []],
            ["'abc'", "'abd'", ['C']],
            ['public static', 'protected static', ['C::m']],
            ['return 5;', 'return 6;', ['C::m']],
            ['foo as protected', 'foo as public', ['C']],
            ['echo 1;', 'echo 2;', ['<file>']],
            ['echo 1;', '/* comment */ echo   1; // more', []],
            ['text', 'other', ['<file>']],
            ['strict_types=1', 'strict_types=0', ['<file>']],
            ['"a{$x}b"', '"a{$x}c"', ['top']],
            ['cond() {}', 'cond() { return; }', ['cond']],
            ['function top', "function more() {}\nfunction top", ['more']],
            // The number of a line is a value.
            ['        return $f', "\n        return \$f", ['C::m']],
        ] as [$old, $new, $expected]) {
            Check::same(1, substr_count($source, $old), $old);
            [$first, $second] = $units($source, str_replace($old, $new, $source));
            $differing = [];
            foreach ($first + $second as $name => $_) {
                if (($first[$name]['digest'] ?? null) !== ($second[$name]['digest'] ?? null)) {
                    $differing[] = $name;
                }
            }
            Check::same($expected, $differing, "$old -> $new");
        }
    },
    'an import is in the units that write its name' => static function () use ($units): void {
        $source = "<?php\nnamespace A;\nuse B\\C;\nuse function B\\f;\nfunction one() { return new C; }\nfunction two() { return f(1); }\nclass K { use T; function m() { return C\\D::x; } }\n";
        foreach ([
            ['use B\C;', 'use B\C; use D\E;', []],
            ['use B\C;', 'use D\C;', ['one', 'K::m']],
            ['use function B\f', 'use function D\f', ['two']],
            ['use function B\f', 'use const B\f', ['two']],
            ['use B\C;', 'use B\{C, function g, G as H};', []],
            ['use B\C;', 'use B\X as C;', ['one', 'K::m']],
            ['use B\C;', '', ['one', 'K::m']],
            ['use B\C;', 'use B\C ?><?php ', ['<file>']],
            ['use function B\f;', 'use function B\h, D\f; use E\f;', ['two']],
            // Where imports stand behind what they could be for, or of several namespaces, they're the file's.
            ['class K', 'use E\F; class K', ['<file>', 'one', 'two', 'K::m']],
        ] as [$old, $new, $expected]) {
            Check::same(1, substr_count($source, $old), $old);
            [$first, $second] = $units($source, str_replace($old, $new, $source));
            $differs = static function (string $name) use ($first, $second): bool {
                return ($first[$name]['digest'] ?? null) !== ($second[$name]['digest'] ?? null);
            };
            Check::same($expected, array_values(array_filter(array_keys($first + $second), $differs)), "$old -> $new");
        }
        // One word says the kind of several names.
        [$first, $second] = $units('<?php use function P\h, P\f; use Q\f; function g() { return f(); }', '<?php use function P\h, R\f; use Q\f; function g() { return f(); }');
        Check::holds($first['g']['digest'] !== $second['g']['digest'], 'the second function');
        // What finds the class by the other name names it here.
        Check::same(['real'], $units('<?php use B\Real as C; function g() { return new C; }')[0]['<file>']['globals']);
        // Annotations mean what imports say.
        [$first, $second] = $units("<?php use B\\C; /** @C */ function f() {}", "<?php use D\\C; /** @C */ function f() {}");
        Check::holds($first['f']['digest'] === $second['f']['digest'] && $first['f']['doc'] !== $second['f']['doc'], 'annotations');
    },
    'names are in lower case, by what they name' => static function () use ($units): void {
        [$found] = $units('<?php function f($x) { Foo::Bar(); baz(); new \A\Qux; $x->M(); return "on_" . $x . X::class; }');
        Check::same(['bar', 'm', 'class'], $found['f']['names']);
        Check::same(['f', 'foo', 'baz', 'qux', 'x'], $found['f']['globals']);
        Check::same(['on_'], $found['f']['joints']);
        Check::same(['on_', 'x'], $found['f']['strings']);
        Check::same(['h', 'i'], $units('<?php namespace A\B; namespace\h(); i();')[0]['<file>']['globals']);
        Check::same(['parser', 'next', 'inner'], $units("<?php function g() { return ['Deep\\\\Parser::next', 'Lib\\\\', 'inner'] ; }")[0]['g']['strings']);
    },
    'what finds or lists by computed names is flagged' => static function () use ($units): void {
        foreach ([
            ['$x();', ['dynamic']], ['new $x;', ['dynamic']], ['$x->$n();', ['dynamic']], ['$x::m();', ['dynamic']], ['$x->{$n};', ['dynamic']], ['eval($x);', ['dynamic', 'runs-text']],
            ['call_user_func($x);', ['dynamic']], ['($x)();', ['dynamic']], ['get_class_methods($x);', ['enumerates', 'dynamic']], ['include $x;', ['loads']], ['include __DIR__ . "/a$x.php";', ['loads']], ['require sprintf("%s/b.php", A);', ['loads']], ['return ($y ??= include A . $x)();', ['loads', 'dynamic']], ['(include A . "/b.php")();', ['dynamic']], ['include __DIR__ . "/" . A . "/b.php";', ['loads']], ['include \\dirname(__DIR__, 2) . "/b.php";', null], ['spl_autoload_register(fn ($c) => require __DIR__ . "/$c.php");', null], ["spl_autoload_register('g'); include \$x;", null], ["spl_autoload_register([\$t, 'f']); include \$x;", ['loads']], ['file("a"); fopen($x, "r");', ['opens']],
            ['$x->{substr($n, 3)}();', ['dynamic', 'unbounded']], ['$n = chr(97); $n();', ['dynamic', 'unbounded']], ['return substr($n, 3);', null],
            ['f($x);', null], ['$x->m();', null], ['Foo::$bar;', null], ['$x[0];', null],
        ] as [$text, $flags]) {
            [$found] = $units("<?php function g(\$x, \$n) { $text }");
            Check::same($flags, $found['g']['flags'] ?? null, $text);
        }
    },
    'hostile sources have faults or units' => static function () use ($units): void {
        $found = $units('<?php function (', "<?php \0", '', "\xff", '<?php ' . str_repeat('(', 3000) . '1' . str_repeat(')', 3000) . ';', '<?php class', '<?php $x = "' . str_repeat('a', 2000000) . '";');
        Check::holds(is_string($found[0]) && is_string($found[1]) && is_string($found[5]), json_encode($found));
        Check::same(['<file>'], array_keys($found[2]));
        Check::same(['unbounded'], $found[6]['<file>']['flags']);
    },
    "Composer's autoloader has another name in each installation without a lock" => static function () use ($units): void {
        $autoloader = static function (string $hash, string $file): string {
            return "<?php\nrequire_once __DIR__ . '/composer/$file.php';\nclass ComposerStaticInit$hash { public static \$files = []; }\n"
                . "return ComposerAutoloaderInit$hash::getLoader('ComposerAutoloaderInit$hash');\n";
        };
        $one = '1c4858bb5c1b4e9b8e2f6a7d3c9e0f12';
        $other = 'b6a9aa11bb22cc33dd44ee55ff660077';
        $found = $units($autoloader($one, 'real'), $autoloader($other, 'real'), $autoloader($other, 'else'), $autoloader("a$other", 'real'));
        Check::same($found[0], $found[1]);
        Check::holds($found[1] !== $found[2] && $found[1] !== $found[3], json_encode($found));
    },
];
