<?php

declare(strict_types=1);

namespace Tare\Worker;

/**
 * Takes each sample in a process of its own, as PHPBench does: a copy of this one, made when the case is ready. What a sample leaves
 * behind in memory isn't there for the next one; what it leaves outside is.
 */
final class Isolation
{
    /** @var Ending */
    private $ending;

    public function __construct(Ending $ending)
    {
        $this->ending = $ending;
    }

    /** Whether the core asks for it. */
    public static function isAsked(): bool
    {
        return \getenv('TARE_ISOLATE') === '1';
    }

    /** Whether processes can be copied here. */
    public static function isPossible(): bool
    {
        return \function_exists('pcntl_fork') && \function_exists('pcntl_waitpid');
    }

    /**
     * @param list<int>                                $iterations
     * @param callable(int): array{int, int|null} $sample     takes one sample of so many calls: elapsed, and pairs of pauses
     *
     * @return array{list<int>, list<int>} elapsed, and pairs, of each sample
     *
     * @throws Fault
     */
    public function run(array $iterations, callable $sample): array
    {
        if (!self::isPossible()) {
            throw new Fault(
                'runtime',
                'Samples can\'t be isolated: this PHP has no pcntl_fork.',
                'Install or enable the extension pcntl, or leave out --isolate.'
            );
        }
        $elapsed = $pairs = [];
        foreach ($iterations as $calls) {
            [$time, $count] = $this->one($calls, $sample);
            $elapsed[] = $time;
            if ($count !== null) {
                $pairs[] = $count;
            }
        }

        return [$elapsed, $pairs];
    }

    /**
     * @param callable(int): array{int, int|null} $sample
     *
     * @return array{int, int|null}
     */
    private function one(int $calls, callable $sample): array
    {
        $ends = \stream_socket_pair(\STREAM_PF_UNIX, \STREAM_SOCK_STREAM, 0);
        $process = $ends === false ? -1 : \pcntl_fork();
        if ($ends === false || $process === -1) {
            throw new Fault('runtime', 'Samples can\'t be isolated: no process can be made.', 'Look at the limits of processes and open files (ulimit -a).');
        }
        if ($process === 0) {
            \fclose($ends[0]);
            try {
                $said = ['sample' => $sample($calls)];
            } catch (\Throwable $thrown) {
                $fault = Fault::from($thrown, 'exception');
                $said = ['fault' => $fault->keys(), 'trace' => $fault->stack];
            }
            \fwrite($ends[1], \serialize($said));
            \fclose($ends[1]);
            // Nothing of the user's runs any more: clean-ups are the first process's.
            $this->ending->leave();
        }
        \fclose($ends[1]);
        $text = \stream_get_contents($ends[0]);
        \fclose($ends[0]);
        $status = 0;
        \pcntl_waitpid($process, $status);
        $said = $text === false || $text === '' ? false : Quiet::call(static function () use ($text) {
            return \unserialize($text, ['allowed_classes' => false]);
        });
        if (!\is_array($said)) {
            throw \pcntl_wifsignaled($status)
                ? new Fault('signal', 'The process of a sample was ended by signal ' . \pcntl_wtermsig($status) . '.', 'Look at what it printed, and at the memory of the machine.')
                : new Fault('exit', 'User code ended the process of a sample.', 'Remove the exit or die from the code that is measured, or mend what PHP printed.');
        }
        if (isset($said['fault'])) {
            $keys = $said['fault'];
            $fault = new Fault((string) $keys['kind'], (string) $keys['message'], $keys['remedy'], $keys['file'], $keys['line']);
            $fault->stack = $said['trace'];
            throw $fault;
        }

        return $said['sample'];
    }
}
