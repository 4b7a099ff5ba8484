<?php

/** The case frames of one benchmark, without what differs by place. */
$cases = static function (array $replies, string $benchmark): array {
    return array_values(array_filter($replies, static function (array $frame) use ($benchmark): bool {
        return $frame['frame'] === 'case' && $frame['benchmark'] === $benchmark;
    }));
};
$notices = static function (array $replies, string $level): array {
    return array_values(array_filter($replies, static function (array $frame) use ($level): bool {
        return $frame['frame'] === 'notice' && $frame['level'] === $level;
    }));
};

$annotations = static function () use ($cases, $notices): void {
    $session = Session::loaded(['AnnotationsBench.php'], $replies);
    $session->end();
    $product = $cases($replies, 'AnnotationsBench::benchProduct');
    Check::same(['one,y=a\x80b', 'two,y=a\x80b', 'one,1', 'two,1', 'one,2', 'two,2'], array_column($product, 'parameters'));
    Check::has([
        'names' => ['x', 'y', 'z'], 'values' => ['2', '[1, [2, "three"]]', 'ArrayObject'], 'groups' => ['a', 'b', 'c'],
        'iterations' => 1000, 'samples' => 5, 'unit' => 'milliseconds', 'line' => 81,
    ], $product[5]);
    Check::same(['1', '"a�b"'], $product[0]['values']);
    Check::same(['1', 'Closure'], $product[2]['values']);
    $oneLine = $cases($replies, 'AnnotationsBench::benchOneLine');
    Check::same(['1 revs', '10 revs'], array_column($oneLine, 'parameters'));
    Check::has(['iterations' => 10, 'samples' => 2, 'timeout_ms' => 250], $oneLine[1]);
    Check::has(['iterations' => 42, 'skip' => 'marked with Skip in the source'], $cases($replies, 'AnnotationsBench::marked')[0]);
    $functions = $cases($replies, 'AnnotationsBench::benchFunctionProviders');
    Check::same(['g,s=true', 'g,s=null'], array_column($functions, 'parameters'));
    Check::same([['1.0', 'true'], ['1.0', 'null']], array_column($functions, 'values'));
    Check::holds(!isset($functions[0]['groups']), 'an empty list replaces the groups of the class');
    // A trait's method stands where its trait does, and its annotation overrides the class's.
    Check::has(['iterations' => 3], $cases($replies, 'AnnotationsBench::benchFromTrait')[0]);
    // The child overrides the class's Revs and keeps what the parent's method declares.
    $child = $cases($replies, 'ChildBench::benchProduct');
    Check::same(6, count($child));
    Check::has(['iterations' => 2, 'samples' => 5, 'groups' => ['a', 'b']], $child[0]);
    Check::same([], $cases($replies, 'AnnotationsBench::benchBroken'));
    // Told for each benchmark that it keeps from being measured, with its name.
    $told = $notices($replies, 'error');
    Check::same(count($told), count(array_unique(array_map('serialize', $told))));
    Check::same(count($told), count(array_column($told, 'benchmark')));
    $errors = array_values(array_column($told, null, 'message'));
    Check::same(['load', 'load'], array_column($errors, 'kind'));
    Check::matches('/^`@ParamProviders\(\{"provideX"` cannot be read/', $errors[0]['message']);
    Check::matches('/^BeforeClassMethods stands at the method AnnotationsBench::benchMisplaced\(\)/', $errors[1]['message']);
    Check::same(['variant.mode < 5 ms'], $cases($replies, 'AnnotationsBench::benchProduct')[0]['assertions']);
    Check::same([], $notices($replies, 'info'));
    Check::same(end($replies)['cases'], count(array_filter($replies, static function (array $frame): bool {
        return $frame['frame'] === 'case';
    })));
};

