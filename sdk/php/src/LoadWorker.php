<?php

declare(strict_types=1);

namespace Tare;

/**
 * Given to operations under load, and to the methods that set them up (`BeforeMethods`) and clean up after them (`AfterMethods`):
 * which of the workers this is.
 *
 *     #[\Tare\Operation(weight: 9)]
 *     public function get(\Tare\LoadWorker $worker): void
 *     {
 *         $this->client->get("key:$worker->number");
 *     }
 */
final class LoadWorker
{
    /** @var int of this worker among those under load together, from 0 */
    public $number;

    /** @var int how many there are */
    public $workers;

    /** @var int operations that this worker has begun before the one under way, over all its life, in processes before this one too */
    public $turn = 0;

    /** @internal */
    public function __construct(int $number, int $workers, int $turn = 0)
    {
        $this->number = $number;
        $this->workers = $workers;
        $this->turn = $turn;
    }
}
