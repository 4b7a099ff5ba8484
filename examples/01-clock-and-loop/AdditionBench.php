<?php

declare(strict_types=1);

/**
 * Twice the work takes twice the time: a line through the origin, or the scale isn't right. The loops are written out, so
 * that nothing but their length differs.
 */
final class AdditionBench
{
    public function benchAdd200(): void
    {
        $sum = 0;
        for ($i = 0; $i < 200; ++$i) {
            $sum += $i;
        }
    }

    public function benchAdd400(): void
    {
        $sum = 0;
        for ($i = 0; $i < 400; ++$i) {
            $sum += $i;
        }
    }

    public function benchAdd800(): void
    {
        $sum = 0;
        for ($i = 0; $i < 800; ++$i) {
            $sum += $i;
        }
    }

    public function benchAdd1600(): void
    {
        $sum = 0;
        for ($i = 0; $i < 1600; ++$i) {
            $sum += $i;
        }
    }
}
