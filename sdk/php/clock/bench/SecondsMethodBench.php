<?php

use Tare\Clock\TickClock;
use Tare\Clock\WallClock;

require_once __DIR__ . '/../autoload.php';

/** The date as a float by the clock's method. Ten reads a call. */
final class SecondsMethodBench
{
    private $fresh;
    private $clock;

    public function __construct()
    {
        $this->fresh = new WallClock();
        $this->clock = new TickClock(new WallClock());
        $this->clock->tick();
        $this->clock->now();
    }

    #[Tare\Base]
    public function benchFresh(): void
    {
        $fresh = $this->fresh;
        $fresh->seconds();
        $fresh->seconds();
        $fresh->seconds();
        $fresh->seconds();
        $fresh->seconds();
        $fresh->seconds();
        $fresh->seconds();
        $fresh->seconds();
        $fresh->seconds();
        $fresh->seconds();
    }

    public function benchTick(): void
    {
        $clock = $this->clock;
        $clock->seconds();
        $clock->seconds();
        $clock->seconds();
        $clock->seconds();
        $clock->seconds();
        $clock->seconds();
        $clock->seconds();
        $clock->seconds();
        $clock->seconds();
        $clock->seconds();
    }
}
