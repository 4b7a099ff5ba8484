<?php

/** A worker in a process of its own, driven over a FIFO as the core does it. */
final class Session
{
    /** @var array<string, mixed> the worker's first frame */
    public $hello;

    /** @var int|null exit status, once ended */
    public $status;

    /** @var list<array<string, mixed>> all frames so far */
    public $heard = [];

    /** @var string what the worker's process printed, once ended */
    public $output = '';

    /** @var resource */
    private $process;

    /** @var array<int, resource> */
    private $pipes;

    /** @var resource */
    private $wire;

    /** @var string */
    private $directory;

    /** @var string bytes read and not yet used */
    private $buffer = '';

    /** @var int */
    private $id = 0;

    /**
     * @param list<string>          $php         arguments of the runtime
     * @param array<string, string> $environment added to this process's own
     */
    public function __construct(array $php = [], array $environment = [])
    {
        $this->directory = sys_get_temp_dir() . '/tare-test-' . bin2hex(random_bytes(6));
        mkdir($this->directory);
        $fifo = $this->directory . '/wire';
        if (function_exists('posix_mkfifo')) {
            posix_mkfifo($fifo, 0600);
        } else {
            exec('mkfifo ' . escapeshellarg($fifo));
        }
        $environment += ['TARE_WIRE' => $fifo, 'TARE_SCRATCH' => $this->directory];
        $command = array_merge([PHP_BINARY], $php, [dirname(__DIR__) . '/worker.php']);
        $process = proc_open(
            $command,
            [['pipe', 'r'], ['file', $this->directory . '/output', 'w'], ['file', $this->directory . '/output', 'a']],
            $this->pipes,
            __DIR__,
            $environment + getenv()
        );
        if ($process === false) {
            throw new RuntimeException('the worker cannot be started');
        }
        $this->process = $process;
        // Open for both directions: neither blocks nor ends while this process lives.
        $this->wire = fopen($fifo, 'r+');
        stream_set_blocking($this->wire, false);
        $this->hello = $this->next();
    }

    /** A session that has loaded fixtures. */
    public static function loaded(array $files, ?array &$replies = null, array $php = [], array $environment = []): self
    {
        $session = new self($php, $environment);
        $replies = $session->load($files);

        return $session;
    }

    /**
     * @return list<array<string, mixed>> everything up to the frame that ends the request
     */
    public function load(array $files, ?string $bootstrap = null): array
    {
        $paths = array_map(static function (string $file): string {
            return __DIR__ . '/fixtures/' . $file;
        }, $files);

        return $this->ask(['frame' => 'load', 'files' => $paths] + ($bootstrap === null ? [] : ['bootstrap' => __DIR__ . '/fixtures/' . $bootstrap]));
    }

    /** Prepares the case of that name; the last reply. */
    public function prepare(array $replies, string $benchmark, string $parameters = '', array $more = []): array
    {
        foreach ($replies as $case) {
            if ($case['frame'] === 'case' && $case['benchmark'] === $benchmark && ($case['parameters'] ?? '') === $parameters) {
                return $this->last([
                    'frame' => 'prepare', 'case' => $case['case'], 'benchmark' => $benchmark, 'parameters' => $parameters,
                ] + $more);
            }
        }
        throw new RuntimeException("$benchmark#$parameters was not enumerated");
    }

    public function run(string $subject, array $iterations = [1], int $warm = 0): array
    {
        return $this->last(['frame' => 'run', 'subject' => $subject, 'iterations' => $iterations, 'warm' => $warm]);
    }

    public function last(array $request): array
    {
        $replies = $this->ask($request);

        return end($replies);
    }

    /**
     * @return list<array<string, mixed>>
     */
    public function ask(array $request): array
    {
        return $this->write(json_encode($request + ['id' => $this->id++]));
    }

    /**
     * Sends one line as it is.
     *
     * @return list<array<string, mixed>>
     */
    public function write(string $line): array
    {
        for ($text = $line . "\n"; $text !== ''; $text = substr($text, $written)) {
            $written = fwrite($this->pipes[0], $text);
        }
        $replies = [];
        do {
            $replies[] = $reply = $this->next();
        } while (in_array($reply['frame'], ['case', 'notice', 'slice'], true));

        return $replies;
    }

    /** Closes the input and waits; no frame may be left over. */
    public function end(): void
    {
        fclose($this->pipes[0]);
        for ($wait = 0; $wait < 5000; ++$wait) {
            $state = proc_get_status($this->process);
            if (!$state['running']) {
                $this->status = $state['exitcode'];
                break;
            }
            usleep(1000);
        }
        proc_close($this->process);
        $this->output = (string) file_get_contents($this->directory . '/output');
        array_map('unlink', (array) glob($this->directory . '/*'));
        rmdir($this->directory);
        $this->buffer .= (string) stream_get_contents($this->wire);
        if ($this->buffer !== '') {
            throw new RuntimeException('frames left over: ' . $this->buffer);
        }
    }

    private function next(): array
    {
        $deadline = time() + 60;
        while (($end = strpos($this->buffer, "\n")) === false) {
            $ready = [$this->wire];
            $none = null;
            if (stream_select($ready, $none, $none, 0, 100000) > 0) {
                $this->buffer .= fread($this->wire, 65536);
            } elseif (time() > $deadline || !proc_get_status($this->process)['running']) {
                // It may have answered, and ended, since it was last looked for.
                $last = (string) fread($this->wire, 65536);
                if ($last !== '') {
                    $this->buffer .= $last;
                    continue;
                }
                throw new RuntimeException('no answer; the worker printed: ' . file_get_contents($this->directory . '/output'));
            }
        }
        $line = substr($this->buffer, 0, $end);
        $this->buffer = substr($this->buffer, $end + 1);
        $frame = json_decode($line, true, 3, JSON_THROW_ON_ERROR);
        if (!is_array($frame) || !is_string($frame['frame'] ?? null)) {
            throw new RuntimeException('not a frame: ' . $line);
        }
        $this->heard[] = $frame;

        return $frame;
    }
}
