<?php

// For scripts/public-suites: an autoloader like the one that composer writes, and a list of PHPBench's subjects by PHP's own reflection.

/** @param array{namespaces: list<array{string, string, string}>, files: list<string>, classes: list<string>} $wanted */
function public_suites_autoload(array $wanted): void
{
    spl_autoload_register(static function (string $class) use ($wanted): void {
        foreach ($wanted['namespaces'] as [$kind, $prefix, $folder]) {
            if ($prefix !== '' && strncmp($class, $prefix, strlen($prefix)) !== 0) {
                continue;
            }
            $rest = $kind === 'psr-4' ? substr($class, strlen($prefix)) : $class;
            $file = rtrim($folder, '/') . '/' . str_replace('\\', '/', $rest) . '.php';
            if (is_file($file)) {
                require_once $file;

                return;
            }
        }
    });
    foreach ($wanted['files'] as $file) {
        require_once $file;
    }
    foreach ($wanted['classes'] as $place) {
        foreach (public_suites_files($place) as $file) {
            require_once $file;
        }
    }
}

/** @return list<string> */
function public_suites_files(string $place): array
{
    if (is_file($place)) {
        return [$place];
    }
    $found = [];
    foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($place, FilesystemIterator::SKIP_DOTS)) as $file) {
        if ($file->getExtension() === 'php') {
            $found[] = $file->getPathname();
        }
    }
    sort($found);

    return $found;
}

if (($argv[1] ?? '') === 'subjects' && realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    $config = [];
    foreach (['phpbench.json', 'phpbench.json.dist'] as $name) {
        if (is_file($name)) {
            $config = json_decode(file_get_contents($name), true, 64, JSON_THROW_ON_ERROR);
            break;
        }
    }
    $setting = static fn(string $key, $default) => $config["runner.$key"] ?? $config[$key] ?? $default;
    $bootstrap = $setting('bootstrap', null);
    if ($bootstrap !== null) {
        require_once $bootstrap;
    } else {
        require_once 'vendor/autoload.php';
    }
    $pattern = $setting('file_pattern', '*.php');
    $method = '{' . $setting('subject_pattern', '^bench') . '}';
    $places = array_slice($argv, 2) ?: (array) $setting('path', []);
    $files = [];
    foreach ($places as $place) {
        foreach (public_suites_files($place) as $file) {
            if (fnmatch($pattern, basename($file))) {
                $files[] = realpath($file);
            }
        }
    }
    ob_start();
    foreach ($files as $file) {
        require_once $file;
    }
    ob_end_clean();
    foreach (get_declared_classes() as $class) {
        $reflection = new ReflectionClass($class);
        if ($reflection->isAbstract() || ! in_array($reflection->getFileName(), $files, true)) {
            continue;
        }
        foreach ($reflection->getMethods(ReflectionMethod::IS_PUBLIC) as $candidate) {
            $marked = preg_match('/@(PhpBench\\\\\S*)?Subject\b/', (string) $candidate->getDocComment()) === 1;
            foreach (PHP_VERSION_ID >= 80000 ? $candidate->getAttributes() : [] as $attribute) {
                $marked = $marked || substr($attribute->getName(), -8) === '\\Subject';
            }
            if ($marked || preg_match($method, $candidate->getName()) === 1) {
                echo $reflection->getShortName(), '::', $candidate->getName(), "\n";
            }
        }
    }
}
