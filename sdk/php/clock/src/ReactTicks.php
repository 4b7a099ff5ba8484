<?php

declare(strict_types=1);

namespace Tare\Clock;

/**
 * Drives a TickClock by a ReactPHP loop, or by any object with its futureTick(callable) and run().
 *
 *     $ticks = new ReactTicks(Loop::get(), new WallClock());
 *     $clock = $ticks->clock();
 *     …
 *     $ticks->run();
 *
 * Such a loop tells nobody when a turn begins. But what it was given by futureTick it calls before its next wait; so each reading that
 * is kept is accompanied by a futureTick that forgets it. A turn in which nobody reads costs nothing, and an idle loop stays
 * asleep.
 *
 * Before the loop runs, reads are fresh: the first futureTick shows that it does. That it has stopped nobody tells either, so run() here is
 * the loop's own with an end() behind it. Who runs the loop otherwise calls end() when it has stopped; without it, reads after the
 * loop may give the instant of its last turn.
 */
final class ReactTicks
{
    /** @var object */
    private $loop;

    /** @var TickClock */
    private $clock;

    /** @var bool whether the loop holds a futureTick of ours */
    private $awaited = false;

    /**
     * @param object     $loop   a React\EventLoop\LoopInterface
     * @param Clock|null $source the clock that is read; the system's date where none is given
     *
     * @throws \InvalidArgumentException for a loop without futureTick
     */
    public function __construct(object $loop, ?Clock $source = null)
    {
        if (!\is_callable([$loop, 'futureTick'])) {
            throw new \InvalidArgumentException(
                \get_class($loop) . ' has no futureTick(); a ReactPHP loop has, for others call tick() and end() of a TickClock'
            );
        }
        $this->loop = $loop;
        $this->clock = new TickClock($source, function (): void {
            $this->await();
        });
        $this->await();
    }

    /** The clock to read. */
    public function clock(): TickClock
    {
        return $this->clock;
    }

    /** Runs the loop; afterwards, also when something is thrown out of it, reads are fresh. */
    public function run(): void
    {
        try {
            $this->loop->run();
        } finally {
            $this->end();
        }
    }

    /** The loop has stopped: reads are fresh until it runs again. */
    public function end(): void
    {
        $this->clock->end();
        $this->await();
    }

    private function await(): void
    {
        if ($this->awaited) {
            return;
        }
        $this->loop->futureTick(function (): void {
            $this->awaited = false;
            $this->clock->tickLazily();
        });
        $this->awaited = true;
    }
}
