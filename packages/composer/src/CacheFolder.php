<?php

declare(strict_types=1);

namespace Tare\Package;

/** Where the program lies between calls: the folder of the program's own cache, found by the same rule. */
final class CacheFolder
{
    private const REMEDY = 'Set XDG_CACHE_HOME to a folder that you alone can write to, or TARE_BINARY to the program.';

    /** The folder, which is there and which no other user can write to: what lies in it is executed. */
    public static function make(): string
    {
        $folder = self::place() . '/programs';
        $made = '';
        foreach (\explode('/', \substr($folder, 1)) as $part) {
            $made .= "/$part";
            // Another process may make it at the same time.
            if (!\is_dir($made) && !@\mkdir($made, 0700) && !\is_dir($made)) {
                throw Failure::failed("the folder $made for Tare's program can't be made: " . Failure::reason() . '. ' . self::REMEDY);
            }
        }
        foreach ([\dirname($folder), $folder] as $own) {
            self::check($own);
        }

        return $folder;
    }

    private static function place(): string
    {
        $cache = self::absolute('XDG_CACHE_HOME');
        if ($cache !== null) {
            return "$cache/tare";
        }
        $home = self::absolute('HOME');
        if ($home !== null && \is_dir($home)) {
            return "$home/.cache/tare";
        }

        return \rtrim(\sys_get_temp_dir(), '/') . '/tare-cache-' . self::user();
    }

    private static function absolute(string $name): ?string
    {
        $value = \getenv($name);

        return \is_string($value) && $value !== '' && $value[0] === '/' ? \rtrim($value, '/') : null;
    }

    private static function check(string $folder): void
    {
        $is = @\lstat($folder);
        if ($is === false || ($is['mode'] & 0170000) !== 0040000) {
            throw Failure::failed("$folder, where Tare's program is kept, is no folder. " . self::REMEDY);
        }
        if ($is['uid'] !== self::user()) {
            throw Failure::failed("$folder, where Tare's program is kept, is another user's, who could put anything there. " . self::REMEDY);
        }
        if (($is['mode'] & 0022) !== 0) {
            throw Failure::failed("other users can write to $folder, where Tare's program is kept. Run `chmod go-w $folder`.");
        }
    }

    /** The effective user of this process, also where PHP lacks the extension posix. */
    private static function user(): int
    {
        if (\function_exists('posix_geteuid')) {
            return \posix_geteuid();
        }
        $own = @\stat('/proc/self');

        return $own === false ? \getmyuid() : $own['uid'];
    }
}
