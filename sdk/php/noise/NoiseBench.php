<?php

declare(strict_types=1);

/**
 * What `tare doctor --noise` measures: the same code on both sides, so that every difference is the machine's.
 */
final class NoiseBench
{
    /** @var mixed keeps the optimiser from dropping the work */
    private $result;

    /** Integer operations in a loop: the processor alone. */
    public function benchArithmetic(): void
    {
        $value = 17;
        for ($i = 0; $i < 400; ++$i) {
            $value = ($value * 31 + $i) % 10007;
        }
        $this->result = $value;
    }

    /** Objects and arrays made and dropped: memory. */
    public function benchAllocation(): void
    {
        $kept = null;
        for ($i = 0; $i < 60; ++$i) {
            $object = new \stdClass();
            $object->index = $i;
            $object->before = $kept;
            $kept = [$object, $i];
        }
        $this->result = $kept;
    }

    /** Strings joined, cut and searched: library code. */
    public function benchText(): void
    {
        $joined = '';
        for ($i = 0; $i < 60; ++$i) {
            $joined .= \substr('the quick brown fox jumps over the lazy dog', $i % 30, 9) . ' ';
        }
        $this->result = \strtoupper(\str_replace('o', '00', $joined)) . \md5($joined);
    }
}
