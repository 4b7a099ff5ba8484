<?php

declare(strict_types=1);

use PhpBench\Attributes as Bench;

/**
 * The ladder of sleeps: what is asked for, and what the kernel makes of it. From some hundred microseconds on the time
 * should follow the request; below it the timer's slack and the way into the kernel are what is measured.
 */
final class SleepBench
{
    private const MICROSECONDS = [0, 50, 100, 500, 1000, 5000, 10000, 20000, 50000, 100000];

    /** @return iterable<string, array{microseconds: int}> */
    public function provideSleeps(): iterable
    {
        foreach (self::MICROSECONDS as $microseconds) {
            yield "$microseconds µs" => ['microseconds' => $microseconds];
        }
    }

    /** @param array{microseconds: int} $params */
    #[Bench\ParamProviders('provideSleeps')]
    #[Bench\OutputTimeUnit('microseconds')]
    public function benchSleep(array $params): void
    {
        usleep($params['microseconds']);
    }
}
