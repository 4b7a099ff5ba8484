<?php

declare(strict_types=1);

namespace Tare\Clock;

/**
 * For code whose clocks have a now() that gives seconds as a float, which PSR-20's now() can't.
 */
final class FloatNow
{
    /** @var Clock */
    private $clock;

    /** @var TickClock|null the same, where its property spares a call */
    private $ticks;

    public function __construct(Clock $clock)
    {
        $this->clock = $clock;
        $this->ticks = $clock instanceof TickClock ? $clock : null;
    }

    /** Seconds since the clock's origin. */
    public function now(): float
    {
        return $this->ticks !== null ? $this->ticks->seconds : $this->clock->seconds();
    }
}
