<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Copies of the process for cases, where its sources are loaded: in a look (PROTOCOL 1.10), and where what cases execute is counted (1.13). One process's
 * loading serves many cases, and what a case touches is its own.
 */
final class Copies
{
    /** SIGKILL */
    private const KILLED = 9;

    /** @var Ending */
    private $ending;

    /** @var bool this process is the copy for one case */
    private $copied = false;

    public function __construct(Ending $ending)
    {
        $this->ending = $ending;
    }

    /** Whether copies are asked for to count what cases execute, and processes can be copied here. */
    public static function areForCounting(): bool
    {
        return \getenv('TARE_COUNT') === '1' && Isolation::isPossible();
    }

    public function isCopy(): bool
    {
        return $this->copied;
    }

    /**
     * Copies the process for a case that is about to be prepared.
     *
     * @return bool true in the first process, when the copy has answered everything up to its `finish`; false where this process goes on
     *              with the case: in the copy, and where processes can't be copied
     *
     * @throws Fault where the copy didn't come that far
     */
    public function serve(): bool
    {
        if ($this->copied || !Isolation::isPossible()) {
            return false;
        }
        $process = \pcntl_fork();
        if ($process === -1) {
            throw new Fault('runtime', 'No process can be made for the case.', 'Look at the limits of processes (ulimit -u).');
        }
        if ($process === 0) {
            $this->copied = true;
            $this->ending->moved();

            return false;
        }
        $status = 0;
        \pcntl_waitpid($process, $status);
        if (self::areForCounting() && \pcntl_wifsignaled($status) && \pcntl_wtermsig($status) === self::KILLED) {
            return true;
        }
        if (!\pcntl_wifexited($status) || \pcntl_wexitstatus($status) !== 0) {
            throw new Fault('exit', 'The process of a case ended by itself.', 'Remove the exit or die from the code that is measured.');
        }

        return true;
    }

    /** The case is finished: its copy ends. */
    public function finished(): void
    {
        if (!$this->copied) {
            return;
        }
        if (self::areForCounting() && \function_exists('posix_kill')) {
            // A counter would write all that it knows of a process that ends by itself, which takes longer than most cases.
            \posix_kill((int) \getmypid(), self::KILLED);
        }
        $this->ending->leave();
    }
}
