<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Draws anew in each launch where in the heap the user's code and data come to lie (PROTOCOL 1.9; Curtsinger and Berger, "STABILIZER",
 * ASPLOS 2013, section 3.2): blocks of random sizes fill the heap, and a random half of them is freed, in random order, before the
 * user's sources are loaded. What is compiled then takes the holes.
 *
 * The blocks are strings, because the length of a string says exactly which of the allocator's sizes it takes, and because the cycle
 * collector doesn't walk through them.
 */
final class Heap
{
    /** The sizes of PHP's allocator from the smallest that a string takes; larger requests are rounded up to whole pages. Each as likely. */
    private const SIZES = [
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512,
        640, 768, 896, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 4096,
    ];

    /** A string's header and the byte that ends it. */
    private const STRING_BYTES = 25;

    /** Blocks: at least so many, and fewer than that and the other together. */
    private const LEAST = 256;
    private const MORE = 512;

    /** @var list<string> what stays until the end of the process */
    private static $kept = [];

    /** @var int state of the generator (Marsaglia's xorshift of 64 bits); the user's own generators are left alone */
    private $state;

    private function __construct(string $seed)
    {
        /** @var array{1: int} $halves */
        $halves = \unpack('P', \md5('tare ' . $seed, true));
        $this->state = $halves[1] === 0 ? 1 : $halves[1];
    }

    /** What the launch's environment asks for; null for nothing. */
    public static function ofLaunch(): ?self
    {
        $seed = \getenv('TARE_SEED');
        $isSeed = \is_string($seed) && $seed !== '' && \strspn($seed, '0123456789') === \strlen($seed);

        return $isSeed && \getenv('TARE_SHAKE') !== 'off' ? new self($seed) : null;
    }

    public function shake(): void
    {
        $blocks = [];
        $sizes = \count(self::SIZES);
        for ($left = self::LEAST + $this->below(self::MORE); $left > 0; --$left) {
            $draw = $this->next();
            $size = self::SIZES[($draw & 0xffff) * $sizes >> 16];
            // What isn't kept goes at the end of this method, in the order of the keys.
            $blocks[$draw >> 16 & 0xffffffff] = \str_repeat("\0", $size - self::STRING_BYTES);
        }
        \ksort($blocks);
        $kept = [];
        foreach ($blocks as $block) {
            if (($this->next() & 1) === 0) {
                $kept[] = $block;
            }
        }
        self::$kept = $kept;
    }

    /** A number from 0 to less than $end, at most 65,536. */
    public function below(int $end): int
    {
        return ($this->next() >> 8 & 0xffff) * $end >> 16;
    }

    private function next(): int
    {
        $x = $this->state;
        $x ^= $x << 13;
        $x ^= $x >> 7 & 0x01ffffffffffffff;
        $x ^= $x << 17;

        return $this->state = $x;
    }
}
