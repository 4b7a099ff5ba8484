<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * All files of the process, in a look and where executed functions are told: a source that is included gets marks (`Marks`, `Executed`), and one that is read otherwise is written
 * down. It stands in the place of PHP's own wrapper of files, and hands all else on to it.
 */
final class Sources
{
    private const INCLUDED = 0x80;

    /** @var resource|null */
    public $context;

    /** @var resource|null */
    private $handle;

    /** @var string|null the text of a source with its marks, and how far it was read */
    private $text;

    /** @var int */
    private $at = 0;

    /** @var callable(string, string): ?string the text of a source with its marks; null where it can't have any */
    private static $marked;

    /** @var array<string, true> sources that code read */
    private static $read = [];

    /** @var array<string, true> sources whose code isn't marked */
    private static $unmarked = [];

    /** @var int how many calls are being handed on */
    private static $handing = 0;

    /**
     * Stands in the place of PHP's own wrapper from now on.
     *
     * @param callable(string, string): ?string $marked the text of a source, by its own and its file, with its marks; null where it can't have any
     *
     * @return bool whether this PHP can read sources
     */
    public static function watch(callable $marked): bool
    {
        if (!\function_exists('token_get_all') && \function_exists('dl')) {
            // A runtime without its settings lacks what they load. What is measured is another process.
            @\dl('tokenizer.so');
        }
        if (!\function_exists('token_get_all')) {
            return false;
        }
        self::$marked = $marked;
        \stream_wrapper_unregister('file');
        \stream_wrapper_register('file', self::class);

        return true;
    }

    /**
     * What was read since the call before, and which sources have no marks.
     *
     * @return array<string, mixed>
     */
    public static function taken(): array
    {
        $read = self::$read;
        self::$read = [];

        return ['read' => \array_map('strval', \array_keys($read)), 'before' => \array_map('strval', \array_keys(self::$unmarked))];
    }

    public function stream_open(string $path, string $mode, int $options, ?string &$opened): bool
    {
        $included = ($options & self::INCLUDED) !== 0;
        if (!$included && !self::isOurs()) {
            $place = self::real($path);
            if ($place !== null) {
                self::$read[$place] = true;
            }
        }
        $this->handle = $this->native(function () use ($path, $mode, $options) {
            return Quiet::call(function () use ($path, $mode, $options) {
                return $this->context === null
                    ? \fopen($path, $mode, ($options & \STREAM_USE_PATH) !== 0)
                    : \fopen($path, $mode, ($options & \STREAM_USE_PATH) !== 0, $this->context);
            });
        }) ?: null;
        if ($this->handle === null) {
            return false;
        }
        if ($included) {
            $place = self::real($path) ?? $path;
            $opened = $place;
            if (!self::isTares($place) && !Scratch::isOurs($place)) {
                $source = (string) \stream_get_contents($this->handle);
                $this->text = (self::$marked)($source, $place);
                if ($this->text === null) {
                    self::$unmarked[$place] = true;
                    $this->text = $source;
                }
            }
        }

        return true;
    }

    /** @return string|false */
    public function stream_read(int $count)
    {
        if ($this->text === null) {
            return \fread($this->handle, $count);
        }
        $part = \substr($this->text, $this->at, $count);
        $this->at += \strlen($part);

        return $part;
    }

    /** @return int|false */
    public function stream_write(string $data)
    {
        return \fwrite($this->handle, $data);
    }

    public function stream_eof(): bool
    {
        return $this->text === null ? \feof($this->handle) : $this->at >= \strlen($this->text);
    }

    public function stream_close(): void
    {
        \fclose($this->handle);
    }

    public function stream_flush(): bool
    {
        return \fflush($this->handle);
    }

    public function stream_seek(int $offset, int $whence): bool
    {
        if ($this->text === null) {
            return \fseek($this->handle, $offset, $whence) === 0;
        }
        $from = [\SEEK_SET => 0, \SEEK_CUR => $this->at, \SEEK_END => \strlen($this->text)][$whence] ?? 0;
        $this->at = \max(0, \min(\strlen($this->text), $from + $offset));

        return true;
    }

    public function stream_tell(): int
    {
        return $this->text === null ? (int) \ftell($this->handle) : $this->at;
    }

    /** @return array<int|string, int>|false */
    public function stream_stat()
    {
        $stat = \fstat($this->handle);
        if ($stat !== false && $this->text !== null) {
            $stat['size'] = $stat[7] = \strlen($this->text);
        }

        return $stat;
    }

