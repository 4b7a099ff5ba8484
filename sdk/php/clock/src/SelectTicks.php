<?php

declare(strict_types=1);

namespace Tare\Clock;

/**
 * Drives TickClocks by a loop around stream_select: a turn lasts from the end of one wait to the begin of the next.
 *
 *     $ticks = new SelectTicks($clock);
 *     try {
 *         while ($open) {
 *             $read = $open;
 *             $ticks->select($read, $write, $except, 1);
 *             …
 *         }
 *     } finally {
 *         $ticks->end();
 *     }
 *
 * end() also comes by itself when the last reference to the object goes, as a local variable's does when its function is left.
 */
final class SelectTicks
{
    /** @var list<TickClock> */
    private $clocks;

    public function __construct(TickClock ...$clocks)
    {
        $this->clocks = $clocks;
    }

    public function __destruct()
    {
        $this->end();
    }

    /**
     * stream_select, with the same arguments, result, warnings and errors. A new turn begins whenever it returns: streams are ready, the
     * time is up, or a signal came (false). When it throws, or the clock's source does, none has begun.
     *
     * @param array<resource>|null $read
     * @param array<resource>|null $write
     * @param array<resource>|null $except
     *
     * @return int|false
     */
    public function select(?array &$read, ?array &$write, ?array &$except, ?int $seconds, ?int $microseconds = null)
    {
        $this->end();
        // Before 8.1 the microseconds aren't nullable.
        $ready = $microseconds === null
            ? \stream_select($read, $write, $except, $seconds)
            : \stream_select($read, $write, $except, $seconds, $microseconds);
        $this->tick();

        return $ready;
    }

    /** A turn begins that no wait came before: the first of a loop, or one after sleep. */
    public function tick(): void
    {
        foreach ($this->clocks as $clock) {
            $clock->tick();
        }
    }

    /** The loop is left. */
    public function end(): void
    {
        foreach ($this->clocks as $clock) {
            $clock->end();
        }
    }
}
