<?php

declare(strict_types=1);

namespace Tare\Clock;

/**
 * Never goes back; every call reads it. For timeouts and durations. Its date is that of the system when the clock was made, plus the time
 * passed since, whatever is done to the system's date meanwhile.
 */
final class MonotonicClock implements Clock
{
    /** @var int nanoseconds from this clock's origin to 1970, negated */
    private $offset;

    public function __construct()
    {
        $this->offset = (new WallClock())->nanoseconds() - \hrtime(true);
    }

    public function now(): \DateTimeImmutable
    {
        return Date::at($this->offset + \hrtime(true));
    }

    public function seconds(): float
    {
        return \hrtime(true) / 1e9;
    }

    public function nanoseconds(): int
    {
        return \hrtime(true);
    }

    public function date(int $nanoseconds): \DateTimeImmutable
    {
        return Date::at($this->offset + $nanoseconds);
    }
}
