<?php

use Tare\Worker\Fault;
use Tare\Worker\Frames;

$refusal = static function (string $line): Fault {
    try {
        Frames::decode($line);
    } catch (Fault $fault) {
        return $fault;
    }
    throw new UnexpectedValueException('accepted: ' . $line);
};

/** The line of a shared vector. */
$line = static function ($parts): string {
    $text = '';
    foreach ((array) $parts as $part) {
        if (is_string($part)) {
            $text .= $part;
        } else {
            $text .= isset($part['hex']) ? hex2bin($part['hex']) : str_repeat($part['repeat'], $part['times']);
        }
    }

    return $text;
};

/** The shared vectors for workers; none where the SDK stands alone. */
$vectors = static function (string $kind): array {
    $found = [];
    foreach (glob(dirname(__DIR__, 3) . "/wire/vectors/frames/$kind/*.json") as $file) {
        $vector = json_decode((string) file_get_contents($file), true);
        if ($vector['direction'] === 'request') {
            $found[basename($file)] = $vector;
        }
    }

    return $found;
};

return [
    'a request is read' => static function (): void {
        $request = Frames::decode(' {"id":3, "frame":"run","warm":0,"iterations":[1,0,9007199254740991],"x":{"y":[1.5,null]}}' . "\t");
        Check::same('run', $request->kind);
        Check::same(3, $request->id);
        Check::same([1, 0, 9007199254740991], $request->integers('iterations', 0, Frames::MAX_INTEGER, 3));
        Check::same(0, $request->integer('warm', 0, 5));
    },
    'a line that is no frame is refused, with its id where it shows one' => static function () use ($refusal): void {
        foreach (
            [
                '' => null, 'x' => null, '[]' => null, '"frame"' => null, '{' => null, '{}' => null, "{\"frame\":\"\xff\",\"id\":1}" => null,
                '{"frame":"run"}' => null, '{"frame":"run","id":-1}' => null, '{"frame":"run","id":1.0}' => null,
                '{"frame":"run","id":-0}' => null, '{"frame":"run","id":"1"}' => null, '{"frame":"run","id":9007199254740992}' => null,
                '{"frame":1,"id":4}' => 4, '{"id":4}' => 4, '{"frame":"run","id":4,"frame":"run"}' => 4,
                '{"frame":"run","id":4,"id":4}' => null, '{"frame":"run","id":4,"a\"b":1,"a\u0022b":2}' => 4,
                '{"frame":"run","id":4,"":1,"":2}' => 4, '{"frame":"run","id":4} {}' => null,
            ] as $line => $id
        ) {
            $fault = $refusal((string) $line);
            Check::same('bad-frame', $fault->kind, (string) $line);
            Check::same($id, $fault->request, (string) $line);
        }
    },
    'keys within values are no duplicates' => static function (): void {
        Check::same(1, Frames::decode('{"frame":"run","id":1,"a":{"id":2,"frame":[{"id":"id"}]},"b":"\"id\":","c":["id","id"]}')->id);
    },
    'values are checked when asked for' => static function (): void {
        $request = Frames::decode('{"frame":"x","id":1,"null":null,"half":0.5,"object":{"0":"a"},"mixed":["a",1],"deep":[["a"]],"empty":[],"text":"a","big":9007199254740992}');
        foreach (['missing', 'null', 'half', 'object', 'mixed', 'deep', 'empty', 'text', 'big'] as $key) {
            foreach (['strings', 'integers', 'integer'] as $type) {
                try {
                    $type === 'strings' ? $request->strings($key) : $request->$type($key, 0, 10, 10);
                    throw new UnexpectedValueException("$key is no $type");
                } catch (Fault $fault) {
                    Check::same('bad-request', $fault->kind);
                }
            }
        }
        Check::same('a', $request->string('text'));
        Check::same(null, $request->optionalString('missing'));
    },
    'the longest array of iterations is read' => static function (): void {
        $request = Frames::decode('{"frame":"run","id":0,"iterations":[' . implode(',', range(1, 100000)) . ']}');
        Check::same(100000, count($request->integers('iterations', 0, Frames::MAX_INTEGER, 100000)));
    },
    'what is sent is valid' => static function (): void {
        $text = Frames::encode(['frame' => 'fault', 'message' => "a\xffb\n/é", 'file' => null]);
        Check::same('{"frame":"fault","message":"a�b\n/é"}', $text);
    },
    'a worker refuses every bad vector and goes on' => static function () use ($vectors, $line): void {
        $session = new Session();
        foreach ($vectors('bad') as $name => $vector) {
            if (($vector['core_only'] ?? '') === '') {
                $reply = $session->write($line($vector['line']))[0];
                Check::same([$vector['error'], $vector['error'] === 'bad-frame' ? $reply['id'] : $vector['id']], [$reply['kind'], $reply['id']], $name);
                Check::holds(in_array($reply['id'], [$vector['id'], -1], true), $name);
                Check::times(1, $session->run('clock'));
            }
        }
        $session->end();
        Check::same([0, ''], [$session->status, $session->output]);
    },
    'a worker answers every good vector' => static function () use ($vectors, $line): void {
        foreach ($vectors('good') as $name => $vector) {
            $session = new Session();
            $replies = $session->write($line($vector['line']));
            $answer = array_filter($vector['answer'], 'is_scalar');
            Check::has($answer, array_replace($answer, array_intersect_key(end($replies), $answer)), $name);
            $session->end();
        }
    },
    'carriage returns and empty lines are passed over, half a line is dropped' => static function (): void {
        $session = new Session();
        Check::same('samples', $session->write("\r\n\n" . '{"frame":"run","id":8,"subject":"clock","iterations":[1],"warm":0}' . "\r")[0]['frame']);
        $session->end();
        Check::same(0, $session->status);
    },
];
