<?php

/*
 * What a benchmark of PHP executes, by pcov, and where its tokens are: for scripts/mutations, independent of what Tare records.
 *
 *     php -dextension=pcov mutations_oracle.php lines BOOTSTRAP FILE...   {"CLASS::METHOD": [[path, line], ...]}: what all parameter sets execute
 *     php mutations_oracle.php tokens FILE                                 [[kind, offset, text, line], ...]
 */

if ($argv[1] === 'tokens') {
    $offset = 0;
    $found = [];
    foreach (token_get_all(file_get_contents($argv[2])) as $token) {
        [$kind, $text, $line] = is_array($token) ? [token_name($token[0]), $token[1], $token[2]] : ['', $token, $line];
        $found[] = [$kind, $offset, $text, $line];
        $line += substr_count($text, "\n");
        $offset += strlen($text);
    }
    exit(json_encode($found, JSON_INVALID_UTF8_SUBSTITUTE));
}

function named(string $comment, string $what): array
{
    preg_match_all('/@' . $what . '\((.*?)\)/s', $comment, $found);
    preg_match_all('/["\'](\w+)["\']/', implode(' ', $found[1]), $names);
    return $names[1];
}

function asked(ReflectionMethod $method, string $what): array
{
    $names = [];
    foreach ([$method->getDeclaringClass(), $method] as $of) {
        $names = array_merge($names, named((string) $of->getDocComment(), $what));
        foreach ($of->getAttributes() as $attribute) {
            if (substr($attribute->getName(), -strlen($what)) === $what) {
                $names = array_merge($names, (array) $attribute->getArguments()[0]);
            }
        }
    }
    return $names;
}

function lines(string $root): array
{
    $lines = [];
    foreach (\pcov\collect(\pcov\all) as $file => $counts) {
        foreach ($counts as $line => $count) {
            if ($count > 0 && strncmp($file, $root, strlen($root)) === 0) {
                $lines[substr($file, strlen($root)) . "\0" . $line] = 1;
            }
        }
    }
    return $lines;
}

[, , $bootstrap, $file] = $argv;
$root = getcwd() . '/';
if (isset($argv[4])) {
    [$class, $name] = explode('::', $argv[4]);
    \pcov\start();
    require_once $bootstrap;
    require_once $file;
    $method = new ReflectionMethod($class, $name);
    $sets = [[]];
    foreach (asked($method, 'ParamProviders') as $provider) {
        $more = [];
        foreach ((new $class())->$provider() as $set) {
            foreach ($sets as $before) {
                $more[] = $before + $set;
            }
        }
        $sets = $more;
    }
    \pcov\stop();
    $common = lines($root);
    \pcov\clear();
    $all = null;
    foreach ($sets as $set) {
        \pcov\start();
        $object = new $class();
        foreach (asked($method, 'BeforeMethods') as $hook) {
            $object->$hook($set);
        }
        $object->$name($set);
        \pcov\stop();
        $mine = lines($root);
        \pcov\clear();
        $all = $all === null ? $mine : array_intersect_key($all, $mine);
    }
    exit(json_encode(array_map(fn ($key) => explode("\0", $key), array_keys($common + $all))));
}
require_once $bootstrap;
$before = get_declared_classes();
require_once $file;
$found = [];
foreach (get_declared_classes() as $class) {
    $reflection = new ReflectionClass($class);
    if ($reflection->isAbstract() || $reflection->getFileName() !== realpath($file)) {
        continue;
    }
    foreach ($reflection->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
        $found[] = $class . '::' . $method->name;
    }
}
exit(json_encode($found));
