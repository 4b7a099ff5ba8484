<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Where generated code is written. It is required from a file and not evaluated, because opcache and its JIT treat evaluated
 * code differently from the files that the user's code comes from.
 */
final class Scratch
{
    /** opcache doesn't cache files younger than `opcache.file_update_protection`, 2 s by default. */
    private const AGE_SECONDS = 60;

    /** @var array<string, true> paths of generated files */
    private static $written = [];

    /**
     * Loads a PHP source, from a file of its own in TARE_SCRATCH or, when that is unset or not writable, in the
     * system's directory for temporary files.
     *
     * @throws Fault of kind `runtime` when no file can be written
     */
    public static function load(string $name, string $source): void
    {
        $directory = \getenv('TARE_SCRATCH');
        $isGiven = \is_string($directory) && $directory !== '';
        $places = $isGiven ? [$directory, \sys_get_temp_dir()] : [\sys_get_temp_dir()];
        foreach ($places as $place) {
            $path = Quiet::call(static function () use ($place, $name, $source): ?string {
                $path = \rtrim($place, '/\\') . \DIRECTORY_SEPARATOR . 'tare-' . \bin2hex(\random_bytes(8)) . '-' . $name . '.php';
                // Whatever the mask is: nobody else may write what is executed in a moment.
                $mask = \umask(0077);
                $file = \fopen($path, 'xb');
                \umask($mask);
                if ($file === false) {
                    return null;
                }
                $whole = \fwrite($file, $source) === \strlen($source);
                \fclose($file);
                \touch($path, \time() - self::AGE_SECONDS);

                if (! $whole) {
                    // The disk is full.
                    \unlink($path);
                }

                return $whole ? $path : null;
            });
            if ($path !== null) {
                self::$written[$path] = true;
                self::$written[(string) \realpath($path)] = true;
                try {
                    require $path;
                } finally {
                    // Compiled by now. A directory given by the core goes with the launch; the system's is everybody's.
                    if (!$isGiven || $place !== $directory) {
                        Quiet::call(static function () use ($path): void {
                            \unlink($path);
                        });
                    }
                }

                return;
            }
        }
        throw new Fault(
            'runtime',
            'The measuring code cannot be written to ' . \implode(' or ', $places) . '.',
            'Free some space there, make the directory writable, or point TMPDIR to one that is.'
        );
    }

    /** Whether $file was generated here. */
    public static function isOurs(string $file): bool
    {
        return isset(self::$written[$file]);
    }
}