$attributes = static function () use ($cases, $notices): void {
    if (PHP_VERSION_ID < 80000) {
        return;
    }
    $session = Session::loaded(['AttributesBench.php'], $replies);
    $session->end();
    $name = 'Shop\Benchmarks\AttributesBench::';
    $total = $cases($replies, $name . 'benchTotal');
    Check::same(['small,currency=EUR', 'large,currency=EUR', 'small,currency=ISK', 'large,currency=ISK'], array_column($total, 'parameters'));
    Check::has([
        'names' => ['items', 'currency'], 'values' => ['1000', '"ISK"'], 'groups' => ['cart', 'base', 'total'], 'iterations' => 5,
        'samples' => 4, 'unit' => 'milliseconds', 'timeout_ms' => 1500, 'file' => __DIR__ . '/fixtures/AttributesBench.php',
    ], $total[3]);
    Check::has(['iterations' => 5, 'samples' => 4], $cases($replies, $name . 'inherited')[0]);
    Check::same([1, 10], array_column($cases($replies, $name . 'benchSeveralRevs'), 'iterations'));
    Check::same('marked with Skip in the source', $cases($replies, $name . 'benchSkipped')[0]['skip']);
    Check::same(5, $cases($replies, $name . 'benchMissingConstant')[0]['iterations']);
    Check::same([], $cases($replies, $name . 'benchMissingProviderConstant'));
    Check::same([], $cases($replies, $name . 'notASubject'));
    Check::same([], $cases($replies, $name . 'benchProtected'));
    Check::same([], $cases($replies, 'Shop\Benchmarks\BaseBench::inherited'), 'an abstract class has no instances');
    $warnings = array_column($notices($replies, 'warning'), 'message', 'kind');
    Check::matches('/^`#\[Revs\]` cannot be read: Class .*NoSuchPackage/', $warnings['declaration']);
    Check::matches('/^`#\[ParamProviders\]` cannot be read/', $notices($replies, 'error')[0]['message']);
    $several = $cases($replies, $name . 'benchSeveralRevs');
    Check::same([['count([1]) = 1', 'mode(variant.time.avg) < 10ms']], array_values(array_unique(array_column($several, 'assertions'), SORT_REGULAR)));
    $ignored = array_column(array_filter($notices($replies, 'warning'), static function (array $frame): bool {
        return $frame['kind'] === 'ignored';
    }), 'message');
    sort($ignored);
    Check::same(['Executor', 'RetryThreshold'], array_map(static function (string $text): string {
        return strtok($text, ' ');
    }, $ignored));
};

$bases = static function () use ($notices): void {
    Session::loaded(['BaseBench.php'], $replies)->end();
    $marked = [];
    foreach ($replies as $frame) {
        if ($frame['frame'] === 'case' && isset($frame['base'])) {
            Check::same(true, $frame['base']);
            $marked[] = substr($frame['benchmark'], strlen('Shop\\Benchmarks\\'));
        }
    }
    $expected = [
        'AnnotatedBaseBench::benchShort', 'AnnotatedBaseBench::benchQualified', 'AnnotatedBaseBench::benchAbsolute',
        // What is inherited keeps its mark, and so does what overrides a marked method.
        'OverridingBaseBench::benchShort', 'OverridingBaseBench::benchQualified', 'OverridingBaseBench::benchAbsolute',
    ];
    if (PHP_VERSION_ID >= 80000) {
        array_push($expected, 'AttributedBaseBench::benchImported', 'AttributedBaseBench::benchAbsolute', 'AttributedBaseBench::benchRelative');
    }
    Check::same($expected, $marked);
    $warnings = array_values(array_unique(array_column($notices($replies, 'warning'), 'message')));
    Check::same(1, count($warnings), json_encode($warnings));
    Check::matches('/^Base stands at the class Shop.Benchmarks.MarkedAsAWholeBench, but is meant for one of its methods; /', $warnings[0]);
};

