<?php

use Tare\Clock\MonotonicClock;
use Tare\Clock\TickClock;

require_once __DIR__ . '/../autoload.php';

/** Monotonic nanoseconds: hrtime(true), and a property. Ten reads a call. */
final class NanosecondsBench
{
    private $clock;

    public function __construct()
    {
        $this->clock = new TickClock(new MonotonicClock());
        $this->clock->tick();
        $this->clock->now();
    }

    #[Tare\Base]
    public function benchFresh(): void
    {
        hrtime(true);
        hrtime(true);
        hrtime(true);
        hrtime(true);
        hrtime(true);
        hrtime(true);
        hrtime(true);
        hrtime(true);
        hrtime(true);
        hrtime(true);
    }

    public function benchTick(): void
    {
        $clock = $this->clock;
        $clock->nanoseconds;
        $clock->nanoseconds;
        $clock->nanoseconds;
        $clock->nanoseconds;
        $clock->nanoseconds;
        $clock->nanoseconds;
        $clock->nanoseconds;
        $clock->nanoseconds;
        $clock->nanoseconds;
        $clock->nanoseconds;
    }

    /** Ten ticks with one read each. */
    public function benchTurn(): void
    {
        $clock = $this->clock;
        $clock->tick();
        $clock->nanoseconds;
        $clock->tick();
        $clock->nanoseconds;
        $clock->tick();
        $clock->nanoseconds;
        $clock->tick();
        $clock->nanoseconds;
        $clock->tick();
        $clock->nanoseconds;
        $clock->tick();
        $clock->nanoseconds;
        $clock->tick();
        $clock->nanoseconds;
        $clock->tick();
        $clock->nanoseconds;
        $clock->tick();
        $clock->nanoseconds;
        $clock->tick();
        $clock->nanoseconds;
    }
}
