<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Reads the clocks as a program does, and waits as it does (PROTOCOL §3 `read` and `wait`). Each clock has its own loops: a
 * call through a variable would be part of what is measured. Nothing is written or kept beyond buffers made before.
 */
final class ClockReader
{
    public const WAITS = ['yield', 'sleep', 'usleep'];

    /** @var array<string, int|float> the first reading of each clock */
    private $origins = [];

    /**
     * @return array{values: list<int>, blocks: list<int>, empty: list<int>} nanoseconds
     */
    public function read(string $clock, int $pairs, int $skip, int $blocks, int $reads): array
    {
        $values = \array_fill(0, 2 * $pairs, 0);
        $times = $blocks === 0 ? [] : \array_fill(0, $blocks, 0);
        $empty = $times;
        \gc_collect_cycles();
        if ($clock === 'microtime') {
            $origin = $this->origins[$clock] ?? ($this->origins[$clock] = \microtime(true));
            self::microtime($values, $skip);
            for ($i = 0; $i < $blocks; ++$i) {
                $times[$i] = self::microtimeBlock($reads);
                $empty[$i] = self::emptyBlock($reads);
            }
        } else {
            $origin = $this->origins[$clock] ?? ($this->origins[$clock] = \hrtime(true));
            self::hrtime($values, $skip);
            for ($i = 0; $i < $blocks; ++$i) {
                $times[$i] = self::hrtimeBlock($reads);
                $empty[$i] = self::emptyBlock($reads);
            }
        }
        foreach ($values as $i => $value) {
            $values[$i] = $clock === 'microtime' ? (int) \round(($value - $origin) * 1e9) : $value - $origin;
        }

        return ['values' => $values, 'blocks' => $times, 'empty' => $empty];
    }

    /**
     * @return list<int> nanoseconds
     *
     * @throws Fault of kind `runtime` where PHP doesn't wait so
     */
    public function wait(string $call, int $requested, int $times): array
    {
        if ($call === 'yield') {
            throw new Fault('runtime', 'PHP has no call that yields the CPU.');
        }
        if ($call === 'usleep' && $requested % 1000 !== 0) {
            throw new Fault('runtime', 'usleep takes whole microseconds.');
        }
        // PHP 7 warns and goes on, PHP 8 throws: neither is left to decide.
        if ($requested < 0) {
            throw new Fault('runtime', ($call === 'usleep' ? 'usleep' : 'time_nanosleep') . " does not wait for $requested ns.");
        }
        $taken = \array_fill(0, $times, 0);
        try {
            if ($call === 'usleep') {
                $microseconds = \intdiv($requested, 1000);
                for ($i = 0; $i < $times; ++$i) {
                    $start = \hrtime(true);
                    \usleep($microseconds);
                    $taken[$i] = \hrtime(true) - $start;
                }
            } else {
                $seconds = \intdiv($requested, 1000000000);
                $rest = $requested % 1000000000;
                for ($i = 0; $i < $times; ++$i) {
                    $start = \hrtime(true);
                    $slept = \time_nanosleep($seconds, $rest);
                    $taken[$i] = \hrtime(true) - $start;
                    if ($slept !== true) {
                        throw new Fault('runtime', "time_nanosleep does not wait for $requested ns.");
                    }
                }
            }
        } catch (Fault $fault) {
            throw $fault;
        } catch (\Throwable $refused) {
            throw new Fault('runtime', $refused->getMessage());
        }

        return $taken;
    }

    /**
     * @param list<int|float> $values filled in place
     */
    private static function hrtime(array &$values, int $skip): void
    {
        $count = \count($values);
        for ($i = 0; $i < $count; ++$i) {
            $first = \hrtime(true);
            $second = \hrtime(true);
            $values[$i] = $first;
            $values[++$i] = $second;
            for ($k = 0; $k < $skip; ++$k) {
                \hrtime(true);
            }
        }
    }

    /**
     * @param list<int|float> $values filled in place
     */
    private static function microtime(array &$values, int $skip): void
    {
        $count = \count($values);
        for ($i = 0; $i < $count; ++$i) {
            $first = \microtime(true);
            $second = \microtime(true);
            $values[$i] = $first;
            $values[++$i] = $second;
            for ($k = 0; $k < $skip; ++$k) {
                \microtime(true);
            }
        }
    }

    private static function hrtimeBlock(int $reads): int
    {
        $start = \hrtime(true);
        for ($i = 0; $i < $reads; ++$i) {
            $value = \hrtime(true);
        }

        return \hrtime(true) - $start;
    }

    private static function microtimeBlock(int $reads): int
    {
        $start = \hrtime(true);
        for ($i = 0; $i < $reads; ++$i) {
            $value = \microtime(true);
        }

        return \hrtime(true) - $start;
    }

    private static function emptyBlock(int $reads): int
    {
        $start = \hrtime(true);
        for ($i = 0; $i < $reads; ++$i) {
        }

        return \hrtime(true) - $start;
    }
}
