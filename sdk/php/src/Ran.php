<?php

declare(strict_types=1);

namespace Tare\Worker;

/** What ran, by numbers: `Marks` writes a statement that sets one to the beginning of each function. */
final class Ran
{
    /** @var array<int, int> */
    public static $u = [];
}
