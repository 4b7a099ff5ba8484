<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Calls of the worker's own that may warn. `@` isn't enough: the user's error handler is called for it all the same, and
 * may throw.
 */
final class Quiet
{
    /**
     * @return mixed what $work returns
     */
    public static function call(callable $work)
    {
        \set_error_handler(static function (): bool {
            return true;
        });
        try {
            return $work();
        } finally {
            \restore_error_handler();
        }
    }
}
