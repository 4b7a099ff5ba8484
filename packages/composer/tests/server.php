<?php

/*
 * php server.php FILE LOG: answers every request with the file, as a server and as a proxy, and writes what it was asked to LOG.
 * A path that ends in `?long` gets more than the file, `?missing` a 404, and `?slow` its answer after 300 ms. To `?breaks` the first answer breaks off, and to
 * `?hasty` the first is a 429. Prints its port; ends with its input.
 */

[, $file, $log] = $argv;
$content = file_get_contents($file);
$times = [];
$server = stream_socket_server('tcp://127.0.0.1:0');
echo preg_replace('/^.*:/', '', stream_socket_get_name($server, false)), "\n";
while (true) {
    $ready = [$server, STDIN];
    $none = null;
    stream_select($ready, $none, $none, null);
    if (in_array(STDIN, $ready, true)) {
        exit(0);
    }
    $connection = stream_socket_accept($server);
    $request = '';
    while (($line = fgets($connection)) !== false && trim($line) !== '') {
        $request .= $line;
    }
    file_put_contents($log, "$request\n", FILE_APPEND);
    $wanted = strtok($request, "\n");
    if (strpos($wanted, '?slow') !== false) {
        usleep(300000);
    }
    $body = strpos($wanted, '?long') !== false ? $content . str_repeat('x', 1 << 20) : $content;
    $times[$wanted] = ($times[$wanted] ?? 0) + 1;
    $isFirst = $times[$wanted] === 1;
    $status = strpos($wanted, '?missing') !== false ? '404 Not Found' : '200 OK';
    if ($isFirst && strpos($wanted, '?hasty') !== false) {
        $status = '429 Too Many Requests';
    }
    $sent = $isFirst && strpos($wanted, '?breaks') !== false ? substr($body, 0, intdiv(strlen($body), 2)) : $body;
    @fwrite($connection, "HTTP/1.1 $status\r\nContent-Length: " . strlen($body) . "\r\nConnection: close\r\n\r\n$sent");
    fclose($connection);
}
