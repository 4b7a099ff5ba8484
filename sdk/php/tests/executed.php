<?php

/** Calls and statements by function, of a turn of each number of calls. */
$executed = static function (string $benchmark, array $turns, array $environment = []): array {
    $path = sys_get_temp_dir() . '/tare-functions-' . bin2hex(random_bytes(6));
    $session = Session::loaded(['ExecutedBench.php'], $replies, ['-d', 'opcache.enable_cli=1'], ['TARE_FUNCTIONS' => $path] + $environment);
    try {
        Check::same('ready', $session->prepare($replies, $benchmark)['frame']);
        foreach ($turns as $calls) {
            Check::same('samples', $session->run('case', [$calls], 1)['frame']);
        }
        $session->last(['frame' => 'finish']);
    } finally {
        $session->end();
        $text = (string) @file_get_contents($path);
        @unlink($path);
    }
    $found = [];
    foreach (explode("\n", trim($text)) as $line) {
        $told = json_decode($line, true);
        Check::same(['statements', null], [$told['unit'], $told['incomplete'] ?? null]);
        $counts = [];
        foreach ($told['functions'] as $one) {
            $counts[$one['name']] = [$one['calls'], $one['own']];
        }
        $found[] = $counts;
    }

    return $found;
};

return [
    'functions are counted in samples alone' => static function () use ($executed): void {
        [$one, $three] = $executed('Lexing\ExecutedBench::benchTen', [1, 3]);
        Check::same(['Lexing\ExecutedBench::benchTen', 'Lexing\scan'], array_keys($one));
        Check::same([1, 2], array_column($one, 0));
        $times = static function (array $both): array {
            return [3 * $both[0], 3 * $both[1]];
        };
        Check::same(array_map($times, $one), $three);
        // A turn of the loop is one statement.
        [$twenty] = $executed('Lexing\ExecutedBench::benchTwenty', [1]);
        Check::same(10, $twenty['Lexing\scan'][1] - intdiv($one['Lexing\scan'][1], 2));
    },
    'closures, arrow functions, generators and traits are counted, and do what they did' => static function () use ($executed): void {
        [$counts] = $executed('Lexing\ExecutedBench::benchCallbacks', [1], ['TARE_ISOLATE' => '1']);
        $calls = array_column(array_map(null, array_keys($counts), array_column($counts, 0)), 1, 0);
        ksort($calls);
        $of = PHP_VERSION_ID >= 80400 ? 'ExecutedBench::benchCallbacks()' : 'Lexing\ExecutedBench';
        $expected = ['Lexing\ExecutedBench::benchCallbacks' => 1, 'Lexing\Lexer::move' => 2, 'Lexing\Lexer::next' => 1, 'class@anonymous::inner' => 1, '{closure} of ' . $of => 9];
        if (PHP_VERSION_ID < 80400) {
            Check::same($expected, $calls);
        }
        Check::same(2, $calls['Lexing\Lexer::move']);
    },
    'the text of a source keeps its lines, and one that cannot have ticks has none' => static function (): void {
        require_once dirname(__DIR__) . '/src/Executed.php';
        $source = (string) file_get_contents(__DIR__ . '/fixtures/ExecutedBench.php');
        $ticking = (string) \Tare\Worker\Executed::in($source);
        Check::same(substr_count($source, "\n"), substr_count($ticking, "\n"));
        $added = '/declare\(ticks=1\);|\\\\Tare\\\\Worker\\\\Executed::(entered\(\);|evaluated\(\) \?\? )/';
        Check::same($source, (string) preg_replace($added, '', $ticking));
        Check::same(null, \Tare\Worker\Executed::in('<?php function ('));
        Check::same(null, \Tare\Worker\Executed::in('<?php function f() { } __halt_compiler(); data'));
        Check::same("#!/usr/bin/env php\n<?php declare(ticks=1);return 1;", \Tare\Worker\Executed::in("#!/usr/bin/env php\n<?php return 1;"));
    },
    'names have neither folders nor lines' => static function (): void {
        require_once dirname(__DIR__) . '/src/Executed.php';
        $name = static function (string $function, ?string $class = null): string {
            return \Tare\Worker\Executed::name([['file' => '/a/b.php'], ['function' => $function] + ($class === null ? [] : ['class' => $class])]);
        };
        Check::same(['A\f', 'A\B::f', 'b.php'], [$name('A\f'), $name('f', 'A\B'), $name('require_once')]);
        Check::same(['{closure} of b.php', '{closure} of A\B'], [$name('A\{closure}'), $name('A\{closure}', 'A\B')]);
        Check::same(['{closure} of A\B::f()', '{closure} of c.php'], [$name('{closure:A\B::f():12}', 'A\B'), $name('{closure:/x/c.php:3}')]);
        Check::same(['A@anonymous::f', "A\e::f"], [$name('f', "A@anonymous\0/x/c.php:3\$0"), $name('f', "A\e")]);
        Check::same('b.php', \Tare\Worker\Executed::name([['file' => '/a/b.php']]));
    },
];
