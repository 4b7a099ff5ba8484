<?php

declare(strict_types=1);

use Tare\Clock\Clock;
use Tare\Clock\SelectTicks;

/**
 * Clients around one stream_select.
 */
final class Server
{
    /** stream_select can't watch descriptors from 1024 on. */
    private const MOST_CLIENTS = 900;
    private const MOST_BYTES = 65536;

    /** @var resource */
    private $socket;
    private SelectTicks $ticks;
    private Clock $wall;
    private Clock $monotonic;
    private Log $log;
    private int $patience;
    /** @var array<int, resource> */
    private array $sockets = [];
    /** @var array<int, Connection> */
    private array $connections = [];
    /** @var array<int, true> whom nothing more is sent */
    private array $shut = [];

    /**
     * @param SelectTicks $ticks    drives both clocks where these are TickClocks, none otherwise
     * @param int         $patience nanoseconds
     *
     * @throws RuntimeException when the port is taken
     */
    public function __construct(int $port, SelectTicks $ticks, Clock $wall, Clock $monotonic, Log $log, int $patience)
    {
        $context = stream_context_create(['socket' => ['backlog' => 511, 'tcp_nodelay' => true]]);
        $socket = @stream_socket_server("tcp://127.0.0.1:$port", $number, $message, STREAM_SERVER_BIND | STREAM_SERVER_LISTEN, $context);
        if ($socket === false) {
            throw new RuntimeException("can't listen on 127.0.0.1:$port: $message; --port 0 takes a free one");
        }
        stream_set_blocking($socket, false);
        $this->socket = $socket;
        $this->ticks = $ticks;
        $this->wall = $wall;
        $this->monotonic = $monotonic;
        $this->log = $log;
        $this->patience = $patience;
    }

    /** 127.0.0.1 and the port. */
    public function address(): string
    {
        return (string) stream_socket_get_name($this->socket, false);
    }

    /** Serves until so many requests have been answered, or so many nanoseconds have passed. */
    public function run(int $requests, int $nanoseconds): void
    {
        $end = $this->monotonic->nanoseconds() + $nanoseconds;
        try {
            while ($this->log->requests < $requests && $this->monotonic->nanoseconds() < $end) {
                $this->turn(min($end, $this->monotonic->nanoseconds() + 1000000000));
            }
            // Who waits for an answer that is written, gets it.
            foreach ($this->connections as $key => $connection) {
                $this->send($key, $connection);
            }
        } finally {
            $this->ticks->end();
            $this->log->write();
        }
    }

    private function turn(int $until): void
    {
        $read = $write = [];
        if (count($this->sockets) < self::MOST_CLIENTS) {
            $read[-1] = $this->socket;
        }
        foreach ($this->connections as $key => $connection) {
            $until = min($until, $connection->deadline);
            if ($connection->isReading() || isset($this->shut[$key])) {
                $read[$key] = $this->sockets[$key];
            }
            if ($connection->output !== '') {
                $write[$key] = $this->sockets[$key];
            }
        }
        $except = null;
        $wait = max(0, $until - $this->monotonic->nanoseconds());
        $write = $write === [] ? null : $write;
        $ready = $this->ticks->select($read, $write, $except, intdiv($wait, 1000000000), intdiv($wait % 1000000000, 1000) + 1);
        if ($ready === false) {
            return;
        }
        foreach ($read ?? [] as $key => $socket) {
            $key === -1 ? $this->accept() : $this->receive($key, $socket);
        }
        foreach ($write ?? [] as $key => $socket) {
            if (isset($this->connections[$key])) {
                $this->send($key, $this->connections[$key]);
            }
        }
        foreach ($this->connections as $key => $connection) {
            if ($connection->deadline <= $this->monotonic->nanoseconds()) {
                $connection->isClosing ? $this->drop($key) : $connection->expire();
            }
            if ($connection->isClosing && $connection->output === '' && !isset($this->shut[$key])) {
                $this->close($key, $connection);
            }
        }
        $this->log->write();
    }

    private function accept(): void
    {
        while (count($this->sockets) < self::MOST_CLIENTS && ($socket = @stream_socket_accept($this->socket, 0, $name)) !== false) {
            stream_set_blocking($socket, false);
            // Straight to recv and send: what PHP would buffer, stream_select couldn't see.
            stream_set_read_buffer($socket, 0);
            stream_set_write_buffer($socket, 0);
            $key = (int) $socket;
            $this->sockets[$key] = $socket;
            $this->connections[$key] = new Connection((string) $name, $this->wall, $this->monotonic, $this->log, $this->patience);
        }
    }

    /** @param resource $socket */
    private function receive(int $key, $socket): void
    {
        $connection = $this->connections[$key];
        $bytes = @fread($socket, self::MOST_BYTES);
        if ($bytes === false || ($bytes === '' && feof($socket))) {
            $this->drop($key);

            return;
        }
        if (isset($this->shut[$key])) {
            return;
        }
        $connection->receive($bytes);
        // Most answers fit into the socket at once, and need no turn of their own.
        $this->send($key, $connection);
    }

    private function send(int $key, Connection $connection): void
    {
        while ($connection->output !== '') {
            $count = @fwrite($this->sockets[$key], $connection->output);
            if ($count === false) {
                $this->drop($key);

                return;
            }
            if ($count === 0) {
                return;
            }
            $connection->sent($count);
        }
    }

    private function close(int $key, Connection $connection): void
    {
        if (isset($this->sockets[$key]) && $connection->isDiscarding) {
            stream_socket_shutdown($this->sockets[$key], STREAM_SHUT_WR);
            $this->shut[$key] = true;
        } else {
            $this->drop($key);
        }
    }

    private function drop(int $key): void
    {
        if (isset($this->sockets[$key])) {
            fclose($this->sockets[$key]);
        }
        unset($this->sockets[$key], $this->connections[$key], $this->shut[$key]);
    }
}
