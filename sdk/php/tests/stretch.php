<?php

/** A session with a case of SleepingBench ready. */
$prepared = static function (string $case, array $php = []): Session {
    $session = Session::loaded(['SleepingBench.php'], $replies, $php);
    Check::same('ready', $session->prepare($replies, "SleepingBench::$case")['frame']);

    return $session;
};

/** The three keys, which are whole numbers from 0. */
$stretch = static function (array $samples): array {
    $found = [];
    foreach (['wall', 'cpu', 'yields'] as $key) {
        Check::holds(is_int($samples[$key] ?? null) && $samples[$key] >= 0, "$key: " . json_encode($samples));
        $found[] = $samples[$key];
    }

    return $found;
};

return [
    'every subject tells what its timed samples took together' => static function () use ($prepared, $stretch): void {
        $session = $prepared('benchBusy');
        foreach (array_merge(['case', 'null', 'pause', 'clock'], preg_filter('/^/', 'kernel/', $session->hello['kernels'])) as $subject) {
            $samples = $session->run($subject, [3, 0, 5], 2);
            [$wall] = $stretch($samples);
            Check::holds($wall >= array_sum($samples['elapsed']), "$subject: " . json_encode($samples));
        }
        $session->end();
    },
    'who computes uses CPU time, at most as much as time passes' => static function () use ($prepared, $stretch): void {
        $session = $prepared('benchBusy');
        [$wall, $cpu] = $stretch($session->run('case', array_fill(0, 50, 2)));
        // 2 million turns of a loop take more than the kernel's microsecond. The readings themselves lie outside of `wall`.
        Check::holds($cpu >= 1000 && $cpu <= $wall + 10000000, "$cpu ns of CPU time in $wall ns");
        $session->end();
    },
    'who sleeps yields in each call and uses less CPU time than passes; the warm-in does not count' => static function () use ($prepared, $stretch): void {
        $session = $prepared('benchSleep');
        [$wall, $cpu, $yields] = $stretch($session->run('case', [1, 1, 1], 40));
        Check::holds($yields >= 3 && $yields < 40, "$yields yields in 3 samples");
        Check::holds($wall >= 3 * 20000000 && $cpu < $wall, "$cpu ns of CPU time in $wall ns");
        $session->end();
    },
    'what the author wants around samples is told when the case is ready' => static function (): void {
        foreach (['benchBusy' => false, 'benchBehindHook' => true] as $case => $hooks) {
            $session = Session::loaded(['SleepingBench.php'], $replies);
            Check::has(['frame' => 'ready', 'hooks' => $hooks], $session->prepare($replies, "SleepingBench::$case"));
            $session->end();
        }
    },
    'hooks around samples are not within, for the null as well' => static function () use ($prepared, $stretch): void {
        $session = $prepared('benchBehindHook');
        foreach (['case', 'null', 'pause'] as $subject) {
            // The hook sleeps.
            $samples = $session->run($subject, array_fill(0, 10, 1), 100);
            [$wall, , $yields] = $stretch($samples);
            Check::holds($yields < 10, "$subject: $yields yields in 10 samples");
            Check::holds($wall >= array_sum($samples['elapsed']), "$subject: " . json_encode($samples));
        }
        [, , $yields] = $stretch($session->run('clock', array_fill(0, 10, 1), 100));
        Check::holds($yields < 10, "clock: $yields yields");
        $session->end();
    },
    'where PHP cannot ask the kernel, none of the three is told' => static function () use ($prepared): void {
        $session = $prepared('benchBusy', ['-d', 'disable_functions=getrusage']);
        $samples = $session->run('case', [1, 1], 1);
        Check::times(2, $samples);
        Check::same([], array_intersect(['wall', 'cpu', 'yields'], array_keys($samples)));
        $session->end();
        Check::same([0, ''], [$session->status, $session->output]);
    },
];
