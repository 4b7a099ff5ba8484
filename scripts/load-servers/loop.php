<?php

// An event loop over stream_select in one process: `php loop.php PORT`. GET /anything?work=N hashes N times before it answers.

declare(strict_types=1);

$server = stream_socket_server("tcp://127.0.0.1:$argv[1]", $code, $message, STREAM_SERVER_BIND | STREAM_SERVER_LISTEN, stream_context_create(['socket' => ['backlog' => 1024]]));
if ($server === false) {
    fwrite(STDERR, "loop.php: $message\n");
    exit(1);
}
stream_set_blocking($server, false);
$all = [0 => $server];
$text = str_repeat('x', 100);
while (true) {
    $ready = $all;
    $none = null;
    if (stream_select($ready, $none, $none, null) === false) {
        continue;
    }
    foreach ($ready as $number => $stream) {
        if ($stream === $server) {
            while ($client = @stream_socket_accept($server, 0)) {
                stream_set_blocking($client, false);
                $all[(int) $client] = $client;
            }
            continue;
        }
        $request = (string) fread($stream, 8192);
        if ($request === '') {
            if (feof($stream)) {
                fclose($stream);
                unset($all[$number]);
            }
            continue;
        }
        $work = preg_match('/[?]work=(\d+)/', $request, $found) ? (int) $found[1] : 0;
        $hash = $text;
        for ($done = 0; $done < $work; ++$done) {
            $hash = hash('sha256', $hash . $text);
        }
        fwrite($stream, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    }
}