return [
    'annotations' => $annotations,
    'a base is marked by name alone' => $bases,
    'attributes' => $attributes,
    'the same files give the same numbers' => static function (): void {
        $files = ['AnnotationsBench.php', 'TimerBench.php'];
        Session::loaded($files, $first)->end();
        Session::loaded($files, $second)->end();
        Check::same($first, $second);
        $numbers = array_column(array_filter($first, static function (array $frame): bool {
            return $frame['frame'] === 'case';
        }), 'case');
        Check::same(range(0, count($numbers) - 1), $numbers);
    },
    'a file named twice is enumerated once' => static function (): void {
        Session::loaded(['QuietBench.php', 'QuietBench.php'], $replies)->end();
        Check::same(2, end($replies)['cases']);
    },
    'several classes of a file come in its order' => static function (): void {
        Session::loaded(['FailingBench.php'], $replies)->end();
        $classes = array_values(array_unique(array_map(static function (array $frame): string {
            return strtok($frame['benchmark'], ':');
        }, array_filter($replies, static function (array $frame): bool {
            return $frame['frame'] === 'case';
        }))));
        Check::same(['ConstructorThrowsBench', 'ProvidersBench', 'SubjectsBench'], $classes);
    },
    'a bootstrap comes first, and may be strict' => static function (): void {
        $session = new Session();
        $replies = $session->load(['QuietBench.php'], 'bootstrap.php');
        Check::same(2, end($replies)['cases']);
        Check::has(['frame' => 'ready', 'pauses' => false], $session->prepare($replies, 'QuietBench::benchNothing'));
        Check::times(2, $session->run('case', [1, 2]));
        $session->end();
        Check::same(0, $session->status);
    },
    'a file without benchmarks says so' => static function (): void {
        Session::loaded(['empty.php'], $replies)->end();
        Check::has(['level' => 'warning', 'message' => 'The file holds no benchmark.'], $replies[0]);
    },
    'attributes of other libraries have no effect, and misspelt ones of PHPBench are told' => static function () use ($cases, $notices): void {
        Session::loaded(['ForeignBench.php'], $replies)->end();
        $of = static function (string $method) use ($cases, $replies): array {
            return $cases($replies, "Shop\\Foreign\\ForeignBench::$method")[0];
        };
        $foreign = $of('benchForeign');
        foreach (['skip', 'groups', 'assertions', 'iterations'] as $key) {
            Check::holds(!isset($foreign[$key]), "$key of another library");
        }
        Check::same(['own'], $of('benchAnnotated')['groups']);
        $told = array_column($notices($replies, 'warning'), null, 'line');
        $misspelt = $told[$of('benchAnnotated')['line']];
        Check::matches('/^`@Marks.Iteratons` is none that PHPBench has \(did you mean Iterations\?\)/', $misspelt['message']);
        Check::matches('/ForeignBench.php$/', $misspelt['file']);
        if (PHP_VERSION_ID < 80000) {
            return;
        }
        Check::same(7, $of('benchMisspelt')['iterations']);
        $message = $told[$of('benchMisspelt')['line']]['message'];
        Check::matches('/^`#\[PhpBench.Attributes.Itterations\]` is none that PHPBench has \(did you mean Iterations\?\)/', $message);
        Check::same('seconds', $of('benchMinutes')['unit']);
        Check::matches('/^OutputTimeUnit of "minutes" is shown in seconds/', $told[$of('benchMinutes')['line']]['message']);
        Check::same('milliseconds', $of('benchShortUnit')['unit']);
        Check::holds(!isset($of('benchParsecs')['unit']), 'parsecs');
        Check::matches('/^OutputTimeUnit of "parsecs" is no unit of time/', $told[$of('benchParsecs')['line']]['message']);
        Check::same(4, count($told));
    },
    'several numbers of calls and of calls before make a case each, also where the configuration says them' => static function () use ($cases): void {
        $session = Session::loaded(['RepeatedBench.php'], $replies, [], ['TARE_REVS' => '4,5', 'TARE_WARMUP' => '1,3']);
        $own = $cases($replies, 'RepeatedBench::benchOwn');
        Check::same(['2 revs, 0 warmup', '2 revs, 2 warmup', '3 revs, 0 warmup', '3 revs, 2 warmup'], array_column($own, 'parameters'));
        Check::same([2, 2, 3, 3], array_column($own, 'iterations'));
        $configured = $cases($replies, 'RepeatedBench::benchConfigured');
        Check::same(['4 revs, 1 warmup', '4 revs, 3 warmup', '5 revs, 1 warmup', '5 revs, 3 warmup'], array_column($configured, 'parameters'));
        Check::same(['4 revs', '5 revs'], array_column($cases($replies, 'RepeatedBench::benchWarm'), 'parameters'));
        Check::has(['frame' => 'ready'], $session->prepare($replies, 'RepeatedBench::benchConfigured', '4 revs, 3 warmup'));
        Check::has(['frame' => 'samples'], $session->run('case', [4]));
        $session->end();
        Check::same(3 + 4, substr_count($session->output, 'configured '), 'calls before and in the sample');
        Session::loaded(['RepeatedBench.php'], $replies, [], ['TARE_WARMUP' => '2', 'TARE_REVS' => 'many'])->end();
        Check::holds(!isset($cases($replies, 'RepeatedBench::benchConfigured')[0]['parameters']), 'one number is no part of a name');
        Session::loaded(['RepeatedBench.php'], $replies, [], ['TARE_REVS' => '4,5', 'TARE_GIVEN' => 'revs'])->end();
        Check::same(['0 warmup', '2 warmup'], array_column($cases($replies, 'RepeatedBench::benchOwn'), 'parameters'), 'calls of the command line take their place');
        Check::holds(!isset($cases($replies, 'RepeatedBench::benchConfigured')[0]['parameters']), 'of the configuration, too');
        Session::loaded(['RepeatedBench.php'], $replies, [], ['TARE_SUBJECTS' => 'Own$', 'TARE_UNREAD' => 'annotations'])->end();
        Check::same(1, end($replies)['cases'], 'subjects that the pattern matches');
        Check::holds(!isset($cases($replies, 'RepeatedBench::benchOwn')[0]['iterations']), 'annotations that are not to be read');
    },
    'a generator as subject is pointed out' => static function (): void {
        Session::loaded(['TimerBench.php'], $replies)->end();
        Check::one($replies, ['frame' => 'notice', 'kind' => 'generator', 'level' => 'warning']);
    },
];
