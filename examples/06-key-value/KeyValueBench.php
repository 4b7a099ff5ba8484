<?php

declare(strict_types=1);

require_once __DIR__ . '/Redis.php';

/**
 * A key-value store under load, each worker on a key of its own.
 *
 * @BeforeMethods("connect")
 */
class OwnKey
{
    protected const VALUE = '{"name":"somebody","visits":1,"seen":"2016-03-01T12:00:00Z"}';

    /** @var Redis */
    protected $store;

    /** @var string */
    protected $prefix;

    /** @var string */
    protected $key;

    public function connect(\Tare\LoadWorker $worker): void
    {
        $this->store = new Redis(getenv('KEY_VALUE_ADDRESS') ?: '127.0.0.1:6379');
        // Others may have written here before: the names of new keys must be new.
        $this->prefix = uniqid("tare:$worker->number:", true);
        $this->key = $this->prefix;
        $this->store->set($this->key, self::VALUE);
    }

    /**
     * @Operation(weight=9)
     */
    public function get(): void
    {
        if ($this->store->get($this->key) !== self::VALUE) {
            throw new RuntimeException('the value is not the one that was put');
        }
    }

    /**
     * @Operation(weight=1)
     */
    public function put(\Tare\LoadWorker $worker): void
    {
        $this->store->set($this->key, self::VALUE);
    }
}

/** Each write to a new key; reads are of the last one that was written. */
class NewKeys extends OwnKey
{
    /**
     * @Operation(weight=1)
     */
    public function put(\Tare\LoadWorker $worker): void
    {
        $this->key = "$this->prefix:$worker->turn";
        $this->store->set($this->key, self::VALUE);
    }
}
