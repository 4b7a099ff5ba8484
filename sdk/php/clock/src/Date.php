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
    /** @var int|null the second that $date is of */
    private static $second;

    /** @var \DateTimeImmutable the last second that was asked for: adding to it costs half of what making a date does */
    private static $date;

    /** @var \DateInterval|null */
    private static $fraction;

    /** The date in the default time zone, cut to the microsecond. */
    public static function at(int $nanoseconds): \DateTimeImmutable
    {
        $rest = $nanoseconds % 1000000000;
        if ($rest < 0) {
            $rest += 1000000000;
        }
        $second = \intdiv($nanoseconds - $rest, 1000000000);
        $zone = \date_default_timezone_get();
        if ($second !== self::$second || self::$date->getTimezone()->getName() !== $zone) {
            self::$fraction = self::$fraction ?? new \DateInterval('PT0S');
            // "@" makes a date of UTC whatever the default is.
            self::$date = (new \DateTimeImmutable('@' . $second))->setTimezone(new \DateTimeZone($zone));
            self::$second = $second;
        }
        // The interval is cut to microseconds; half of one more, so that rounding can't take a whole one away.
        self::$fraction->f = (\intdiv($rest, 1000) + 0.5) / 1e6;

        return self::$date->add(self::$fraction);
    }
}
