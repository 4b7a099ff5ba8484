<?php

declare(strict_types=1);

namespace Tare\Clock;

/**
 * Dates from nanoseconds since 1970.
 *
 * @internal
 */
final class Date
{
    /** The date in the default time zone, cut to the microsecond. */
    public static function at(int $nanoseconds): \DateTimeImmutable
    {
        $microseconds = \intdiv($nanoseconds, 1000) - ($nanoseconds % 1000 < 0 ? 1 : 0);
        $fraction = $microseconds % 1000000;
        if ($fraction < 0) {
            $fraction += 1000000;
        }
        $date = \DateTimeImmutable::createFromFormat('U.u', \sprintf('%d.%06d', \intdiv($microseconds - $fraction, 1000000), $fraction));

        // "U" makes a date of UTC whatever the default is.
        return $date->setTimezone(self::zone());
    }

    private static function zone(): \DateTimeZone
    {
        static $zone = null;
        $name = \date_default_timezone_get();
        if ($zone === null || $zone->getName() !== $name) {
            $zone = new \DateTimeZone($name);
        }

        return $zone;
    }
}
