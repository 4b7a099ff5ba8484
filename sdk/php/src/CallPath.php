<?php

declare(strict_types=1);

namespace Tare\Worker;

/** A generated loop around one subject. The times are nanoseconds; only the calls lie between the clock reads. */
interface CallPath
{
    /** The time of $calls calls in a loop. */
    public function loop(int $calls): int;

    /** The time of one call without a loop. */
    public function bare(): int;
}
