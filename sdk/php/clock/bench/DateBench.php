<?php

use Tare\Clock\TickClock;
use Tare\Clock\WallClock;

require_once __DIR__ . '/../autoload.php';

/** PSR-20's now(): a DateTimeImmutable. Ten reads a call. */
final class DateBench
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
        $clock = $this->clock;
        $clock->now();
        $clock->now();
        $clock->now();
        $clock->now();
        $clock->now();
        $clock->now();
        $clock->now();
        $clock->now();
        $clock->now();
        $clock->now();
    }

    /** Ten ticks with one read each. */
    public function benchTurn(): void
    {
        $clock = $this->clock;
        $clock->tick();
        $clock->now();
        $clock->tick();
        $clock->now();
        $clock->tick();
        $clock->now();
        $clock->tick();
        $clock->now();
        $clock->tick();
        $clock->now();
        $clock->tick();
        $clock->now();
        $clock->tick();
        $clock->now();
        $clock->tick();
        $clock->now();
        $clock->tick();
        $clock->now();
        $clock->tick();
        $clock->now();
    }
}
