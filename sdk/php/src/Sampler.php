<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Takes the samples of one turn. Between the first clock read and the last it does no I/O and allocates nothing: the buffers
 * are filled in place. What the process spends on the timed ones is read once before and once after them.
 */
final class Sampler
{
    /** @var list<int> nanoseconds of each sample */
    public $elapsed = [];

    /** @var list<int> pause/resume pairs of each sample; empty for a path without a timer */
    public $pauses = [];

    /** @var Stretch */
    private $stretch;

    /** @var Collector */
    private $collector;

    public function __construct(Stretch $stretch)
    {
        $this->stretch = $stretch;
        $this->collector = new Collector();
    }

    /**
     * What `samples` has of the turn as a whole.
     *
     * @return array<string, int>
     */
    public function keys(): array
    {
        return $this->stretch->keys() + $this->collector->keys();
    }

    /**
     * @param list<int>        $iterations calls of each sample; 0 is a bare call
     * @param int              $warm       untimed samples first
     * @param \Tare\Timer|null $timer      where pairs are to be counted
     * @param Prepared|null    $hooks      what the author wants done around each sample
     */
    public function run(CallPath $path, array $iterations, int $warm, ?\Tare\Timer $timer, ?Prepared $hooks): void
    {
        $count = \count($iterations);
        $elapsed = \array_fill(0, $count, 0);
        $pauses = $timer === null ? [] : \array_fill(0, $count, 0);
        $this->collector->begin();
        if ($timer === null && $hooks === null) {
            for ($i = 0; $i < $warm; ++$i) {
                $calls = $iterations[$i % $count];
                $elapsed[0] = $calls === 0 ? $path->bare() : $path->loop($calls);
            }
            $this->stretch->begin();
            for ($i = 0; $i < $count; ++$i) {
                $calls = $iterations[$i];
                $elapsed[$i] = $calls === 0 ? $path->bare() : $path->loop($calls);
            }
        } else {
            for ($i = -$warm; $i < $count; ++$i) {
                if ($i === 0 && $hooks === null) {
                    $this->stretch->begin();
                }
                $sample = $i < 0 ? ($i + $warm) % $count : $i;
                $calls = $iterations[$sample];
                if ($hooks !== null) {
                    $hooks->beforeSample($path);
                    if ($i >= 0) {
                        $this->stretch->begin();
                    }
                }
                $elapsed[$sample] = $calls === 0 ? $path->bare() : $path->loop($calls);
                if ($timer !== null) {
                    $pauses[$sample] = $timer->pairs();
                }
                if ($hooks !== null) {
                    if ($i >= 0) {
                        $this->stretch->end();
                    }
                    $hooks->afterSample();
                }
            }
        }
        if ($hooks === null) {
            $this->stretch->end();
        }
        $this->collector->end();
        $this->elapsed = $elapsed;
        $this->pauses = $pauses;
    }
}
