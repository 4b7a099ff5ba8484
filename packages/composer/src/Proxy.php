<?php

declare(strict_types=1);

namespace Tare\Package;

/** The proxy that the environment names for an address. PHP's streams don't look there; curl does. */
final class Proxy
{
    /** @var string host and port, as a stream takes them */
    public $address;

    /** @var string|null the value of Proxy-Authorization */
    public $authorization;

    private function __construct(string $address, ?string $authorization)
    {
        $this->address = $address;
        $this->authorization = $authorization;
    }

    public static function of(string $url): ?self
    {
        $scheme = \strtolower((string) \parse_url($url, \PHP_URL_SCHEME));
        $host = \strtolower((string) \parse_url($url, \PHP_URL_HOST));
        $proxy = self::named($scheme);
        if ($proxy === null || self::isExempt($host)) {
            return null;
        }
        $parts = \parse_url(\strpos($proxy, '://') === false ? "http://$proxy" : $proxy);
        if (!\is_array($parts) || !isset($parts['host']) || ($parts['scheme'] ?? 'http') !== 'http') {
            throw Failure::usage('the proxy ' . self::shown($url) . " isn't one that PHP's streams know. Write http://HOST:PORT, or install the extension curl.");
        }
        $user = isset($parts['user']) ? \rawurldecode($parts['user']) . ':' . \rawurldecode($parts['pass'] ?? '') : null;

        return new self(
            "tcp://{$parts['host']}:" . ($parts['port'] ?? 80),
            $user === null ? null : 'Basic ' . \base64_encode($user)
        );
    }

    /** The proxy for an address, without its password. */
    public static function shown(string $url): ?string
    {
        $proxy = self::named(\strtolower((string) \parse_url($url, \PHP_URL_SCHEME)));
        if ($proxy === null || self::isExempt(\strtolower((string) \parse_url($url, \PHP_URL_HOST)))) {
            return null;
        }

        return Download::shown(\strpos($proxy, '://') === false ? "http://$proxy" : $proxy);
    }

    /** As curl does: HTTP_PROXY in capitals is left out, since a web server's client could set it. */
    private static function named(string $scheme): ?string
    {
        $names = ['http' => ['http_proxy', 'all_proxy', 'ALL_PROXY'], 'https' => ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY']];
        foreach ($names[$scheme] ?? [] as $name) {
            $value = \getenv($name);
            if (\is_string($value) && $value !== '') {
                return $value;
            }
        }

        return null;
    }

    private static function isExempt(string $host): bool
    {
        foreach (['no_proxy', 'NO_PROXY'] as $name) {
            foreach (\preg_split('/[\s,]+/', \strtolower((string) \getenv($name)), -1, \PREG_SPLIT_NO_EMPTY) as $one) {
                $one = \ltrim($one, '.');
                if ($one === '*' || $host === $one || \substr($host, -\strlen(".$one")) === ".$one") {
                    return true;
                }
            }
        }

        return false;
    }
}
