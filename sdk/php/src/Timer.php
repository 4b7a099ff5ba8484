<?php

declare(strict_types=1);

namespace Tare;

/**
 * Given to a subject that asks for it by type: leaves stretches of it out of the time.
 *
 *     public function benchSort(\Tare\Timer $timer): void
 *     {
 *         $timer->pause();
 *         $values = $this->shuffled();
 *         $timer->resume();
 *         \sort($values);
 *     }
 *
 * A pair costs time of its own, which is calibrated and taken off. Paused stretches are always read from hrtime, whatever
 * the clock of the sample: it is monotonic.
 */
final class Timer
{
    /** @var int when the pause began; 0 while running */
    private $since = 0;

    /** @var int nanoseconds paused in this sample */
    private $paused = 0;

    /** @var int */
    private $pairs = 0;

    /**
     * Stops the time.
     *
     * @throws \LogicException when it is stopped already
     */
    public function pause(): void
    {
        if ($this->since !== 0) {
            throw new \LogicException('pause() on a timer that is paused already; call resume() first');
        }
        $this->since = \hrtime(true);
    }

    /**
     * Lets the time go on.
     *
     * @throws \LogicException when it isn't stopped
     */
    public function resume(): void
    {
        $now = \hrtime(true);
        if ($this->since === 0) {
            throw new \LogicException('resume() on a timer that is not paused; call pause() first');
        }
        $this->paused += $now - $this->since;
        $this->since = 0;
        ++$this->pairs;
    }

    /** @internal before a sample */
    public function begin(): void
    {
        $this->since = 0;
        $this->paused = 0;
        $this->pairs = 0;
    }

    /**
     * @internal after a sample: nanoseconds paused in it
     *
     * @throws \LogicException when it ended in a pause
     */
    public function end(): int
    {
        if ($this->since !== 0) {
            throw new \LogicException('the sample ended while the timer was paused; every pause() needs its resume()');
        }

        return $this->paused;
    }

    /** @internal pause/resume pairs in the sample */
    public function pairs(): int
    {
        return $this->pairs;
    }
}
