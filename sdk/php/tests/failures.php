<?php

$here = __DIR__ . '/fixtures/';

/** A fixture that fails in `load`, and whether another file still loads after it. */
$badFile = static function (string $file, array $expected) use ($here): void {
    $session = Session::loaded([$file, 'QuietBench.php'], $replies);
    Check::has($expected + ['frame' => 'notice', 'level' => 'error', 'file' => $here . $file], $replies[0]);
    Check::has(['frame' => 'loaded', 'cases' => 2], end($replies));
    $session->end();
    Check::same(0, $session->status);
};

/** A fixture that ends the process in `load`. */
$deadlyFile = static function (string $file, string $kind, ?int $line, string $pattern) use ($here): void {
    $session = Session::loaded([$file], $replies);
    Check::has(['frame' => 'fault', 'kind' => $kind, 'file' => $here . $file], end($replies));
    Check::same($line, end($replies)['line'] ?? null);
    Check::matches($pattern, end($replies)['message']);
    $session->end();
};

/** What the subject of SubjectsBench does to a run. */
$subject = static function (string $name, ?Session &$session, array $php = []): array {
    $session = Session::loaded(['FailingBench.php'], $replies, $php);
    $ready = $session->prepare($replies, 'SubjectsBench::' . $name);

    return $ready['frame'] === 'ready' ? $session->run('case', [1]) : $ready;
};

