<?php

declare(strict_types=1);

namespace Tare\Worker;

/** What the names at the beginning of a file stand for: its `use` statements. */
final class Imports
{
    /** @var array<string, array<string, string>> by file */
    private static $read = [];

    /**
     * @param \ReflectionClass<object> $class
     *
     * @return array<string, string> full names by alias
     */
    public static function of(\ReflectionClass $class): array
    {
        $file = (string) $class->getFileName();
        if (!isset(self::$read[$file])) {
            $text = (string) Quiet::call(static function () use ($file) {
                return $file === '' ? '' : \file_get_contents($file);
            });
            self::$read[$file] = [];
            \preg_match_all('/^[ \t]*use\s+\\\\?([\w\\\\]+)(?:\s+as\s+(\w+))?\s*;/mi', $text, $found, PREG_SET_ORDER);
            foreach ($found as $import) {
                $slash = \strrpos($import[1], '\\');
                $last = $slash === false ? $import[1] : \substr($import[1], $slash + 1);
                self::$read[$file][$import[2] ?? $last] = $import[1];
            }
        }

        return self::$read[$file];
    }
}
