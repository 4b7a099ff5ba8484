<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * The reference subjects: fixed work of 1 to 5 µs whose time shows how fast machine and runtime are at the moment. Stored
 * runs are compared by them, so their bodies must never change; a new kernel gets a new name.
 */
final class Kernels
{
    public const NAMES = ['arithmetic', 'allocation', 'text', 'arrays'];

    /** @var string */
    private $words = 'the quick brown fox jumps over the lazy dog';

    /** @var mixed keeps the optimiser from dropping the work */
    private $result;

    /** Integer and floating-point operations on local variables. */
    public function arithmetic(): void
    {
        $integer = 12345;
        $float = 1.0;
        for ($i = 1; $i < 64; ++$i) {
            $integer = (($integer * 1103515245) + 12345) & 0x7fffffff;
            $float = $float * 1.0000001 + 1.0 / $i;
        }
        $this->result = $float + $integer;
    }

    /** Objects and arrays made and dropped. */
    public function allocation(): void
    {
        $kept = null;
        for ($i = 0; $i < 10; ++$i) {
            $object = new \stdClass();
            $object->index = $i;
            $object->before = $kept;
            $kept = [$object, $i];
        }
        $this->result = $kept;
    }

    /** Strings joined, cut, searched and changed. */
    public function text(): void
    {
        $words = $this->words;
        $joined = '';
        $found = 0;
        for ($i = 0; $i < 16; ++$i) {
            $joined .= \substr($words, $i, 5) . ' ';
            $found = \strpos($joined, 'zz');
        }
        $this->result = $found . \strtoupper(\str_replace('o', '00', $joined));
    }

    /** An array filled, sorted and summed. */
    public function arrays(): void
    {
        $values = [];
        $value = 17;
        for ($i = 0; $i < 32; ++$i) {
            $value = ($value * 31 + 7) % 101;
            $values[] = $value;
        }
        \sort($values);
        $this->result = \array_sum($values);
    }
}
