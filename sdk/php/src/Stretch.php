<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * What the process has spent from just before the first timed sample of a turn to just after the last, or on each where hooks run between them (begin and
 * end, several times, are added up): wall time, CPU time of all its threads, and how often it gave the CPU up by itself. The kernel tells CPU time in microseconds here; PHP has no finer clock of it.
 */
class Stretch
{
    /** @var bool whether this system counts what is asked */
    private $counts;

    /** @var int nanoseconds */
    private $wall = 0;

    /** @var int nanoseconds */
    private $cpu = 0;

    /** @var int */
    private $yields = 0;

    public function __construct()
    {
        // Asked once here: the first call of a function is slower than others.
        $usage = \function_exists('getrusage') ? \getrusage() : false;
        $this->counts = isset($usage['ru_utime.tv_sec'], $usage['ru_utime.tv_usec'], $usage['ru_stime.tv_sec'], $usage['ru_stime.tv_usec'], $usage['ru_nvcsw']);
    }

    public function begin(): void
    {
        if ($this->counts) {
            $usage = \getrusage();
            $this->cpu -= self::cpu($usage);
            $this->yields -= $usage['ru_nvcsw'];
            unset($usage);
        }
        $this->wall -= \hrtime(true);
    }

    public function end(): void
    {
        $this->wall += \hrtime(true);
        if ($this->counts) {
            $usage = \getrusage();
            $this->cpu += self::cpu($usage);
            $this->yields += $usage['ru_nvcsw'];
        }
    }

    /**
     * @return array<string, int> the keys of the reply; none where this system doesn't count
     */
    public function keys(): array
    {
        return $this->counts ? ['wall' => $this->wall, 'cpu' => $this->cpu, 'yields' => $this->yields] : [];
    }

    /**
     * @param array<string, int> $usage
     */
    private static function cpu(array $usage): int
    {
        return 1000 * (
            1000000 * ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']
        );
    }
}
