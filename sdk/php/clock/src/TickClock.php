<?php

declare(strict_types=1);

namespace Tare\Clock;

/**
 * Reads its source once in each turn of an event loop.
 *
 *     $clock = new TickClock(new WallClock());
 *     while (…) {
 *         $clock->end();                    // what was read doesn't outlive a wait
 *         stream_select(…);
 *         $clock->tick();                   // a turn begins
 *         …                                 // $clock->now(), $clock->seconds, … as often as you like
 *     }
 *     $clock->end();                        // the loop is left
 *
 * SelectTicks does this for stream_select, ReactTicks for a ReactPHP loop.
 *
 * The contract, in docs/tick-clock.md at length:
 *  - within a tick every read gives the same instant: now(), seconds and nanoseconds are one reading;
 *  - it is taken by tick(), or after tickLazily() at the first read, so it is never older than the tick;
 *  - outside a tick every read is a fresh one;
 *  - where reading the source throws, nothing is kept;
 *  - it belongs to one loop.
 *
 * The properties are for reading: a property costs a fraction of a call. Nothing stops you from writing to them until the next tick.
 *
 * @property-read int   $nanoseconds as nanoseconds()
 * @property-read float $seconds     as seconds()
 */
final class TickClock implements Clock
{
    /*
     * Both are unset while nothing is kept: PHP then calls __get, and a read of a kept value is a plain property read, with no
     * question asked.
     */

    /** @var int|null @readonly */
    public $nanoseconds;

    /** @var float|null @readonly */
    public $seconds;

    /** @var \DateTimeImmutable|null */
    private $date;

    /** @var Clock */
    private $source;

    /** @var bool */
    private $inside = false;

    /** @var callable|null */
    private $keeping;

    /**
     * @param Clock|null               $source  the clock that is read; the system's date where none is given
     * @param (callable(): mixed)|null $keeping called before the reading of a tickLazily() is kept: for what drives the clock by a loop that
     *                                          has to be asked for the end of the turn. Where it throws, nothing is kept
     */
    public function __construct(?Clock $source = null, ?callable $keeping = null)
    {
        $this->source = $source ?? new WallClock();
        $this->keeping = $keeping;
        unset($this->nanoseconds, $this->seconds);
    }

    /** A turn begins: the source is read, and what it gives is kept until the next tick() or end(). */
    public function tick(): void
    {
        try {
            $nanoseconds = $this->source->nanoseconds();
        } catch (\Throwable $failure) {
            $this->end();
            throw $failure;
        }
        $this->nanoseconds = $nanoseconds;
        $this->seconds = $nanoseconds / 1e9;
        $this->date = null;
        $this->inside = true;
    }

    /**
     * As tick(), but the source is read when the first read comes. A turn in which nobody reads is cheaper so, one in which somebody does
     * is slower.
     */
    public function tickLazily(): void
    {
        unset($this->nanoseconds, $this->seconds);
        $this->date = null;
        $this->inside = true;
    }

    /** The turn is over, and no other has begun: every read is a fresh one until the next tick(). */
    public function end(): void
    {
        unset($this->nanoseconds, $this->seconds);
        $this->date = null;
        $this->inside = false;
    }

    /** A turn: tick(), the callback, end(), also when it throws. Gives what the callback gives. */
    public function during(callable $turn)
    {
        $this->tick();
        try {
            return $turn();
        } finally {
            $this->end();
        }
    }

    public function now(): \DateTimeImmutable
    {
        return $this->date ?? $this->keptDate();
    }

    public function seconds(): float
    {
        return $this->seconds;
    }

    public function nanoseconds(): int
    {
        return $this->nanoseconds;
    }

    public function date(int $nanoseconds): \DateTimeImmutable
    {
        return $this->source->date($nanoseconds);
    }

    /**
     * @internal where nothing is kept
     *
     * @return int|float
     */
    public function __get(string $name)
    {
        if ($name === 'nanoseconds') {
            return $this->read();
        }
        if ($name === 'seconds') {
            $nanoseconds = $this->read();

            return $this->inside ? $this->seconds : $nanoseconds / 1e9;
        }
        throw new \LogicException("a TickClock has no property $name; it has nanoseconds and seconds");
    }

    /** @internal isset() holds for what can be read */
    public function __isset(string $name): bool
    {
        return $name === 'nanoseconds' || $name === 'seconds';
    }

    private function read(): int
    {
        $nanoseconds = $this->source->nanoseconds();
        if ($this->inside) {
            if ($this->keeping !== null) {
                ($this->keeping)();
            }
            $this->nanoseconds = $nanoseconds;
            $this->seconds = $nanoseconds / 1e9;
        }

        return $nanoseconds;
    }

    private function keptDate(): \DateTimeImmutable
    {
        $date = $this->source->date($this->nanoseconds);
        if ($this->inside) {
            $this->date = $date;
        }

        return $date;
    }
}
