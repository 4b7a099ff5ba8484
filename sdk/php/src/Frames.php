<?php

declare(strict_types=1);

namespace Tare\Worker;

/** Codec of the protocol's frames (PROTOCOL §1), in both directions. Knows no stream. */
final class Frames
{
    /** Version of the protocol. */
    public const WIRE = 1;

    /** Largest frame in bytes, without its line feed. */
    public const MAX_BYTES = 16777216;

    /** Largest integer on the wire: 2^53 - 1. */
    public const MAX_INTEGER = 9007199254740991;

    private const DEPTH = 4096;

    /**
     * Reads one line without its line feed.
     *
     * @throws Fault of kind `bad-frame`, with the request's number where it is usable
     */
    public static function decode(string $line): Request
    {
        $values = \json_decode($line, true, self::DEPTH);
        if (\json_last_error() !== \JSON_ERROR_NONE) {
            throw new Fault('bad-frame', 'The line is not JSON in UTF-8: ' . \json_last_error_msg() . '.');
        }
        if ($line[\strspn($line, " \t\r\n")] !== '{') {
            throw new Fault('bad-frame', 'The line is no JSON object.');
        }
        [$openings, $twice] = self::topLevelKeys($line);
        $id = $values['id'] ?? null;
        $usable = \is_int($id) && $id >= 0 && $id <= self::MAX_INTEGER && $openings['id'] !== '-' && $twice !== 'id';
        try {
            if ($twice !== null) {
                throw new Fault('bad-frame', 'The key ' . ValuePrinter::text($twice) . ' stands more than once.');
            }
            if (!$usable) {
                throw new Fault('bad-frame', 'The request has no `id` that is an integer from 0 to 2^53-1.');
            }
            if (!\is_string($values['frame'] ?? null)) {
                throw new Fault('bad-frame', 'The request has no string `frame`.');
            }
        } catch (Fault $fault) {
            $fault->request = $usable ? $id : null;
            throw $fault;
        }

        return new Request($values['frame'], $id, $values, $openings);
    }

    /**
     * One line without its line feed. Keys whose value is null are left out; text that isn't UTF-8 is made so.
     *
     * @param array<string, mixed> $frame
     */
    public static function encode(array $frame): string
    {
        $frame = \array_filter($frame, static function ($value): bool {
            return $value !== null;
        });

        return (string) \json_encode(
            $frame,
            \JSON_INVALID_UTF8_SUBSTITUTE | \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE
        );
    }

    /**
     * json_decode keeps the last of two equal keys and makes arrays of objects, silently; so the line, known to be JSON by
     * now, is read a second time, from one quote or bracket to the next.
     *
     * @return array{array<array-key, string>, string|null} the first character of each value by key, and a key that stands twice
     */
    private static function topLevelKeys(string $line): array
    {
        $openings = [];
        $twice = null;
        $depth = 0;
        $length = \strlen($line);
        for ($at = \strcspn($line, '"{}[]'); $at < $length; $at += \strcspn($line, '"{}[]', $at)) {
            $character = $line[$at];
            if ($character !== '"') {
                $depth += $character === '{' || $character === '[' ? 1 : -1;
                ++$at;
                continue;
            }
            $end = $at + 1;
            while ($line[$end += \strcspn($line, '"\\', $end)] === '\\') {
                $end += 2;
            }
            $next = $end + 1 + \strspn($line, " \t\r\n", $end + 1);
            if ($depth === 1 && ($line[$next] ?? '') === ':') {
                $key = (string) \json_decode(\substr($line, $at, $end + 1 - $at));
                if (isset($openings[$key])) {
                    $twice = $twice ?? $key;
                }
                $next += 1 + \strspn($line, " \t\r\n", $next + 1);
                $openings[$key] = $line[$next];
                $end = $next - 1;
            }
            $at = $end + 1;
        }

        return [$openings, $twice];
    }
}
