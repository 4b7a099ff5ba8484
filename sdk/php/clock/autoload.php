<?php

declare(strict_types=1);

/* Loads Tare's clocks in a project without composer: require '.../sdk/php/clock/autoload.php'; */

spl_autoload_register(static function (string $class): void {
    if (strncmp($class, 'Tare\\Clock\\', 11) === 0) {
        $file = __DIR__ . '/src/' . strtr(substr($class, 11), '\\', '/') . '.php';
        if (is_file($file)) {
            require $file;
        }
    }
});
