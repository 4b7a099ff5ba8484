<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Marks in the text of a source: a statement at the beginning of each function. No line moves. What stands in a function that has a
 * name is part of it; what stands in none, of what the file does when it is included.
 */
final class Marks
{
    /** @var list<array{string, string, int}> file, name in lower case, and line of what each number stands for */
    private $units = [];

    /**
     * The text with its marks; null where it can't have any, since it doesn't parse, or reads itself from a place that would move.
     */
    public function in(string $source, string $file): ?string
    {
        try {
            $tokens = @\token_get_all($source, \TOKEN_PARSE);
        } catch (\Throwable $error) {
            return null;
        }
        $text = '';
        // Of each open brace the function that it stands in, or null.
        $open = [];
        $within = null;
        $waiting = null;
        $round = 0;
        $before = [0, ''];
        foreach ($tokens as $at => $token) {
            [$kind, $written] = \is_array($token) ? $token : [0, $token];
            $text .= $written;
            if ($kind === \T_HALT_COMPILER) {
                return null;
            }
            if ($kind === \T_WHITESPACE || $kind === \T_COMMENT || $kind === \T_DOC_COMMENT) {
                continue;
            }
            if ($kind === \T_FUNCTION && $before[0] !== \T_USE && $within === null) {
                $name = self::name($tokens, $at);
                $waiting = [$name === null ? false : [$name, $token[2]], $round];
            } elseif ($kind === \T_CLASS && $within === null && self::name($tokens, $at) === null && $before[0] !== \T_DOUBLE_COLON) {
                // Of a class without a name all belongs to the file.
                $waiting = [false, $round];
            } elseif ($written === '(') {
                ++$round;
            } elseif ($written === ')') {
                --$round;
            } elseif ($written === ';' && $waiting !== null && $waiting[1] === $round) {
                $waiting = null;
            } elseif ($kind === \T_CURLY_OPEN || $kind === \T_DOLLAR_OPEN_CURLY_BRACES) {
                $open[] = $within;
            } elseif ($written === '{' && $kind === 0) {
                $open[] = $within;
                if ($waiting !== null && $waiting[1] === $round) {
                    $unit = $waiting[0];
                    $waiting = null;
                    if (\is_array($unit)) {
                        $this->units[] = [$file, $unit[0], $unit[1]];
                        $text .= '\\Tare\\Worker\\Ran::$u[' . (\count($this->units) - 1) . ']=1;';
                    }
                    $within = $unit;
                }
            } elseif ($written === '}' && $kind === 0) {
                $within = \array_pop($open);
            }
            $before = [$kind, $written];
        }

        return $text;
    }

    /**
     * What the numbers stand for.
     *
     * @param iterable<int> $numbers
     *
     * @return list<array{file: string, name: string, line: int}>
     */
    public function named(iterable $numbers): array
    {
        $found = [];
        foreach ($numbers as $number) {
            [$file, $name, $line] = $this->units[$number];
            $found[] = ['file' => $file, 'name' => $name, 'line' => $line];
        }

        return $found;
    }

    /**
     * The name behind `function` or `class`, in lower case; null where there is none.
     *
     * @param array<int, array{int, string, int}|string> $tokens
     */
    private static function name(array $tokens, int $at): ?string
    {
        for ($i = $at + 1; isset($tokens[$i]); ++$i) {
            $token = $tokens[$i];
            $text = \is_array($token) ? $token[1] : $token;
            if ($text === '&' || (\is_array($token) && \in_array($token[0], [\T_WHITESPACE, \T_COMMENT, \T_DOC_COMMENT], true))) {
                continue;
            }

            return \is_array($token) && $token[0] === \T_STRING ? \strtolower($text) : null;
        }

        return null;
    }
}
