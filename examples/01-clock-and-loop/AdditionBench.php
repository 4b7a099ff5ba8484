<?php

declare(strict_types=1);

use PhpBench\Attributes as Bench;

/**
 * Twice the work takes twice the time: a line through the origin, or the scale isn't right.
 */
final class AdditionBench
{
    /** @return iterable<string, array{additions: int}> */
    public function provideAdditions(): iterable
    {
        foreach ([200, 400, 800, 1600] as $additions) {
            yield (string) $additions => ['additions' => $additions];
        }
    }

    /** @param array{additions: int} $params */
    #[Bench\ParamProviders('provideAdditions')]
    public function benchAdd(array $params): void
    {
        $sum = 0;
        for ($i = 0, $n = $params['additions']; $i < $n; ++$i) {
            $sum += $i;
        }
    }
}
