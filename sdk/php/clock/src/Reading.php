<?php

declare(strict_types=1);

namespace Tare\Clock;

/**
 * What every clock of Tare's can be asked, whether or not PSR-20 is there.
 */
interface Reading
{
    /**
     * Nanoseconds since the clock's origin: 1970 for a wall clock, an arbitrary moment for a monotonic one. Differences are durations.
     */
    public function nanoseconds(): int;

    /**
     * The same in seconds. A float of today's date steps by 0.24 µs.
     */
    public function seconds(): float;

    /**
     * The date of a reading in nanoseconds of this very clock, in the default time zone, to the microsecond.
     */
    public function date(int $nanoseconds): \DateTimeImmutable;
}