return [
    'a file that cannot be parsed' => static function () use ($badFile): void {
        $badFile('syntax.php', ['kind' => 'syntax', 'line' => 5]);
    },
    'what each sample declares anew is told with the option that helps' => static function (): void {
        $session = Session::loaded(['DeclaresBench.php'], $replies);
        Check::has(['frame' => 'ready'], $session->prepare($replies, 'DeclaresBench::benchDeclared'));
        Check::has(['frame' => 'samples'], $session->run('case', [1]));
        $fault = $session->run('case', [1]);
        $session->end();
        Check::has(['frame' => 'fault', 'kind' => 'fatal'], $fault);
        Check::matches('/--isolate/', $fault['remedy'] ?? '');
        if (function_exists('pcntl_fork')) {
            $session = Session::loaded(['DeclaresBench.php'], $replies, [], ['TARE_ISOLATE' => '1']);
            $session->prepare($replies, 'DeclaresBench::benchDeclared');
            Check::has(['frame' => 'samples'], $session->run('case', [1, 1]));
            $session->end();
        }
        $session = Session::loaded(['redeclared.php'], $replies);
        $session->end();
        Check::holds(strpos(end($replies)['remedy'] ?? '', '--isolate') === false, 'a file that declares twice');
    },
    'a class without its parent' => static function () use ($badFile): void {
        $badFile('missing_parent.php', ['kind' => 'load', 'line' => 3]);
    },
    'a file that throws' => static function () use ($badFile): void {
        $badFile('throws.php', ['kind' => 'load', 'line' => 3, 'message' => 'RuntimeException: at the top level']);
    },
    'a file that is not there, a directory' => static function () use ($badFile): void {
        $badFile('nowhere.php', ['kind' => 'load', 'message' => 'The source does not exist.']);
        Session::loaded(['.'], $replies)->end();
        Check::has(['level' => 'error', 'message' => 'The source is not a readable file.'], $replies[0]);
    },
    'a bootstrap that is not there' => static function (): void {
        $session = new Session();
        $replies = $session->load(['QuietBench.php'], 'nowhere.php');
        Check::has(['level' => 'error', 'message' => 'The bootstrap does not exist.'], $replies[0]);
        Check::same(0, end($replies)['cases']);
        $session->end();
    },
    'a class declared twice' => static function () use ($deadlyFile): void {
        $deadlyFile('redeclared.php', 'fatal', 4, '/^Cannot (re)?declare class Twice/');
    },
    'an abstract method left open' => static function () use ($deadlyFile): void {
        // PHP 7 names the line of the class's end.
        $deadlyFile('abstract_method.php', 'fatal', PHP_VERSION_ID < 80000 ? 10 : 8, '/^(Class|Non-abstract class) B contains 1 abstract method/');
    },
    'a file that exits' => static function () use ($deadlyFile): void {
        $deadlyFile('exits.php', 'exit', null, '/^User code ended the process while the source was loaded\.$/');
    },
    'a constructor that needs arguments' => static function () use ($here): void {
        $session = Session::loaded(['ServiceBench.php'], $replies);
        Check::same([
            'frame' => 'fault', 'kind' => 'load', 'message' => 'The constructor of ServiceBench needs 2 arguments; Tare passes none.',
            'file' => $here . 'ServiceBench.php', 'line' => 9, 'remedy' => 'Give it defaults, or build what it needs in a method that BeforeMethods names.',
        ], array_diff_key($session->prepare($replies, 'ServiceBench::benchService'), ['id' => 0]));
        $session->end();
    },
    'providers that fail, each at its own place' => static function () use ($here): void {
        Session::loaded(['FailingBench.php'], $replies)->end();
        $errors = array_values(array_filter($replies, static function (array $frame): bool {
            return $frame['frame'] === 'notice' && $frame['level'] === 'error';
        }));
        foreach ($errors as $error) {
            if ($error['kind'] === 'provider') {
                Check::matches('/^ProvidersBench::bench/', $error['benchmark'] ?? '');
            }
        }
        // A failure that several benchmarks share is told for each.
        $errors = array_values(array_column($errors, null, 'message'));
        Check::same([
            ['load', 7, 'DomainException: no database'],
            ['provider', 34, "LengthException: too\nlong �"],
            ['provider', 37, 'The provider ProvidersBench::nothing yields no parameter set.'],
            ['provider', 42, 'The provider ProvidersBench::scalar returns "x", not parameter sets.'],
            ['provider', 47, 'The parameter set "bad" of the provider ProvidersBench::notASet is 5, not an array.'],
            ['provider', 52, 'The provider ProvidersBench::endless yields more than 100,000 parameter sets.'],
            ['provider', 69, 'LogicException: after the first'],
            ['provider', 72, 'The provider ProvidersBench::hidden is not public.'],
            ['provider', 30, 'The provider nowhere is neither a public method of ProvidersBench nor a function.'],
        ], array_map(static function (array $notice) use ($here): array {
            Check::same($here . 'FailingBench.php', $notice['file'] ?? null, json_encode($notice));

            return [$notice['kind'], $notice['line'], $notice['message']];
        }, $errors));
        $names = array_column(array_filter($replies, static function (array $frame): bool {
            return ($frame['benchmark'] ?? '') === 'ProvidersBench::benchSame';
        }), 'parameters');
        Check::same(3, count(array_unique($names)));
        Check::matches('/^(twin#[0-9a-f]{16} ){3}$/', implode(' ', $names) . ' ');
    },
    'cases are told before code of the user runs that may never come back' => static function (): void {
        $session = new Session();
        try {
            $session->load(['KillingBench.php']);
            $ended = false;
        } catch (RuntimeException $gone) {
            $ended = true;
        }
        $session->end();
        Check::same(true, $ended);
        Check::same(['KillingBench::benchBefore'], array_values(array_filter(array_column($session->heard, 'benchmark'))));
    },
    'a constructor that throws fails the case that is prepared' => static function () use ($here): void {
        $session = Session::loaded(['FailingBench.php'], $replies);
        Check::has([
            'frame' => 'fault', 'kind' => 'load', 'message' => 'DomainException: no database', 'file' => $here . 'FailingBench.php', 'line' => 7,
        ], $session->prepare($replies, 'ConstructorThrowsBench::benchWithout'));
        Check::same('bad-request', $session->run('case')['kind']);
        Check::times(1, $session->run('null'));
        $session->end();
    },
    'a subject that throws' => static function () use ($subject, $here): void {
        $fault = $subject('benchThrows', $session);
        Check::has(['kind' => 'exception', 'message' => 'OutOfRangeException: beyond', 'file' => $here . 'FailingBench.php'], $fault);
        Check::holds(!isset($fault['trace']), 'the worker\'s own frames are no trace');
        Check::times(1, $session->run('null'));
        $session->end();
        Check::same([0, ''], [$session->status, $session->output]);
    },
    'a subject that exits' => static function () use ($subject, $here): void {
        $fault = $subject('benchExits', $session);
        Check::has([
            'kind' => 'exit', 'message' => 'User code ended the process while SubjectsBench::benchExits ran.', 'file' => $here . 'FailingBench.php',
        ], $fault);
        $session->end();
        Check::same(3, $session->status);
    },
    'a subject that exhausts the memory' => static function () use ($subject, $here): void {
        $fault = $subject('benchMemory', $session, ['-d', 'memory_limit=64M']);
        Check::has(['kind' => 'fatal', 'file' => $here . 'FailingBench.php'], $fault);
        Check::matches('/^Allowed memory size of 67108864 bytes exhausted/', $fault['message']);
        Check::matches('/-d memory_limit=/', $fault['remedy']);
        $session->end();
    },
    'a subject that prints' => static function () use ($subject): void {
        Check::times(1, $subject('benchPrints', $session));
        Check::times(20, $session->run('case', array_fill(0, 20, 1)));
        $session->end();
        Check::same(21 * 6 << 18, strlen($session->output));
    },
    'a subject whose parameter has another type' => static function () use ($subject, $here): void {
        $fault = $subject('benchTypeError', $session);
        Check::has(['kind' => 'exception', 'file' => $here . 'FailingBench.php'], $fault);
        Check::matches('/must be of (the )?type int, array given$/', $fault['message']);
        $session->end();
    },
    'a subject that wants two arguments' => static function (): void {
        $session = Session::loaded(['TimerBench.php'], $replies);
        Check::has(['frame' => 'fault', 'kind' => 'load'], $session->prepare($replies, 'TimerBench::benchTwoArguments'));
        $session->end();
    },
    'a subject that closes the standard streams and moves away' => static function () use ($subject): void {
        Check::times(1, $subject('benchClosesEverything', $session));
        Check::times(2, $session->run('case', [1, 2]));
        $session->end();
        Check::same(0, $session->status);
    },
    'a subject that reads standard input finds nothing there, and takes no request' => static function () use ($subject): void {
        Check::times(1, $subject('benchReadsTheStream', $session));
        Check::times(3, $session->run('case', [1, 2, 3]));
        $session->end();
        // PHP 7 warns and goes on.
        Check::same(PHP_VERSION_ID < 80000 ? 'samples' : 'fault', $subject('benchReadsTheConstant', $session)['frame']);
        Check::same('bad-request', $session->run('no such')['kind']);
        $session->end();
    },
    'a child of the subject does not speak for the worker' => static function () use ($subject): void {
        if (!function_exists('pcntl_fork')) {
            return;
        }
        Check::times(1, $subject('benchForks', $session));
        $session->end();
        Check::same(0, $session->status);
    },
    'hooks that are missing or throw' => static function () use ($subject): void {
        $fault = $subject('benchMissingHook', $session);
        Check::has(['kind' => 'load', 'message' => 'BeforeMethods names missing, which is not a public method of SubjectsBench.'], $fault);
        $session->end();
        Check::has(['kind' => 'exception', 'message' => 'RuntimeException: hook'], $subject('benchThrowingHook', $session));
        $session->end();
    },
    'a case that the core takes for another one' => static function (): void {
        $session = Session::loaded(['QuietBench.php'], $replies);
        $request = ['frame' => 'prepare', 'case' => 0, 'benchmark' => 'QuietBench::benchNothing', 'parameters' => ''];
        Check::same('provider', $session->last(['benchmark' => 'Other::bench'] + $request)['kind']);
        Check::same('provider', $session->last(['parameters' => 'x'] + $request)['kind']);
        Check::same('provider', $session->last(['case' => 99] + $request)['kind']);
        Check::same('bad-request', $session->last(['clock' => 'sundial'] + $request)['kind']);
        Check::same('ready', $session->last($request)['frame']);
        Check::same('bad-request', $session->last($request)['kind']);
        $session->end();
    },
    'a wire that is not there' => static function (): void {
        $process = proc_open(
            [PHP_BINARY, dirname(__DIR__) . '/worker.php'],
            [['file', '/dev/null', 'r'], ['pipe', 'w'], ['pipe', 'w']],
            $pipes,
            null,
            ['TARE_WIRE' => '/nonexistent/tare/wire'] + getenv()
        );
        Check::same(['', "tare: the path in TARE_WIRE cannot be opened for writing.\n"], array_map('stream_get_contents', array_values($pipes)));
        Check::same(1, proc_close($process));
    },
];
