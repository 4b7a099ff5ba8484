<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Prints values for display. Never runs the user's code: no __toString, no jsonSerialize, no iteration over objects.
 */
final class ValuePrinter
{
    private const LONGEST = 60;

    private const DEPTH = 3;

    private const ITEMS = 8;

    /**
     * @param mixed $value
     */
    public static function print($value, int $depth = 0): string
    {
        if (\is_string($value)) {
            return self::text($value);
        }
        if (\is_array($value)) {
            return self::items($value, $depth);
        }
        if (\is_float($value)) {
            return \is_finite($value) ? (string) \json_encode($value, \JSON_PRESERVE_ZERO_FRACTION) : \strtolower((string) $value);
        }
        if ($value instanceof \Closure) {
            return 'Closure';
        }
        if (\is_object($value)) {
            return Fault::className($value) . ($value instanceof \UnitEnum ? '::' . $value->name : '');
        }
        if (\is_resource($value)) {
            return 'resource (' . \get_resource_type($value) . ')';
        }

        return $value === null || \is_scalar($value) ? (string) \json_encode($value) : \gettype($value);
    }

    /** A string in quotes, control characters escaped, at most 60 characters of it. */
    public static function text(string $text): string
    {
        return '"' . \substr(self::encoded(self::clean($text, self::LONGEST)), 1, -1) . '"';
    }

    /** Valid UTF-8 of at most $longest characters, with an ellipsis where it was cut. */
    public static function clean(string $text, int $longest): string
    {
        // A character has 4 bytes at most, so the cut may spoil only characters that are dropped anyhow.
        $clean = (string) \json_decode(self::encoded(\substr($text, 0, 4 * $longest + 8)));
        if (\preg_match('/^.{0,' . $longest . '}/us', $clean, $found) === 1 && $found[0] !== $clean) {
            return $found[0] . '…';
        }

        return $clean;
    }

    /**
     * A name by which a case is known: what isn't UTF-8 as `\xff`, and behind a cut the hash of the whole (FNV-1a of 64 bits, as in every worker). Two
     * names stay two.
     */
    public static function identifier(string $name, int $longest): string
    {
        $text = $name;
        if (\preg_match('//u', $name) !== 1) {
            // Whatever stands between well-formed characters is a byte of none. "(*SKIP)(*F)" passes over those.
            $wellFormed = '[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]'
                . '|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}';
            $text = (string) \preg_replace_callback("/(?:$wellFormed)(*SKIP)(*F)|[\\x80-\\xff]/", static function (array $byte): string {
                return '\x' . \bin2hex($byte[0]);
            }, $name);
        }
        if (\preg_match('/^.{0,' . $longest . '}/us', $text, $found) === 1 && $found[0] !== $text) {
            return $found[0] . '…' . \hash('fnv1a64', $name);
        }

        return $text;
    }

    /**
     * A hash of what arrays hold, however deep down to the tenth level. Of objects their classes count: their own code isn't run.
     *
     * @param mixed $value
     */
    public static function digest($value, int $depth = 0): string
    {
        if (!\is_array($value) || $depth > 9) {
            return \is_scalar($value) ? \gettype($value) . \hash('fnv1a64', \var_export($value, true)) : self::print($value, $depth);
        }
        $parts = '';
        foreach ($value as $key => $item) {
            $parts .= \hash('fnv1a64', (string) $key) . self::digest($item, $depth + 1) . ';';
        }

        return \hash('fnv1a64', $parts);
    }

    /**
     * The values of an array and their names, as `n=100 algorithm=md5`; empty where one isn't a plain value.
     *
     * @param array<array-key, mixed> $values
     */
    public static function plain(array $values): string
    {
        $texts = [];
        foreach ($values as $name => $value) {
            if ($value !== null && !\is_scalar($value)) {
                return '';
            }
            // In quotes where it would look like another value.
            $isPlain = \is_string($value) && !\is_numeric($value) && !\in_array($value, ['', 'true', 'false', 'null'], true);
            $texts[] = (\is_int($name) ? '' : $name . '=') . ($isPlain ? $value : self::print($value));
        }

        return \implode(' ', $texts);
    }

    private static function encoded(string $text): string
    {
        return (string) \json_encode(
            $text,
            \JSON_INVALID_UTF8_SUBSTITUTE | \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE
        );
    }

    /**
     * @param array<array-key, mixed> $items
     */
    private static function items(array $items, int $depth): string
    {
        $isList = \array_keys($items) === \range(0, \count($items) - 1) || $items === [];
        $position = 0;
        $texts = [];
        foreach ($items as $key => $item) {
            if ($position++ >= self::ITEMS || $depth >= self::DEPTH) {
                $texts[] = '…';
                break;
            }
            $texts[] = ($isList ? '' : (\is_int($key) ? $key : self::text($key)) . ': ') . self::print($item, $depth + 1);
        }
        $text = ($isList ? '[' : '{') . \implode(', ', $texts) . ($isList ? ']' : '}');

        return $depth === 0 ? self::clean($text, self::LONGEST) : $text;
    }
}
