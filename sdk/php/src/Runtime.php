<?php

declare(strict_types=1);

namespace Tare\Worker;

/** What this PHP is and how it is set up. */
final class Runtime
{
    /** Extensions that instrument code. */
    private const INSTRUMENTS = ['blackfire', 'tideways', 'tideways_xhprof', 'xhprof', 'newrelic', 'ddtrace', 'datadog-profiling', 'spx', 'excimer', 'opentelemetry'];

    /** @var array<string, mixed> */
    private $opcache;

    public function __construct()
    {
        $status = Quiet::call(static function () {
            return \function_exists('opcache_get_status') ? \opcache_get_status(false) : false;
        });
        $this->opcache = \is_array($status) ? $status : [];
    }

    public function isJitOn(): bool
    {
        return ($this->opcache['jit']['on'] ?? false) === true;
    }

    /**
     * @return list<string> `name=value`
     */
    public function facts(): array
    {
        $facts = [
            'sapi' => \PHP_SAPI,
            'zts' => self::yes(\PHP_ZTS),
            'debug' => self::yes(\PHP_DEBUG),
            'opcache' => $this->opcache === [] ? 'off' : (($this->opcache['opcache_enabled'] ?? false) === true ? 'on' : 'off'),
            'jit' => $this->jit(),
            'xdebug' => self::xdebug(),
            'pcov' => self::pcov(),
            'instruments' => \implode(',', \array_filter(self::INSTRUMENTS, 'extension_loaded')) ?: 'none',
            'memory_limit' => (string) \ini_get('memory_limit'),
            'ini' => (\php_ini_loaded_file() ?: 'none') . ' + ' . \count(\array_filter(\explode(',', (string) \php_ini_scanned_files()))) . ' scanned',
            'os' => \PHP_OS . ' ' . \php_uname('r') . ' ' . \php_uname('m'),
            'int' => 8 * \PHP_INT_SIZE . ' bit',
            'assertions' => (string) \ini_get('zend.assertions'),
            'gc' => \gc_enabled() ? 'on' : 'off',
        ];
        $lines = [];
        foreach ($facts as $name => $value) {
            $lines[] = $name . '=' . $value;
        }

        return $lines;
    }

    private function jit(): string
    {
        if (!$this->isJitOn()) {
            return 'off';
        }

        return \ini_get('opcache.jit') . ', buffer ' . ($this->opcache['jit']['buffer_size'] ?? 0);
    }

    private static function xdebug(): string
    {
        if (!\extension_loaded('xdebug')) {
            return 'none';
        }
        $mode = \getenv('XDEBUG_MODE') ?: (string) \ini_get('xdebug.mode');

        return \phpversion('xdebug') . ($mode === '' ? '' : ', mode ' . $mode);
    }

    private static function pcov(): string
    {
        return \extension_loaded('pcov') ? \phpversion('pcov') . (\ini_get('pcov.enabled') ? ', on' : ', off') : 'none';
    }

    /**
     * @param mixed $flag
     */
    private static function yes($flag): string
    {
        return $flag ? 'yes' : 'no';
    }
}
