<?php

use Tare\Clock\TickClock;
use Tare\Clock\WallClock;

require_once __DIR__ . '/../autoload.php';

/** The date as a float, without a call where it is kept: microtime(true), and a property. Ten reads a call. */
final class SecondsBench
{
    private $clock;

    public function __construct()
    {
        $this->clock = new TickClock(new WallClock());
        $this->clock->tick();
        $this->clock->now();
    }

    #[Tare\Base]
    public function benchFresh(): void
    {
        microtime(true);
        microtime(true);
        microtime(true);
        microtime(true);
        microtime(true);
        microtime(true);
        microtime(true);
        microtime(true);
        microtime(true);
        microtime(true);
    }

    public function benchTick(): void
    {
        $clock = $this->clock;
        $clock->seconds;
        $clock->seconds;
        $clock->seconds;
        $clock->seconds;
        $clock->seconds;
        $clock->seconds;
        $clock->seconds;
        $clock->seconds;
        $clock->seconds;
        $clock->seconds;
    }

    /** Ten ticks with one read each. */
    public function benchTurn(): void
    {
        $clock = $this->clock;
        $clock->tick();
        $clock->seconds;
        $clock->tick();
        $clock->seconds;
        $clock->tick();
        $clock->seconds;
        $clock->tick();
        $clock->seconds;
        $clock->tick();
        $clock->seconds;
        $clock->tick();
        $clock->seconds;
        $clock->tick();
        $clock->seconds;
        $clock->tick();
        $clock->seconds;
        $clock->tick();
        $clock->seconds;
        $clock->tick();
        $clock->seconds;
    }

    /** The same where the read is what reads the source. */
    public function benchLazyTurn(): void
    {
        $clock = $this->clock;
        $clock->tickLazily();
        $clock->seconds;
        $clock->tickLazily();
        $clock->seconds;
        $clock->tickLazily();
        $clock->seconds;
        $clock->tickLazily();
        $clock->seconds;
        $clock->tickLazily();
        $clock->seconds;
        $clock->tickLazily();
        $clock->seconds;
        $clock->tickLazily();
        $clock->seconds;
        $clock->tickLazily();
        $clock->seconds;
        $clock->tickLazily();
        $clock->seconds;
        $clock->tickLazily();
        $clock->seconds;
    }
}
