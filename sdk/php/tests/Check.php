<?php

/** Assertions; a failed one ends its test. */
final class Check
{
    public static function same($expected, $actual, string $what = ''): void
    {
        if ($expected !== $actual) {
            throw new UnexpectedValueException(
                trim("$what\n    expected " . var_export($expected, true) . "\n    got      " . var_export($actual, true))
            );
        }
    }

    public static function holds(bool $condition, string $what): void
    {
        if (!$condition) {
            throw new UnexpectedValueException($what);
        }
    }

    /** The keys that $expected has. */
    public static function has(array $expected, array $actual, string $what = ''): void
    {
        $found = array_intersect_key($actual, $expected);
        ksort($expected);
        ksort($found);
        self::same($expected, $found, $what . ' ' . json_encode($actual));
    }

    public static function matches(string $pattern, string $text): void
    {
        self::holds(preg_match($pattern, $text) === 1, "$pattern does not match " . var_export($text, true));
    }

    /** The frame of that kind whose keys hold $keys; exactly one. */
    public static function one(array $frames, array $keys): array
    {
        $found = array_values(array_filter($frames, static function (array $frame) use ($keys): bool {
            return array_intersect_key($frame, $keys) == $keys;
        }));
        self::same(1, count($found), 'frames like ' . json_encode($keys) . ' in ' . json_encode($frames));

        return $found[0];
    }

    /** Times are whole numbers from 0, as many as there were samples. */
    public static function times(int $count, array $samples): void
    {
        self::same('samples', $samples['frame'], json_encode($samples));
        self::same($count, count($samples['elapsed']));
        foreach ($samples['elapsed'] as $elapsed) {
            self::holds(is_int($elapsed) && $elapsed >= 0, 'no time: ' . json_encode($elapsed));
        }
    }
}
