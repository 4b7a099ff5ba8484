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
    'a mark is set where a function begins, and moves no line' => static function (): void {
        foreach (['Ran', 'Marks'] as $source) {
            require_once dirname(__DIR__) . "/src/$source.php";
        }
        $source = <<<'SOURCE'
<?php namespace A;
use function strlen;
abstract class B { abstract function none(); function &M(array $x = ['{' => "{$y}"]): ?array { $f = function () { return 1; };
    return [fn() => 2, new class { function inner() { return 3; } }]; } }
$closure = function () { function within() { } };
try { throw new \Exception; } catch (\Exception $e) { }
SOURCE;
        $marks = new \Tare\Worker\Marks();
        $marked = (string) $marks->in($source, '/a.php');
        $found = array_map(static function (array $unit): string {
            return "$unit[name] $unit[line]";
        }, $marks->named(range(0, substr_count($marked, 'Ran::$u') - 1)));
        Check::same(['m 3'], $found);
        Check::same(substr_count($source, "\n"), substr_count($marked, "\n"));
        Check::same($source, (string) preg_replace('/\\\\Tare\\\\Worker\\\\Ran::\$u\[\d+\]=1;/', '', $marked));
        Check::same(null, $marks->in('<?php function (', '/b.php'));
        Check::same(null, $marks->in('<?php function f() { } __halt_compiler(); data', '/c.php'));
    },
    'files keep what they can do while they are watched' => static function (): void {
        $code = 'foreach (["Quiet", "Scratch", "Ran", "Marks", "Sources"] as $s) { require $argv[1] . "/src/$s.php"; } $m = new \Tare\Worker\Marks(); \Tare\Worker\Sources::watch([$m, "in"]);'
            . '$d = sys_get_temp_dir() . "/tare-watched-" . getmypid(); mkdir($d); file_put_contents("$d/a", "one\ntwo\n"); rename("$d/a", "$d/b"); chmod("$d/b", 0600);'
            . '$f = fopen("$d/b", "r+"); fseek($f, -4, SEEK_END); echo fgets($f), ftell($f), feof($f) ? "" : "+", flock($f, LOCK_EX) ? "l" : "", ftruncate($f, 3) ? "t" : "", fstat($f)["size"]; fclose($f); touch("$d/b", 5);'
            . 'echo filemtime("$d/b") === 5 ? "" : "m", filesize("$d/b"), is_file("$d/none") ? "?" : "", count(scandir($d)), @file_get_contents("$d/none") === false ? "n" : "";'
            . 'file_put_contents("$d/c.php", "<?php function c() { return __LINE__ . basename(__FILE__) . __COMPILER__; } const __COMPILER__ = 7;"); require "$d/c.php"; echo c();'
            . 'unlink("$d/b"); unlink("$d/c.php"); echo rmdir($d) ? "r" : "", json_encode(array_column($m->named(array_keys(\Tare\Worker\Ran::$u)), "name"));';
        $output = [];
        exec(escapeshellarg(PHP_BINARY) . ' -d display_errors=stderr -r ' . escapeshellarg($code) . ' ' . escapeshellarg(dirname(__DIR__)), $output);
        Check::same(['two', '8lt33' . '3n1c.php7r["c"]'], $output);
    },
];
