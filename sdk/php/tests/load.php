<?php

use Tare\LoadWorker;
use Tare\Worker\SimulatedTime;
use Tare\Worker\Work;

require_once __DIR__ . '/fixtures/simulated_time.php';

/** Does work on simulated time; the frames that came of it, and the work itself. */
$work = static function (array $calls, array $pattern, array $gaps, int $count, int $duration, int $slice): array {
    SimulatedTime::$now = 0;
    $frames = [];
    $work = new Work(static function (array $frame) use (&$frames): bool {
        $frames[] = $frame;

        return true;
    });
    $work->run($calls, new LoadWorker(0, 1), 0, $pattern, $gaps, 0, $count, $duration, $slice);

    return [$frames, $work];
};
$latencies = static function (array $frames): array {
    return array_merge(...array_column(array_filter($frames, static function (array $frame): bool {
        return $frame['latencies'] !== null;
    }), 'latencies'));
};
$takes = static function (int $nanoseconds): callable {
    return static function () use ($nanoseconds): void {
        SimulatedTime::$now += $nanoseconds;
    };
};

return [
    'a stall is in the latencies of all operations that were due meanwhile' => static function () use ($work, $latencies): void {
        // 50 a second for 20 s; what begins from 5 s to 7 s ends at 7 s.
        $operation = static function (): void {
            if (SimulatedTime::$now >= 5000000000 && SimulatedTime::$now < 7000000000) {
                SimulatedTime::$now = 7000000000;
            }
        };
        [$frames, $done] = $work([$operation], [0], [20000000], 0, 20000000000, 1000000000);
        $expected = [];
        for ($due = 0; $due < 20000000000; $due += 20000000) {
            $expected[] = $due >= 5000000000 && $due < 7000000000 ? 7000000000 - $due : 0;
        }
        Check::same($expected, $latencies($frames));
        Check::same([1000, 0], [$done->begun, $done->dropped]);
        // All but the last of them, which was due 20 ms before the end of the stall, and those began more than a millisecond late.
        Check::same(99, array_sum(array_column($frames, 'late')));
        Check::same([0, 1, 2, 3, 4, 7], array_slice(array_values(array_unique(array_column($frames, 'slice'))), 0, 6));
    },

    'in a closed loop operations follow each other, in the order of the pattern' => static function () use ($work, $takes): void {
        [$frames, $done] = $work([$takes(1000), $takes(5000)], [0, 0, 1], [], 7, 0, 1000000);
        Check::same([1000, 1000, 1000, 1000, 1000], $frames[0]['latencies']);
        Check::same([5000, 5000], $frames[1]['latencies']);
        Check::same([7, 15000], [$done->begun, $done->ended]);
    },

    'no operation begins at the end, and what is under way ends' => static function () use ($work, $takes): void {
        [, $done] = $work([$takes(300000)], [0], [], 0, 1000000, 1000000);
        Check::same([4, 1200000], [$done->begun, $done->ended]);
    },

    'what was due and never begun is dropped' => static function () use ($work, $takes): void {
        [, $done] = $work([$takes(10000000)], [0], [1000000], 0, 100000000, 1000000);
        Check::same([10, 90], [$done->begun, $done->dropped]);
        [, $done] = $work([$takes(10000000)], [0], [1000000], 20, 100000000, 1000000);
        Check::same([10, 10], [$done->begun, $done->dropped]);
    },

    'failures have no latency and are told by kind' => static function () use ($work): void {
        $number = 0;
        $operation = static function () use (&$number): void {
            if (++$number % 2 === 0) {
                throw new DomainException("number $number");
            }
        };
        [$frames] = $work([$operation], [0], [], 10, 0, 1000000);
        Check::same([5, ['DomainException'], [5], ['number 2']], [
            count($frames[0]['latencies']), $frames[0]['failures'], $frames[0]['failed'], $frames[0]['messages'],
        ]);
    },

    'what fails all the time is tried less and less often, where there is an end in time' => static function () use ($work): void {
        $fails = static function (): void {
            SimulatedTime::$now += 1000;
            throw new DomainException('gone');
        };
        // Ten at once; then after 10, 20, … 640 ms and 1 s each.
        [$frames, $done] = $work([$fails], [0], [], 0, 4000000000, 1000000000);
        Check::same([19, 19], [$done->begun, array_sum(array_merge(...array_column($frames, 'failed')))]);
        // A number of operations is done as quickly as they fail, and an open loop keeps its times.
        [, $done] = $work([$fails], [0], [], 50, 0, 1000000000);
        Check::same([50, 50000], [$done->begun, SimulatedTime::$now]);
        [, $done] = $work([$fails], [0], [20000000], 0, 4000000000, 1000000000);
        Check::same(200, $done->begun);
        $number = 0;
        [, $done] = $work([static function () use (&$number): void {
            SimulatedTime::$now += 1000000;
            if (++$number % 9 !== 0) {
                throw new DomainException('now and then it succeeds');
            }
        }], [0], [], 0, 1000000000, 1000000000);
        Check::same(1000, $done->begun);
    },

    'what loading and setting up took hides no smaller peak of operations' => static function (): void {
        $session = Session::loaded(['HoldingBench.php']);
        Check::same('connected', $session->last(['frame' => 'connect', 'suite' => 'HoldingBench', 'worker' => 0, 'workers' => 1])['frame']);
        $replies = $session->ask(['frame' => 'work', 'start' => 0, 'pattern' => [0], 'count' => 3, 'duration' => 0, 'slice' => 3600000000000]);
        $worked = end($replies);
        $session->end();
        Check::same(['worked', 3], [$worked['frame'], $worked['operations'] ?? null], json_encode($worked));
        Check::holds($worked['runtime_bytes'] > 0, json_encode($worked));
        Check::same(PHP_VERSION_ID >= 80200, isset($worked['runtime_peak_bytes']), json_encode($worked));
        $peak = $worked['runtime_peak_bytes'] ?? 5 << 20;
        Check::holds($peak > 4 << 20 && $peak < 16 << 20, json_encode($worked));
    },

    'a full buffer is sent before its slice is over' => static function () use ($work, $latencies, $takes): void {
        [$frames] = $work([$takes(1)], [0], [], 10000, 0, 1000000);
        Check::same([3, 10000], [count($frames), count($latencies($frames))]);
    },
];
