<?php

$jit = ['-d', 'opcache.enable_cli=1', '-d', 'opcache.jit_buffer_size=16M', '-d', 'opcache.jit=tracing'];

/** The calls that HooksBench wrote down. */
$hooks = static function (callable $drive): array {
    $log = tempnam(sys_get_temp_dir(), 'tare');
    $session = Session::loaded(['HooksBench.php'], $replies, [], ['HOOKS_LOG' => $log]);
    $drive($session, $replies, static function () use ($log): array {
        $lines = file($log, FILE_IGNORE_NEW_LINES);
        file_put_contents($log, '');

        return $lines;
    });
    $lines = file($log, FILE_IGNORE_NEW_LINES);
    unlink($log);

    return $lines;
};

return [
    'every subject, before and after prepare, with both clocks' => static function () use ($jit): void {
        foreach ([[[], 'hrtime'], [[], 'microtime'], [$jit, 'hrtime']] as [$php, $clock]) {
            $session = new Session($php);
            $subjects = array_merge(['null', 'clock', 'pause'], array_map(static function (string $kernel): string {
                return 'kernel/' . $kernel;
            }, $session->hello['kernels']));
            foreach ($subjects as $subject) {
                Check::times(3, $session->run($subject, [0, 1, 7], 2));
            }
            $replies = $session->load(['TimerBench.php']);
            Check::has(['frame' => 'ready', 'pauses' => false, 'hooks' => false], $session->prepare($replies, 'TimerBench::benchNoParameters', '', ['clock' => $clock]));
            foreach (array_merge(['case'], $subjects) as $subject) {
                Check::times(4, $session->run($subject, [0, 1, 7, 500], 5));
            }
            $finished = $session->last(['frame' => 'finish']);
            Check::same('finished', $finished['frame']);
            $session->end();
            Check::same([0, ''], [$session->status, $session->output]);
        }
    },
    'what loading a source took hides no smaller peak of a case' => static function (): void {
        $session = Session::loaded(['HoldingBench.php'], $replies);
        $session->prepare($replies, 'HoldingBench::benchHold');
        $session->run('case', [3]);
        $finished = $session->last(['frame' => 'finish']);
        $session->end();
        // Before 8.2 PHP can't say, so the worker doesn't either.
        Check::same(PHP_VERSION_ID >= 80200, isset($finished['runtime_peak_bytes']), json_encode($finished));
        $peak = $finished['runtime_peak_bytes'] ?? 5 << 20;
        Check::holds($peak > 4 << 20 && $peak < 16 << 20, json_encode($finished));
    },
    'without a case there is no peak of one' => static function (): void {
        $session = new Session();
        $session->run('null');
        Check::holds(!isset($session->last(['frame' => 'finish'])['runtime_peak_bytes']), 'nothing was prepared');
        $session->end();
    },
    'cycles of the subject are collected when PHP does, not by the worker between turns' => static function (): void {
        $session = Session::loaded(['CirclesBench.php'], $replies);
        $session->prepare($replies, 'CirclesBench::benchCircle');
        for ($turn = 0; $turn < 12; ++$turn) {
            $session->run('case', [1000]);
            $session->run('null', [1000]);
        }
        $session->end();
        // Of 10,001 possible roots; two a call.
        Check::same('collected collected ', $session->output);
    },
    'how far calls bring the collector of cycles is told' => static function (): void {
        $session = Session::loaded(['CirclesBench.php'], $replies);
        $session->prepare($replies, 'CirclesBench::benchCircle');
        Check::holds(!isset($session->run('null', [1000])['collector_ppm']), 'the null brings it nowhere');
        // Two possible roots a call, of 10,001.
        $first = $session->run('case', [500, 400], 1)['collector_ppm'];
        Check::holds(\abs($first - 1400 * 2 * 1000000 / 10001) < 5000, (string) $first);
        Check::holds(!isset($session->run('case', [5000])['collector_ppm']), 'a collection ran');
        $session->end();
    },
    'pairs of pause and resume are counted' => static function (): void {
        $session = Session::loaded(['TimerBench.php'], $replies);
        Check::has(['frame' => 'ready', 'pauses' => true], $session->prepare($replies, 'TimerBench::benchPaused', 'only'));
        $samples = $session->run('case', [0, 1, 10], 3);
        Check::times(3, $samples);
        Check::same([3, 3, 30], $samples['pauses']);
        Check::same([1, 1, 10], $session->run('pause', [0, 1, 10])['pauses']);
        Check::holds(!isset($session->run('null', [5])['pauses']), 'the null does not pause');
        $session->end();
    },
    'every shape of a subject can be called, and so can its null' => static function () use ($jit): void {
        $shapes = ['benchTimerFirst', 'benchStatic', 'benchNoParameters', 'benchReferenceAndVariadic', 'benchGenerator'];
        foreach ([[], $jit] as $php) {
            foreach ($shapes as $shape) {
                $session = Session::loaded(['TimerBench.php'], $replies, $php);
                Check::same('ready', $session->prepare($replies, 'TimerBench::' . $shape)['frame'], $shape);
                foreach (['case', 'null', 'pause'] as $subject) {
                    Check::times(2, $session->run($subject, [0, 3], 1));
                }
                $session->end();
                Check::same('', $session->output, $shape);
            }
        }
    },
    'an unbalanced timer is a fault, and the worker goes on' => static function (): void {
        foreach (['benchUnbalanced' => '/paused already|while the timer was paused/', 'benchResumeFirst' => '/not paused/'] as $name => $pattern) {
            $session = Session::loaded(['TimerBench.php'], $replies);
            $session->prepare($replies, 'TimerBench::' . $name);
            foreach ([[1], [2]] as $iterations) {
                $fault = $session->run('case', $iterations);
                Check::has(['frame' => 'fault', 'kind' => 'exception', 'file' => __DIR__ . '/fixtures/TimerBench.php'], $fault);
                Check::matches($pattern, $fault['message']);
            }
            Check::times(1, $session->run('null'));
            $session->end();
        }
    },
    'a subject is called exactly as often as asked' => static function (): void {
        $session = Session::loaded(['TimerBench.php'], $replies);
        $session->prepare($replies, 'TimerBench::benchThreeCalls');
        Check::times(2, $session->run('case', [2, 0]));
        Check::matches('/called 4 times/', $session->run('case', [1])['message']);
        $session->end();
    },
    'hooks run around every sample, in order' => static function () use ($hooks): void {
        $hooks(static function (Session $session, array $replies, callable $log): void {
            $session->prepare($replies, 'HooksBench::benchCall', 'set');
            Check::same(['beforeClass', 'construct'], $log());
            Check::times(2, $session->run('case', [1, 0]));
            $call = ['before 9', 'call 9', 'call 9', 'call 9', 'after 9'];
            Check::same(array_merge($call, $call), $log());
            Check::times(1, $session->run('case', [0], 2));
            Check::same(array_merge($call, $call, $call), $log());
            // The scale stands where the subject does: after the same hooks.
            Check::times(1, $session->run('null', [3]));
            Check::times(1, $session->run('pause', [3]));
            Check::same(['before 9', 'after 9', 'before 9', 'after 9'], $log());
            Check::times(1, $session->run('clock', [1]));
            Check::times(1, $session->run('kernel/text', [1]));
            Check::same([], $log());
            Check::same('finished', $session->last(['frame' => 'finish'])['frame']);
            Check::same(['afterClass'], $log());
            $session->end();
            Check::same(0, $session->status);
        });
    },
    'hooks that are run ahead aren\'t run again' => static function () use ($hooks): void {
        $hooks(static function (Session $session, array $replies, callable $log): void {
            $arrange = ['frame' => 'arrange'];
            Check::same('bad-request', $session->last($arrange)['kind']);
            $session->prepare($replies, 'HooksBench::benchCall', 'set');
            $log();
            Check::same('arranged', $session->last($arrange)['frame']);
            Check::same('arranged', $session->last($arrange)['frame']);
            Check::same(['before 9'], $log());
            Check::times(1, $session->last(['frame' => 'run', 'subject' => 'null', 'iterations' => [3], 'warm' => 0, 'hooks' => false]));
            Check::same([], $log());
            // Untimed calls come with the sample, after what other processes did.
            $calls = ['call 9', 'call 9', 'call 9', 'after 9'];
            Check::times(2, $session->run('case', [1, 0]));
            Check::same(array_merge($calls, ['before 9'], $calls), $log());
            Check::same('arranged', $session->last($arrange)['frame']);
            Check::same('finished', $session->last(['frame' => 'finish'])['frame']);
            Check::same(['before 9', 'after 9', 'afterClass'], $log());
            $session->end();
        });
    },
    'the end of input runs no more of the user\'s code' => static function () use ($hooks): void {
        Check::same([], $hooks(static function (Session $session, array $replies, callable $log): void {
            $session->prepare($replies, 'HooksBench::benchCall', 'set');
            $log();
            $session->end();
            Check::same([0, ''], [$session->status, $session->output]);
        }));
    },
    'correction follows the JIT' => static function () use ($jit): void {
        $plain = new Session(['-d', 'opcache.enable_cli=0']);
        Check::same('serial', $plain->hello['correction']);
        $plain->end();
        $session = new Session(array_merge($jit));
        $isOn = (bool) preg_grep('/^jit=(?!off)/', $session->hello['facts']);
        Check::same($isOn ? 'overlapping' : 'serial', $session->hello['correction']);
        $session->end();
    },
    'without a scratch directory the generated files are removed' => static function (): void {
        $temporary = sys_get_temp_dir() . '/tare-scratch-' . bin2hex(random_bytes(6));
        mkdir($temporary);
        $session = Session::loaded(['QuietBench.php'], $replies, [], ['TARE_SCRATCH' => '/nonexistent/tare', 'TMPDIR' => $temporary]);
        $session->prepare($replies, 'QuietBench::benchNothing');
        Check::times(1, $session->run('case'));
        Check::same([], glob($temporary . '/*'));
        $session->end();
        rmdir($temporary);
    },
];
