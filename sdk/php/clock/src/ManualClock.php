<?php

declare(strict_types=1);

namespace Tare\Clock;

/**
 * Stands still until it is moved: for tests. Its origin is 1970.
 */
final class ManualClock implements Clock
{
    /** @var int */
    private $nanoseconds;

    /** @param int $nanoseconds what it shows, since 1970 */
    public function __construct(int $nanoseconds = 0)
    {
        $this->nanoseconds = $nanoseconds;
    }

    /**
     * Time passes.
     *
     * @throws \InvalidArgumentException for less than 0: time doesn't; step() is for a clock that is set back
     */
    public function advance(int $nanoseconds): void
    {
        if ($nanoseconds < 0) {
            throw new \InvalidArgumentException("advance($nanoseconds) would go back; step() sets the clock back on purpose");
        }
        $this->nanoseconds += $nanoseconds;
    }

    /**
     * Time passes until the clock shows this.
     *
     * @throws \InvalidArgumentException when it shows more already
     */
    public function set(int $nanoseconds): void
    {
        if ($nanoseconds < $this->nanoseconds) {
            throw new \InvalidArgumentException(
                "set($nanoseconds) would go back from {$this->nanoseconds}; step() sets the clock back on purpose"
            );
        }
        $this->nanoseconds = $nanoseconds;
    }

    /** Somebody sets the clock: forwards, or back. */
    public function step(int $nanoseconds): void
    {
        $this->nanoseconds += $nanoseconds;
    }

    public function now(): \DateTimeImmutable
    {
        return Date::at($this->nanoseconds);
    }

    public function seconds(): float
    {
        return $this->nanoseconds / 1e9;
    }

    public function nanoseconds(): int
    {
        return $this->nanoseconds;
    }

    public function date(int $nanoseconds): \DateTimeImmutable
    {
        return Date::at($nanoseconds);
    }
}
