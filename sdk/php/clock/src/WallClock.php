<?php

declare(strict_types=1);

namespace Tare\Clock;

/**
 * The system's date, in microseconds; every call reads it. It is set by people and by NTP, and may go back.
 */
final class WallClock implements Clock
{
    public function now(): \DateTimeImmutable
    {
        return new \DateTimeImmutable();
    }

    public function seconds(): float
    {
        return \microtime(true);
    }

    public function nanoseconds(): int
    {
        // Rounded, because a float of today's date is up to 0.12 µs beside the microsecond it stands for.
        return (int) (\microtime(true) * 1e6 + 0.5) * 1000;
    }

    public function date(int $nanoseconds): \DateTimeImmutable
    {
        return Date::at($nanoseconds);
    }
}
