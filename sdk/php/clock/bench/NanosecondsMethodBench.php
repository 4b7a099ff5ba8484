<?php

use Tare\Clock\MonotonicClock;
use Tare\Clock\TickClock;

require_once __DIR__ . '/../autoload.php';

/** Monotonic nanoseconds by the clock's method. Ten reads a call. */
final class NanosecondsMethodBench
{
    private $fresh;
    private $clock;

    public function __construct()
    {
        $this->fresh = new MonotonicClock();
        $this->clock = new TickClock(new MonotonicClock());
        $this->clock->tick();
        $this->clock->now();
    }

    #[Tare\Base]
    public function benchFresh(): void
    {
        $fresh = $this->fresh;
        $fresh->nanoseconds();
        $fresh->nanoseconds();
        $fresh->nanoseconds();
        $fresh->nanoseconds();
        $fresh->nanoseconds();
        $fresh->nanoseconds();
        $fresh->nanoseconds();
        $fresh->nanoseconds();
        $fresh->nanoseconds();
        $fresh->nanoseconds();
    }

    public function benchTick(): void
    {
        $clock = $this->clock;
        $clock->nanoseconds();
        $clock->nanoseconds();
        $clock->nanoseconds();
        $clock->nanoseconds();
        $clock->nanoseconds();
        $clock->nanoseconds();
        $clock->nanoseconds();
        $clock->nanoseconds();
        $clock->nanoseconds();
        $clock->nanoseconds();
    }
}
