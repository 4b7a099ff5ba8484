<?php

/** Fails with this status and these words, says nothing on standard output, and leaves nothing half made. */
function refuses(Package $package, int $status, array $words, array $arguments = ['run']): void
{
    $done = $package->call(...$arguments);
    Check::same([$status, ''], [$done['status'], $done['out']], $done['err']);
    foreach ($words as $word) {
        Check::holds(strpos($done['err'], $word) !== false, "no `$word` in: {$done['err']}");
    }
    Check::holds(preg_grep('/partial$/', $package->cached()) === [], 'left over: ' . implode(', ', $package->cached()));
}

/** A package for each way to fetch that this PHP has. */
function fetching(): array
{
    $packages = [new Package()];
    if (function_exists('curl_init')) {
        $packages[] = new Package();
        $packages[1]->settings = ['disable_functions=curl_init'];
    }

    return $packages;
}

$tests = [
    'the program is fetched once, and gets its options as they are' => static function (): void {
        $package = new Package();
        $first = $package->call('a b', "it's", '--', '');
        Check::same(0, $first['status'], $first['err']);
        Check::matches('~^/.*/home/\.cache/tare/programs/1-[0-9a-f]{16}/tare\|a b\|it\'s\|--\|\|$~', $first['out']);
        Check::matches('~^tare: fetching Tare 1, once, to /.*\n$~', $first['err']);
        unlink($package->archive);
        $again = $package->call('x');
        Check::same([0, ''], [$again['status'], $again['err']]);
        Check::same(1, count($package->cached()), implode(', ', $package->cached()));
        $folder = "$package->folder/home/.cache/tare/programs/" . $package->cached()[0];
        Check::same([1000, 0], [filesize("$folder/man/tare.1"), filesize("$folder/LICENSE")]);
        Check::same(['.', '..', 'LICENSE', 'man', 'tare'], scandir($folder));
    },
    'status and signal are passed on' => static function (): void {
        $package = new Package();
        foreach ([[], ['disable_functions=pcntl_exec']] as $package->settings) {
            Check::same(7, $package->call('status', '7')['status']);
            Check::same(128 + 15, $package->call('die', 'TERM')['status']);
        }
    },
    'two that begin at once fetch once' => static function (): void {
        $package = new Package();
        $package->environment['TARE_URL'] = $package->serve() . '/tare.tar.gz?slow';
        $calls = [$package->begin('a'), $package->begin('b'), $package->begin('c')];
        $done = array_map([Package::class, 'end'], $calls);
        foreach ($done as $one) {
            Check::same(0, $one['status'], $one['err']);
        }
        Check::same(1, count($package->asked()), implode("\n", $package->asked()));
        $said = implode('', array_column($done, 'err'));
        Check::same(2, substr_count($said, "another process is installing Tare's program; waiting for it"), $said);
        Check::same(1, count($package->cached()), implode(', ', $package->cached()));
    },
    'a program that is there is started, though its cache can only be read' => static function (): void {
        $package = new Package();
        $package->call();
        $folder = "$package->folder/home/.cache/tare/programs";
        chmod($folder, 0500);
        unlink($package->archive);
        Check::same([0, ''], [$package->call()['status'], $package->call()['err']]);
        chmod($folder, 0700);
    },
    'what an installation left that was killed is no hindrance' => static function (): void {
        $package = new Package();
        $folder = "$package->folder/home/.cache/tare/programs/1-" . substr(hash_file('sha256', $package->archive), 0, 16);
        mkdir("$folder.partial/man", 0700, true);
        touch("$folder.partial/tare");
        touch("$folder.lock");
        Check::same(0, $package->call()['status']);
        Check::same([basename($folder)], $package->cached());
    },
    'another archive than the listed one is refused' => static function (): void {
        foreach (fetching() as $package) {
            $package->list(str_repeat('0', 64));
            $words = ['isn\'t the archive tare-1-machine.tar.gz', hash_file('sha256', $package->archive), str_repeat('0', 64), 'Correct TARE_URL'];
            refuses($package, 4, $words);
            $package->list(hash_file('sha256', $package->archive));
            $address = $package->serve();
            $package->environment['TARE_URL'] = "$address/tare.tar.gz?long";
            refuses($package, 4, ['isn\'t the archive']);
            Check::same([], $package->cached());
        }
    },
    'an address that has no archive is named, without its password' => static function (): void {
        foreach (fetching() as $package) {
            $package->environment['TARE_URL'] = 'file:///nowhere/tare.tar.gz';
            refuses($package, 4, ["can't be fetched from file:///nowhere/tare.tar.gz: No such file", 'TARE_BINARY']);
            $package->environment['TARE_URL'] = str_replace('//', '//me:secret@', $package->serve()) . '/tare.tar.gz?missing';
            refuses($package, 4, ["can't be fetched from http://…@127.0.0.1:", '404', 'https_proxy']);
            Check::holds(strpos($package->call()['err'], 'secret') === false, 'the password is shown');
            Check::same([], $package->cached());
        }
    },
    'a build that knows no address asks for one' => static function (): void {
        $package = new Package();
        unset($package->environment['TARE_URL']);
        refuses($package, 2, ["doesn't know where its archives are", 'Set TARE_URL to the address of tare-1-machine.tar.gz']);
        $package->list(hash_file('sha256', $package->archive), null, "file://$package->folder/");
        Check::same(0, $package->call()['status']);
    },
    'proxies of the environment are asked' => static function (): void {
        foreach (fetching() as $package) {
            $package->environment['http_proxy'] = str_replace('//', '//me:a%20b@', $package->serve());
            $package->environment['TARE_URL'] = 'http://tare.invalid/tare.tar.gz';
            $done = $package->call('x');
            Check::same(0, $done['status'], $done['err']);
            Check::matches('~^GET http://tare\.invalid/tare\.tar\.gz HTTP/1\.[01]~', $package->asked()[0]);
            Check::matches('/^Proxy-Authorization: Basic ' . base64_encode('me:a b') . '/mi', file_get_contents("$package->folder/asked"));
        }
    },
    'what breaks off or came too soon is fetched again' => static function (): void {
        foreach (['breaks', 'hasty'] as $how) {
            foreach (fetching() as $package) {
                $package->environment['TARE_URL'] = $package->serve() . "/tare.tar.gz?$how";
                $done = $package->call('x');
                Check::same([0, 2], [$done['status'], count($package->asked())], $done['err']);
            }
        }
    },
    'an address that is none of the web or a file is refused' => static function (): void {
        $package = new Package();
        foreach (['ftp://x/y', 'php://stdin', 'data:text/plain,x'] as $package->environment['TARE_URL']) {
            refuses($package, 2, ['TARE_URL is', 'Write https://']);
        }
        $package->environment['TARE_URL'] = "file://$package->folder";
        refuses($package, 4, ['Is a directory', 'Set TARE_URL']);
        $package->environment['TARE_URL'] = $package->archive;
        Check::same(0, $package->call()['status']);
    },
    'neither the password of a proxy nor the signature of an address is shown' => static function (): void {
        foreach (fetching() as $package) {
            foreach (['socks4a://me:hidden@127.0.0.1:1', 'http://me:hidden#hidden@127.0.0.1:1', 'http://me:hidden@127.0.0.1:1'] as $proxy) {
                $package->environment['http_proxy'] = $proxy;
                $package->environment['TARE_URL'] = 'http://tare.invalid/tare.tar.gz?signature=hidden';
                $done = $package->call();
                Check::holds($done['status'] !== 0 && strpos($done['err'], '127.0.0.1:1') !== false, $done['err']);
                Check::holds(strpos($done['err'], 'hidden') === false, $done['err']);
            }
        }
    },
    'a certificate that is not trusted is named' => static function (): void {
        $package = new Package();
        $package->settings = ['disable_functions=curl_init'];
        if (!extension_loaded('openssl')) {
            return;
        }
        $key = openssl_pkey_new(['private_key_bits' => 2048]);
        openssl_pkey_export($key, $private);
        openssl_x509_export(openssl_csr_sign(openssl_csr_new(['commonName' => '127.0.0.1'], $key), null, $key, 1), $certificate);
        file_put_contents("$package->folder/server.pem", $certificate . $private);
        $context = stream_context_create(['ssl' => ['local_cert' => "$package->folder/server.pem"]]);
        $server = stream_socket_server('tcp://127.0.0.1:0', $number, $message, STREAM_SERVER_BIND | STREAM_SERVER_LISTEN, $context);
        $package->environment['TARE_URL'] = 'https://' . stream_socket_get_name($server, false) . '/tare.tar.gz';
        $call = $package->begin();
        for ($try = 0; $try < 3 && ($connection = @stream_socket_accept($server, 10)) !== false; ++$try) {
            @stream_socket_enable_crypto($connection, true, STREAM_CRYPTO_METHOD_TLS_SERVER);
            fclose($connection);
        }
        $done = Package::end($call);
        Check::same(4, $done['status'], $done['err']);
        Check::holds(strpos($done['err'], 'certificate verify failed') !== false, $done['err']);
    },
    'a folder that lost its program is filled anew' => static function (): void {
        $package = new Package();
        $package->call();
        $program = "$package->folder/home/.cache/tare/programs/" . $package->cached()[0] . '/tare';
        unlink($program);
        Check::same(0, $package->call()['status']);
        file_put_contents($program, '');
        refuses($package, 4, ["can't be started", 'Remove the folder ' . dirname($program)]);
    },
    'https goes through a proxy by CONNECT' => static function (): void {
        foreach (fetching() as $package) {
            $package->environment['https_proxy'] = $package->serve();
            $package->environment['TARE_URL'] = 'https://tare.invalid/tare.tar.gz';
            refuses($package, 4, ["can't be fetched from https://tare.invalid"]);
            Check::matches('/^CONNECT tare\.invalid:443 /', $package->asked()[0]);
        }
    },
    'no_proxy is heeded' => static function (): void {
        foreach (fetching() as $package) {
            $package->environment += ['http_proxy' => 'http://127.0.0.1:1', 'no_proxy' => 'example.org,127.0.0.1'];
            $package->environment['TARE_URL'] = $package->serve() . '/tare.tar.gz';
            Check::same(0, $package->call()['status']);
            Check::matches('~^GET /tare\.tar\.gz ~', $package->asked()[0]);
        }
    },
    'a cache that cannot be made is named' => static function (): void {
        $package = new Package();
        $package->environment['XDG_CACHE_HOME'] = '/proc/none';
        refuses($package, 4, ['the folder /proc/none for Tare\'s program can\'t be made: No such file or directory', 'Set XDG_CACHE_HOME']);
        touch("$package->folder/home/.cache");
        unset($package->environment['XDG_CACHE_HOME']);
        refuses($package, 4, ["$package->folder/home/.cache for Tare's program can't be made: File exists"]);
    },
    'without a home the cache is in the folder for temporary files' => static function (): void {
        $package = new Package();
        $package->environment = ['HOME' => '/nonexistent', 'TMPDIR' => "$package->folder/home"] + $package->environment;
        $done = $package->call();
        Check::matches('~^' . preg_quote("$package->folder/home", '~') . '/tare-cache-\d+/programs/~', $done['out']);
    },
    'a cache that others can write to is refused' => static function (): void {
        $package = new Package();
        mkdir("$package->folder/home/.cache/tare", 0700, true);
        chmod("$package->folder/home/.cache/tare", 0777);
        refuses($package, 4, ['other users can write to', 'chmod go-w']);
    },
    'a program that may not be executed is named' => static function (): void {
        $package = new Package();
        $package->call();
        $program = "$package->folder/home/.cache/tare/programs/" . $package->cached()[0] . '/tare';
        chmod($program, 0644);
        refuses($package, 4, ["$program may not be executed", 'noexec', 'XDG_CACHE_HOME']);
    },
    'on a machine without an archive the message lists those that there are' => static function (): void {
        $package = new Package();
        $package->list('', 'Linux-sparc64');
        refuses($package, 4, ['no archive has the program for Linux-' . php_uname('m'), 'archives for Linux-sparc64', 'TARE_BINARY']);
    },
    'a program that the environment names needs no archive' => static function (): void {
        $package = new Package();
        unlink("$package->folder/package/archives.json");
        $program = "$package->folder/made/tare-1-machine/tare";
        $package->environment['TARE_BINARY'] = $program;
        Check::same("$program|a|", $package->call('a')['out']);
        $package->environment['TARE_BINARY'] = 'made/tare-1-machine/tare';
        Check::same("$program|a|", $package->call('a')['out']);
        $package->environment['TARE_BINARY'] = '/nowhere/tare';
        refuses($package, 2, ['TARE_BINARY is /nowhere/tare, which is no file']);
        $package->environment['TARE_BINARY'] = "$package->folder/package/bin/tare";
        refuses($package, 2, ['which is this launcher']);
        unset($package->environment['TARE_BINARY']);
        refuses($package, 4, ["the list of archives in $package->folder/package can't be read", 'composer reinstall']);
    },
];
if (function_exists('posix_geteuid') && posix_geteuid() === 0) {
    $tests['a cache of another user is refused'] = static function (): void {
        $package = new Package();
        mkdir("$package->folder/home/.cache/tare", 0755, true);
        chown("$package->folder/home/.cache/tare", 12345);
        refuses($package, 4, ["is another user's"]);
    };
}

return $tests;
