<?php

declare(strict_types=1);

namespace Tare\Package;

/** The archive's files, read from tar and gzip as they stand there: PHP may lack the extension phar, and the machine tar. */
final class Archive
{
    private const BLOCK = 512;

    /** Unpacks all files to $folder, without the archive's outer folder. The checksum has shown that it is the archive that was built. */
    public static function unpack(string $file, string $folder): void
    {
        $source = @\gzopen($file, 'rb');
        if ($source === false) {
            throw Failure::failed("$file can't be read: " . Failure::reason() . '. Remove it and try again.');
        }
        while (($header = self::read($source, self::BLOCK, $file)) !== \str_repeat("\0", self::BLOCK)) {
            $field = \unpack('a100name/a8mode/a16/a12size/a20/a1type/a100/a8/a80/a155prefix', $header);
            [$name, $prefix] = [\rtrim($field['name'], "\0"), \rtrim($field['prefix'], "\0")];
            $path = \explode('/', $prefix === '' ? $name : "$prefix/$name", 2)[1] ?? '';
            $size = (int) \octdec(\trim($field['size'], " \0"));
            if ($field['type'] === '5') {
                self::makeFolder("$folder/$path");
            } elseif ($field['type'] === '0' && !\in_array('..', \explode('/', $path), true)) {
                self::write($source, $size, "$folder/$path", (int) \octdec(\trim($field['mode'], " \0")), $file);
            } else {
                throw Failure::failed("$file holds `$path`, which is neither a file nor a folder. Report it as a fault of Tare's.");
            }
        }
        \gzclose($source);
    }

    /** @param resource $source */
    private static function write($source, int $size, string $path, int $mode, string $file): void
    {
        $goal = @\fopen($path, 'x');
        $left = $size;
        while ($goal !== false && $left > 0) {
            $part = self::read($source, \min($left, 1 << 16), $file);
            if (@\fwrite($goal, $part) !== \strlen($part)) {
                break;
            }
            $left -= \strlen($part);
        }
        if ($goal === false || $left > 0 || !\fclose($goal) || !\chmod($path, $mode & 0755)) {
            throw Failure::failed("$path can't be written: " . Failure::reason() . '. Free some space there, or set XDG_CACHE_HOME to another folder.');
        }
        self::read($source, (self::BLOCK - $size % self::BLOCK) % self::BLOCK, $file);
    }

    private static function makeFolder(string $path): void
    {
        if (!\is_dir($path) && !@\mkdir($path, 0755)) {
            throw Failure::failed("$path can't be made: " . Failure::reason() . '. Set XDG_CACHE_HOME to another folder.');
        }
    }

    /** @param resource $source */
    private static function read($source, int $bytes, string $file): string
    {
        $read = '';
        while (\strlen($read) < $bytes) {
            $part = \gzread($source, $bytes - \strlen($read));
            if ($part === false || $part === '') {
                throw Failure::failed("$file ends early. Remove it and try again.");
            }
            $read .= $part;
        }

        return $read;
    }
}
