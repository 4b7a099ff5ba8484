<?php
/*
 * Units of PHP source files: what a change is in, and which names its code mentions.
 *
 *     php units.php < PATHS     (absolute paths, one a line)
 *
 * It prints a line of JSON that names the interpreter, then one for each path: its units, or why it has none. Nothing of the files is executed. What a
 * unit is, and what its names are good for, is said by the crate `tare-units`.
 */

declare(strict_types=1);

namespace Tare\Units;

const FORMAT = 2;
const MOST_BYTES = 16 * 1024 * 1024;

foreach (['Unit', 'Imports', 'Mentions', 'Units'] as $source) {
    require __DIR__ . "/src/units/$source.php";
}
unset($source);

function unitsOf(string $path): array
{
    try {
        $source = @file_get_contents($path, false, null, 0, MOST_BYTES + 1);
        if ($source === false) {
            throw new \RuntimeException('it can\'t be read');
        }
        if (strlen($source) > MOST_BYTES) {
            throw new \LengthException('it is larger than ' . MOST_BYTES . ' bytes');
        }
        error_clear_last();
        $units = new Units($source);
        if (((error_get_last()['type'] ?? 0) & E_COMPILE_WARNING) !== 0) {
            // Before PHP 8 a character that isn't PHP is left out with a warning.
            throw new \UnexpectedValueException(error_get_last()['message']);
        }

        return ['file' => $path, 'units' => array_map(static function (Unit $unit): array {
            return $unit->keys();
        }, $units->found)];
    } catch (\Throwable $error) {
        return ['file' => $path, 'fault' => substr($error->getMessage(), 0, 200)];
    }
}

function say(array $line): void
{
    fwrite(STDOUT, json_encode($line, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES) . "\n");
}

function main(): void
{
    // What the interpreter has to say about a source must not stand between the lines.
    ini_set('display_errors', '0');
    $header = ['format' => FORMAT, 'language' => 'php', 'runtime' => PHP_VERSION, 'folders' => []];
    if (!function_exists('token_get_all') && function_exists('dl')) {
        // A runtime without its settings lacks what they load.
        @dl('tokenizer.so');
    }
    if (!function_exists('token_get_all')) {
        say($header + ['fault' => 'This PHP lacks the extension tokenizer.']);
        return;
    }
    say($header);
    while (($path = fgets(STDIN)) !== false) {
        say(unitsOf(rtrim($path, "\r\n")));
    }
}

main();
