<?php

declare(strict_types=1);

namespace Tare\Package;

/** The program in the cache: fetched, checked and unpacked once, whatever begins at the same time. */
final class Installation
{
    /** The program's path. */
    public static function program(Release $release): string
    {
        $cache = CacheFolder::make();
        $folder = "$cache/$release->version-" . \substr($release->sha256, 0, 16);
        // It is there as a whole or not at all, since it is renamed to that.
        if (!\is_file("$folder/tare")) {
            $lock = self::lock("$folder.lock");
            try {
                \clearstatcache();
                if (!\is_file("$folder/tare")) {
                    self::install($release, $folder);
                }
            } finally {
                @\unlink("$folder.lock");
                \fclose($lock);
            }
        }

        return "$folder/tare";
    }

    /**
     * Held until it is closed, or until this process ends.
     *
     * @return resource
     */
    private static function lock(string $file)
    {
        $isSaid = false;
        while (true) {
            \error_clear_last();
            $lock = @\fopen($file, 'c');
            if ($lock === false) {
                throw Failure::failed("$file can't be written: " . Failure::reason() . '. Set XDG_CACHE_HOME to a folder that can be written.');
            }
            if (!\flock($lock, \LOCK_EX | \LOCK_NB, $wouldBlock)) {
                if ($wouldBlock !== 1) {
                    throw Failure::failed("$file can't be locked. Set XDG_CACHE_HOME to a folder on a disk of this machine.");
                }
                if (!$isSaid) {
                    self::say("another process is installing Tare's program; waiting for it");
                    $isSaid = true;
                }
                \flock($lock, \LOCK_EX);
            }
            // The one before may have removed the file that this is a lock on.
            \clearstatcache();
            $there = @\stat($file);
            if ($there !== false && $there['ino'] === \fstat($lock)['ino']) {
                return $lock;
            }
            \fclose($lock);
        }
    }

    private static function install(Release $release, string $folder): void
    {
        if ($release->url === '') {
            throw Failure::usage(
                "this build of tare-bench/tare doesn't know where its archives are, since none is published. "
                . "Set TARE_URL to the address of $release->file, or TARE_BINARY to the program."
            );
        }
        $partial = "$folder.partial";
        // The lock is held: what lies there is of an installation that was killed.
        self::remove($partial);
        if (!@\mkdir($partial, 0700)) {
            throw Failure::failed("$partial can't be made: " . Failure::reason() . '. Set XDG_CACHE_HOME to a folder that can be written.');
        }
        try {
            self::say("fetching Tare $release->version, once, to $folder");
            $archive = "$partial/$release->file";
            Download::fetch($release->url, $archive, $release->bytes);
            $found = (string) \hash_file('sha256', $archive);
            if ($found !== $release->sha256) {
                $bytes = (int) \filesize($archive);
                // Of a longer file one byte more is fetched, so its checksum isn't known.
                $is = $bytes > $release->bytes ? "it has more than $release->bytes bytes"
                    : "it has $bytes bytes and the SHA-256 $found; the archive has $release->bytes, and $release->sha256 in the package's list";
                throw Failure::failed(
                    'what is at ' . Download::shown($release->url) . " isn't the archive $release->file: $is. "
                    . 'Correct TARE_URL if it is set, or look at what stands between this machine and that address.'
                );
            }
            Archive::unpack($archive, $partial);
            \unlink($archive);
            // Something may have removed the program alone, as cleaners of temporary folders do.
            self::remove($folder);
            if (!@\rename($partial, $folder)) {
                throw Failure::failed("$partial can't be renamed to $folder: " . Failure::reason() . '. Remove the second one.');
            }
        } finally {
            self::remove($partial);
        }
    }

    private static function remove(string $path): void
    {
        if (\is_dir($path) && !\is_link($path)) {
            foreach (\array_diff(\scandir($path), ['.', '..']) as $name) {
                self::remove("$path/$name");
            }
            @\rmdir($path);
        } elseif (\file_exists($path)) {
            @\unlink($path);
        }
    }

    private static function say(string $message): void
    {
        \fwrite(\STDERR, "tare: $message\n");
    }
}
