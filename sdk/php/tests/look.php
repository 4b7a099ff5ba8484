<?php

return [
    'each case opens what it loads, though another case has loaded it' => static function (): void {
        if (!function_exists('pcntl_fork')) {
            return;
        }
        $part = sys_get_temp_dir() . '/tare-part-' . bin2hex(random_bytes(6)) . '.php';
        // Opcache takes no file that is younger than its protection, and believes for a while what it has.
        $php = ['-d', 'opcache.enable_cli=1', '-d', 'opcache.file_update_protection=0', '-d', 'opcache.revalidate_freq=60'];
        $session = Session::loaded(['LookBench.php'], $replies, $php, ['TARE_LOOK' => $part . '.look', 'TARE_TEST_PART' => $part]);
        try {
            foreach (['LookBench::benchFirst' => 'of the first,', 'LookBench::benchSecond' => 'of the second'] as $benchmark => $text) {
                file_put_contents($part, "<?php return '$text';");
                touch($part, 1000000000);
                Check::same('ready', $session->prepare($replies, $benchmark)['frame']);
                Check::times(1, $session->run('case'));
                $session->last(['frame' => 'finish']);
            }
        } finally {
            $session->end();
            unlink($part);
        }
        Check::same('of the first,of the second', $session->output);
    },
];