    public function stream_lock(int $operation): bool
    {
        // To ask whether locks are possible, no operation is given.
        return $operation === 0 || \flock($this->handle, $operation);
    }

    public function stream_truncate(int $size): bool
    {
        return \ftruncate($this->handle, $size);
    }

    public function stream_set_option(int $option, int $first, ?int $second): bool
    {
        switch ($option) {
            case \STREAM_OPTION_BLOCKING:
                return \stream_set_blocking($this->handle, (bool) $first);
            case \STREAM_OPTION_READ_TIMEOUT:
                return \stream_set_timeout($this->handle, $first, (int) $second);
            case \STREAM_OPTION_WRITE_BUFFER:
                return \stream_set_write_buffer($this->handle, (int) $second) === 0;
            default:
                return false;
        }
    }

    /** @return resource */
    public function stream_cast(int $as)
    {
        return $this->handle;
    }

    /** @param mixed $value */
    public function stream_metadata(string $path, int $option, $value): bool
    {
        return $this->native(static function () use ($path, $option, $value): bool {
            switch ($option) {
                case \STREAM_META_TOUCH:
                    return \touch($path, ...(array) $value);
                case \STREAM_META_OWNER:
                case \STREAM_META_OWNER_NAME:
                    return \chown($path, $value);
                case \STREAM_META_GROUP:
                case \STREAM_META_GROUP_NAME:
                    return \chgrp($path, $value);
                case \STREAM_META_ACCESS:
                    return \chmod($path, $value);
                default:
                    return false;
            }
        });
    }

    /** @return array<int|string, int>|false */
    public function url_stat(string $path, int $flags)
    {
        if (($flags & \STREAM_URL_STAT_QUIET) === 0 && !self::isOurs()) {
            // Its size was asked, and not only whether it is there.
            $place = self::real($path);
            if ($place !== null) {
                self::$read[$place] = true;
            }
        }

        return $this->native(static function () use ($path, $flags) {
            return Quiet::call(static function () use ($path, $flags) {
                \clearstatcache();

                return ($flags & \STREAM_URL_STAT_LINK) !== 0 ? \lstat($path) : \stat($path);
            });
        });
    }

    public function unlink(string $path): bool
    {
        return $this->native(function () use ($path): bool {
            return $this->context === null ? \unlink($path) : \unlink($path, $this->context);
        });
    }

    public function rename(string $from, string $to): bool
    {
        return $this->native(function () use ($from, $to): bool {
            return $this->context === null ? \rename($from, $to) : \rename($from, $to, $this->context);
        });
    }

    public function mkdir(string $path, int $mode, int $options): bool
    {
        return $this->native(static function () use ($path, $mode, $options): bool {
            return \mkdir($path, $mode, ($options & \STREAM_MKDIR_RECURSIVE) !== 0);
        });
    }

    public function rmdir(string $path, int $options): bool
    {
        return $this->native(static function () use ($path): bool {
            return \rmdir($path);
        });
    }

    public function dir_opendir(string $path, int $options): bool
    {
        $this->handle = $this->native(static function () use ($path) {
            return Quiet::call(static function () use ($path) {
                return \opendir($path);
            });
        }) ?: null;

        return $this->handle !== null;
    }

    /** @return string|false */
    public function dir_readdir()
    {
        return \readdir($this->handle);
    }

    public function dir_rewinddir(): bool
    {
        \rewinddir($this->handle);

        return true;
    }

    public function dir_closedir(): bool
    {
        \closedir($this->handle);

        return true;
    }

    /** @return mixed what $work returns, with PHP's own wrapper in its place */
    private function native(callable $work)
    {
        if (self::$handing++ === 0) {
            \stream_wrapper_restore('file');
        }
        try {
            return $work();
        } finally {
            if (--self::$handing === 0) {
                \stream_wrapper_unregister('file');
                \stream_wrapper_register('file', self::class);
            }
        }
    }

    private static function real(string $path): ?string
    {
        $path = \strncasecmp($path, 'file://', 7) === 0 ? \substr($path, 7) : $path;

        return \realpath($path) ?: null;
    }

    private static function isTares(string $file): bool
    {
        return \strncmp($file, __DIR__ . \DIRECTORY_SEPARATOR, \strlen(__DIR__) + 1) === 0;
    }

    /** Whether the worker itself opens a file. */
    private static function isOurs(): bool
    {
        foreach (\debug_backtrace(\DEBUG_BACKTRACE_IGNORE_ARGS, 6) as $frame) {
            if (isset($frame['file']) && $frame['file'] !== __FILE__) {
                return self::isTares($frame['file']);
            }
        }

        return false;
    }
}
