<?php

declare(strict_types=1);

namespace Tare\Worker;

/** The most memory in use by PHP's own account, from a moment on. Before 8.2 PHP counts from the start of the process alone. */
final class PeakMemory
{
    /** @var bool */
    private $hasBegun = false;

    /** Counts from now on, where this PHP can. */
    public function begin(): void
    {
        if (\function_exists('memory_reset_peak_usage')) {
            \memory_reset_peak_usage();
            $this->hasBegun = true;
        }
    }

    /** Bytes; null where it isn't known from which moment on: loading a source may have taken more. */
    public function bytes(): ?int
    {
        return $this->hasBegun ? \memory_get_peak_usage() : null;
    }
}
