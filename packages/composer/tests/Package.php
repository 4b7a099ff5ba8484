<?php

/** A package as Composer lays it out, with an archive whose program is a shell script, and a cache of its own. */
final class Package
{
    private const PROGRAM = <<<'SH'
        #!/bin/sh
        case $1 in
            status) exit "$2" ;;
            die) kill -s "$2" $$ ;;
            read) cat ;;
        esac
        printf '%s|' "$0" "$@"
        SH;

    /** @var string */
    public $folder;

    /** @var string */
    public $archive;

    /** @var array<string, string> of every call */
    public $environment;

    /** @var list<string> of every call, as `-d` */
    public $settings = [];

    /** @var array{0: resource, 1: resource}|null */
    private $server;

    public function __construct()
    {
        $this->folder = sys_get_temp_dir() . '/tare-package-' . getmypid() . '-' . bin2hex(random_bytes(4));
        mkdir("$this->folder/made/tare-1-machine/man", 0755, true);
        mkdir("$this->folder/home");
        mkdir("$this->folder/package");
        $own = dirname(__DIR__);
        self::command(['cp', '-r', "$own/bin", "$own/src", "$this->folder/package/"]);
        file_put_contents("$this->folder/made/tare-1-machine/tare", self::PROGRAM);
        chmod("$this->folder/made/tare-1-machine/tare", 0755);
        file_put_contents("$this->folder/made/tare-1-machine/man/tare.1", str_repeat('x', 1000));
        file_put_contents("$this->folder/made/tare-1-machine/LICENSE", '');
        $this->archive = "$this->folder/tare-1-machine.tar.gz";
        self::command(['tar', '-czf', $this->archive, '-C', "$this->folder/made", 'tare-1-machine']);
        $this->environment = ['HOME' => "$this->folder/home", 'PATH' => getenv('PATH'), 'TARE_URL' => "file://$this->archive"];
        // Where this PHP has its settings, and with them its extensions.
        $this->environment += array_filter(['PHPRC' => getenv('PHPRC'), 'PHP_INI_SCAN_DIR' => getenv('PHP_INI_SCAN_DIR')], 'is_string');
        $this->list(hash_file('sha256', $this->archive));
    }

    public function __destruct()
    {
        if ($this->server !== null) {
            fclose($this->server[1]);
            proc_close($this->server[0]);
        }
        self::command(['rm', '-rf', $this->folder]);
    }

    /** Writes the package's list of archives. */
    public function list(string $sha256, ?string $platform = null, string $source = ''): void
    {
        $archive = ['file' => basename($this->archive), 'sha256' => $sha256, 'bytes' => filesize($this->archive)];
        $archives = [$platform ?? 'Linux-' . php_uname('m') => $archive];
        $list = ['version' => '1', 'source' => $source, 'archives' => $archives];
        file_put_contents("$this->folder/package/archives.json", json_encode($list));
    }

    /** Starts a server of the archive, and gives its address. What it is asked is in the file `asked`. */
    public function serve(): string
    {
        file_put_contents("$this->folder/asked", '');
        $command = [PHP_BINARY, __DIR__ . '/server.php', $this->archive, "$this->folder/asked"];
        $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
        $this->server = [$process, $pipes[0]];

        return 'http://127.0.0.1:' . trim(fgets($pipes[1]));
    }

    /** @return list<string> the first lines of the requests */
    public function asked(): array
    {
        preg_match_all('/^(?:GET|CONNECT) .*$/m', file_get_contents("$this->folder/asked"), $found);

        return $found[0];
    }

    /**
     * Begins a call of the launcher.
     *
     * @return array{0: resource, 1: array<int, resource>}
     */
    public function begin(string ...$arguments): array
    {
        $options = array_merge(...array_map(static function (string $setting): array {
            return ['-d', $setting];
        }, array_merge(['display_errors=1'], $this->settings)));
        $command = array_merge([PHP_BINARY], $options, ["$this->folder/package/bin/tare"], $arguments);
        $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes, $this->folder, $this->environment);

        return [$process, $pipes];
    }

    /**
     * Awaits its end.
     *
     * @param array{0: resource, 1: array<int, resource>} $call
     *
     * @return array{status: int, out: string, err: string}
     */
    public static function end(array $call): array
    {
        [$process, $pipes] = $call;
        $out = stream_get_contents($pipes[1]);
        $err = stream_get_contents($pipes[2]);
        while (($state = proc_get_status($process))['running']) {
            usleep(2000);
        }

        return ['status' => $state['signaled'] ? 128 + $state['termsig'] : $state['exitcode'], 'out' => $out, 'err' => $err];
    }

    /** @return array{status: int, out: string, err: string} */
    public function call(string ...$arguments): array
    {
        return self::end($this->begin(...$arguments));
    }

    /** @return list<string> what the cache holds */
    public function cached(): array
    {
        $folder = "$this->folder/home/.cache/tare/programs";

        return is_dir($folder) ? array_values(array_diff(scandir($folder), ['.', '..'])) : [];
    }

    /** @param list<string> $command */
    private static function command(array $command): void
    {
        exec(implode(' ', array_map('escapeshellarg', $command)), $output, $status);
        Check::same(0, $status, implode(' ', $command));
    }
}
