<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * A look at what cases depend on (PROTOCOL 1.10): the process is copied for each case when its sources are loaded, so that one process's
 * loading serves many cases, and what a case touches is its own.
 */
final class Look
{
    /** @var Ending */
    private $ending;

    /** @var bool this process is the copy for one case */
    private $copied = false;

    public function __construct(Ending $ending)
    {
        $this->ending = $ending;
        // Copies share opcache's memory: a file that one copy has loaded, the next takes from there and doesn't open.
        \ini_set('opcache.enable', '0');
        if (\function_exists('token_get_all')) {
            Sources::watch();
        }
    }

    /** Whether processes can be copied here. */
    public static function isPossible(): bool
    {
        return Isolation::isPossible();
    }

    /**
     * Copies the process for a case that is about to be prepared.
     *
     * @return bool true in the first process, when the copy has answered everything up to its `finish`; false where this process goes on
     *              with the case: in the copy, and where no look is asked for
     *
     * @throws Fault where the copy didn't come that far
     */
    public function serves(): bool
    {
        if ($this->copied || !self::isPossible()) {
            return false;
        }
        $process = \pcntl_fork();
        if ($process === -1) {
            throw new Fault('runtime', 'No process can be made for a look at the case.', 'Look at the limits of processes (ulimit -u).');
        }
        if ($process === 0) {
            $this->copied = true;
            $this->ending->moved();

            return false;
        }
        $status = 0;
        \pcntl_waitpid($process, $status);
        if (!\pcntl_wifexited($status) || \pcntl_wexitstatus($status) !== 0) {
            throw new Fault('exit', 'The process in which a case was looked at ended by itself.', 'Remove the exit or die from the code that is measured.');
        }

        return true;
    }

    /** Writes which functions ran since the call before, which files are included, and which were read. Before the answer is sent: it is read then. */
    public function tell(string $after): void
    {
        $path = \getenv('TARE_LOOK');
        if (!\is_string($path) || $path === '') {
            return;
        }
        $line = ['after' => $after, 'loaded' => \get_included_files()];
        $line += \function_exists('token_get_all') ? Sources::taken() : ['incomplete' => 'this PHP lacks the extension tokenizer'];
        $text = \json_encode($line, \JSON_UNESCAPED_SLASHES | \JSON_INVALID_UTF8_SUBSTITUTE);
        \file_put_contents($path, "$text\n", \FILE_APPEND);
    }

    /** The case is finished: its copy ends. */
    public function finished(): void
    {
        if ($this->copied) {
            $this->ending->leave();
        }
    }
}
