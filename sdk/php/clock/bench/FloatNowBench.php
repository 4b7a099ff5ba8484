<?php

use Tare\Clock\FloatNow;
use Tare\Clock\TickClock;
use Tare\Clock\WallClock;

require_once __DIR__ . '/../autoload.php';

/** The date as a float by now(). Ten reads a call. */
final class FloatNowBench
{
    private $fresh;
    private $held;
    private $clock;

    public function __construct()
    {
        $this->fresh = new FloatNow(new WallClock());
        $this->clock = new TickClock(new WallClock());
        $this->held = new FloatNow($this->clock);
        $this->clock->tick();
        $this->clock->now();
    }

    #[Tare\Base]
    public function benchFresh(): void
    {
        $fresh = $this->fresh;
        $fresh->now();
        $fresh->now();
        $fresh->now();
        $fresh->now();
        $fresh->now();
        $fresh->now();
        $fresh->now();
        $fresh->now();
        $fresh->now();
        $fresh->now();
    }

    public function benchTick(): void
    {
        $held = $this->held;
        $held->now();
        $held->now();
        $held->now();
        $held->now();
        $held->now();
        $held->now();
        $held->now();
        $held->now();
        $held->now();
        $held->now();
    }
}
