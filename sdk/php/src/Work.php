<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Operations, one after the other: each as soon as the one before has ended (closed loop), or when it is due (open loop). Latencies are
 * put into buffers that are there from the beginning; they are sent between operations, when a slice of time is over.
 *
 * `hrtime` and `usleep` are called without a backslash, so that a test can put its own in this namespace.
 */
final class Work
{
    /** Latencies of one operation that are kept until they are sent. */
    private const BUFFER = 4096;

    /** Kinds of failures of one operation and slice that are told apart. */
    private const KINDS = 32;

    /** After so many failures in succession a closed loop that has an end in time waits before each other one: what is gone isn't hammered. */
    private const PATIENCE = 10;

    /** Nanoseconds of the first wait, and of the longest; each is twice as long as the one before. */
    private const FIRST_WAIT = 10000000;
    private const LONGEST_WAIT = 1000000000;

    /** Nanoseconds after which a beginning is late. */
    private const LATE = 1000000;

    /** @var callable(array<string, mixed>): bool takes a frame without its id; whether anybody still reads them */
    private $send;

    /** @var array<int, list<int>> by operation */
    private $latencies = [];

    /** @var array<int, int> how many of them count */
    private $filled = [];

    /** @var array<int, int> */
    private $late = [];

    /** @var array<int, array<string, array{int, string}>> by operation and kind: how many, and what the first one said */
    private $failures = [];

    /** @var int operations that were begun */
    public $begun = 0;

    /** @var int nanoseconds from the start to the end of the last operation */
    public $ended = 0;

    /** @var int */
    public $dropped = 0;

    /**
     * @param callable(array<string, mixed>): bool $send
     */
    public function __construct(callable $send)
    {
        $this->send = $send;
    }

    /**
     * @param array<int, callable> $calls    operations by number
     * @param int                  $start    when to begin, as hrtime has it
     * @param list<int>            $pattern  numbers of operations
     * @param list<int>            $gaps     nanoseconds between intended beginnings; empty for a closed loop
     * @param int                  $first    nanoseconds from the start to the first of them
     * @param int                  $count    operations; 0 for as many as there is time for
     * @param int                  $duration nanoseconds; 0 for no end
     * @param int                  $slice    nanoseconds
     */
    public function run(array $calls, \Tare\LoadWorker $worker, int $start, array $pattern, array $gaps, int $first, int $count, int $duration, int $slice): void
    {
        foreach (\array_unique($pattern) as $operation) {
            $this->latencies[$operation] = \array_fill(0, self::BUFFER, 0);
            $this->filled[$operation] = 0;
            $this->late[$operation] = 0;
        }
        $latencies = &$this->latencies;
        $filled = &$this->filled;
        $end = $duration === 0 ? \PHP_INT_MAX : $start + $duration;
        $left = $count === 0 ? \PHP_INT_MAX : $count;
        $isOpen = $gaps !== [];
        $due = $start + $first;
        $gap = 0;
        $gapCount = \count($gaps);
        $at = 0;
        $length = \count($pattern);
        $sliceEnds = $start + $slice;
        $number = 0;
        $failing = 0;
        $wait = self::FIRST_WAIT;
        \gc_collect_cycles();
        self::waitUntil($start);
        $now = hrtime(true);
        while ($left > 0 && $now < $end) {
            if ($isOpen) {
                if ($due >= $end) {
                    break;
                }
                if ($due > $now) {
                    self::waitUntil($due);
                    $now = hrtime(true);
                }
                $intended = $due;
                $due += $gaps[$gap];
                if (++$gap === $gapCount) {
                    $gap = 0;
                }
            }
            $operation = $pattern[$at];
            if (++$at === $length) {
                $at = 0;
            }
            --$left;
            $call = $calls[$operation];
            $thrown = null;
            $began = hrtime(true);
            try {
                $call($worker);
                $now = hrtime(true);
            } catch (\Throwable $thrown) {
                $now = hrtime(true);
            }
            ++$worker->turn;
            ++$this->begun;
            if ($now >= $sliceEnds) {
                if (!$this->tell($number)) {
                    break;
                }
                $number = \intdiv($now - $start, $slice);
                $sliceEnds = $start + ($number + 1) * $slice;
            }
            if ($thrown !== null) {
                $this->fail($operation, $thrown);
            } else {
                $latencies[$operation][$filled[$operation]++] = $now - ($isOpen ? $intended : $began);
            }
            if ($isOpen && $began - $intended > self::LATE) {
                ++$this->late[$operation];
            }
            $this->ended = $now - $start;
            if ($filled[$operation] === self::BUFFER && !$this->tell($number)) {
                break;
            }
            if ($thrown === null) {
                $failing = 0;
                $wait = self::FIRST_WAIT;
            } elseif (++$failing >= self::PATIENCE && !$isOpen && $duration !== 0) {
                self::waitUntil(\min($now + $wait, $end));
                $wait = \min(2 * $wait, self::LONGEST_WAIT);
                $now = hrtime(true);
            }
        }
        $this->tell($number);
        for (; $isOpen && $left > 0 && $due < $end && $due <= $now; --$left) {
            ++$this->dropped;
            $due += $gaps[$gap];
            if (++$gap === $gapCount) {
                $gap = 0;
            }
        }
    }

    private static function waitUntil(int $at): void
    {
        while (($left = $at - hrtime(true)) > 0) {
            usleep(\intdiv($left, 1000));
        }
    }

    private function fail(int $operation, \Throwable $thrown): void
    {
        $kind = Fault::className($thrown);
        $kinds = &$this->failures[$operation];
        if (!isset($kinds[$kind]) && \count($kinds ?? []) >= self::KINDS) {
            $kind = 'other';
        }
        if (!isset($kinds[$kind])) {
            $kinds[$kind] = [0, ValuePrinter::clean($thrown->getMessage(), 200)];
        }
        ++$kinds[$kind][0];
    }

    /** Sends what is in the buffers; whether anybody reads it. */
    private function tell(int $number): bool
    {
        $reads = true;
        foreach ($this->filled as $operation => $count) {
            $failures = $this->failures[$operation] ?? [];
            if ($count === 0 && $failures === []) {
                continue;
            }
            $reads = ($this->send)([
                'frame' => 'slice',
                'operation' => $operation,
                'slice' => $number,
                'latencies' => $count === 0 ? null : \array_slice($this->latencies[$operation], 0, $count),
                'failures' => $failures === [] ? null : \array_map('strval', \array_keys($failures)),
                'failed' => $failures === [] ? null : \array_column($failures, 0),
                'messages' => $failures === [] ? null : \array_column($failures, 1),
                'late' => $this->late[$operation],
            ]) && $reads;
            $this->filled[$operation] = 0;
            $this->late[$operation] = 0;
            unset($this->failures[$operation]);
        }

        return $reads;
    }
}
