<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * The clocks as source text. A clock is never called through a variable or a method: the indirection would be part of
 * every measurement.
 */
final class Clock
{
    /** The default first. */
    public const NAMES = ['hrtime', 'microtime'];

    /** An expression that reads the clock. */
    public static function read(string $clock): string
    {
        return $clock === 'microtime' ? '\\microtime(true)' : '\\hrtime(true)';
    }

    /** An expression for the nanoseconds from $start to $end as integer, at least 0: the wall clock may be set back. */
    public static function elapsed(string $clock, string $less = ''): string
    {
        return $clock === 'microtime'
            ? '\\max(0, (int) \\round(($end - $start) * 1e9)' . $less . ')'
            : ($less === '' ? '$end - $start' : '\\max(0, $end - $start' . $less . ')');
    }
}
