<?php

declare(strict_types=1);

namespace Tare\Package;

/** From the command line to the program, which takes the place of this process where PHP can do that. */
final class Launcher
{
    /**
     * @param list<string> $options
     * @param list<string> $own     the files that this launcher is started by
     *
     * @return int the exit status
     */
    public static function main(array $options, array $own): int
    {
        try {
            $named = \getenv('TARE_BINARY');
            $isNamed = \is_string($named) && $named !== '';
            $program = $isNamed ? self::named($named, $own) : Installation::program(Release::forThisMachine());

            return self::start($program, $options, !$isNamed);
        } catch (Failure $failure) {
            \fwrite(\STDERR, "tare: {$failure->getMessage()}\n");

            return $failure->getCode();
        }
    }

    /** @param list<string> $own */
    private static function named(string $named, array $own): string
    {
        $real = \realpath($named);
        if ($real === false || !\is_file($real)) {
            throw Failure::usage("TARE_BINARY is $named, which is no file. Set it to Tare's program, or unset it.");
        }
        if (\in_array($real, \array_map('realpath', $own), true)) {
            throw Failure::usage("TARE_BINARY is $named, which is this launcher. Set it to Tare's program, or unset it.");
        }

        return $real;
    }

    /**
     * @param list<string> $options
     * @param bool         $isOwn   whether it lies in the cache
     */
    private static function start(string $program, array $options, bool $isOwn): int
    {
        if (!\is_executable($program)) {
            throw Failure::failed(
                "$program may not be executed: its mode forbids that, or its file system is mounted with noexec. "
                . 'Set XDG_CACHE_HOME to a folder on another one, or TARE_BINARY to a copy of the program.'
            );
        }
        if (\function_exists('pcntl_exec')) {
            \error_clear_last();
            @\pcntl_exec($program, $options);
            $remedy = $isOwn ? 'Remove the folder ' . \dirname($program) . ', so that it is fetched anew.' : 'Set TARE_BINARY to a program for this machine.';
            throw Failure::failed("$program can't be started: " . Failure::reason() . ". $remedy");
        }
        if (!\function_exists('proc_open')) {
            throw Failure::failed("PHP may start no program here (disable_functions). Start $program itself.");
        }
        // A shell between says by which signal the program ended; PHP alone gives a number that could be its status.
        $command = ['/bin/sh', '-c', '"$0" "$@"; exit $?', $program];
        $process = @\proc_open(\array_merge($command, $options), [\STDIN, \STDOUT, \STDERR], $pipes);
        if ($process === false) {
            throw Failure::failed("/bin/sh can't be started for $program: " . Failure::reason() . '. Start the program itself.');
        }

        return \proc_close($process);
    }
}
