"""Cases for `work-rates`: what executes the same in both commits, and loops that take a thousandth more turns.

A subject is a name, the range that its size is drawn from, and its body, in which N stands for the size. Libraries are
those that the language brings along."""

PHP = {
    "loop": (200, 3000, "$x = 1; for ($i = 0; $i < N; $i++) { $x = ($x * 31 + $i) & 0xffff; } return $x;"),
    "floats": (200, 2000, "$x = 0.5; for ($i = 1; $i < N; $i++) { $x += sqrt($i) / ($x + 1); } return $x;"),
    "concat": (100, 1000, "$s = ''; for ($i = 0; $i < N; $i++) { $s .= 'ab' . $i; } return strlen($s);"),
    "sprintf": (20, 300,
        "$n = 0; for ($i = 0; $i < N; $i++) { $n += strlen(sprintf('%05d %s %.2f', $i, 'x', $i / 3)); } return $n;"),
    "explode": (50, 800, "return count(explode(' ', implode(' ', range(1, N))));"),
    "replace": (50, 800, "return strlen(str_replace(['ab', 'cd'], ['xyz', ''], str_repeat('abcde ', N)));"),
    "preg": (20, 400, "return preg_match_all('/(\\w+)=(\\d+)/', str_repeat('key=12; ', N), $found);"),
    "callback": (20, 200,
        "return strlen(preg_replace_callback('/\\d+/', fn($m) => $m[0] + 1, implode(',', range(1, N))));"),
    "sort": (50, 800, "$a = []; for ($i = 0; $i < N; $i++) { $a[] = ($i * 7919) % 1009; } sort($a); return $a[0];"),
    "usort": (20, 300,
        "$a = []; for ($i = 0; $i < N; $i++) { $a[] = ($i * 7919) % 1009; } usort($a, fn($x, $y) => $x <=> $y); "
        "return $a[0];"),
    "ksort": (20, 300,
        "$a = []; for ($i = 0; $i < N; $i++) { $a['k' . ($i * 7919) % 1009] = $i; } ksort($a); return count($a);"),
    "hash": (50, 800,
        "$a = []; for ($i = 0; $i < N; $i++) { $k = 'k' . ($i % 97); $a[$k] = ($a[$k] ?? 0) + 1; } return count($a);"),
    "numbers": (50, 800, "$a = []; for ($i = 0; $i < N; $i++) { $a[$i * 17 % 4096] = $i; } return array_sum($a);"),
    "map": (50, 600, "return array_sum(array_filter(array_map(fn($x) => $x * 2, range(1, N)), fn($x) => $x % 3 > 0));"),
    "generator": (50, 600,
        "$g = (function ($n) { for ($i = 0; $i < $n; $i++) { yield $i; } })(N); $x = 0; foreach ($g as $v) { $x += "
        "$v; } return $x;"),
    "objects": (20, 400,
        "$head = null; for ($i = 0; $i < N; $i++) { $o = new stdClass; $o->next = $head; $o->v = $i; $head = $o; } "
        "return $head->v;"),
    "queue": (20, 200,
        "$q = new SplPriorityQueue; for ($i = 0; $i < N; $i++) { $q->insert($i, $i * 7919 % 101); } $x = 0; while "
        "(!$q->isEmpty()) { $x ^= $q->extract(); } return $x;"),
    "storage": (20, 200,
        "$s = new SplObjectStorage; for ($i = 0; $i < N; $i++) { $s[new stdClass] = $i; } return count($s);"),
    "encode": (10, 200,
        "$a = []; for ($i = 0; $i < N; $i++) { $a['k' . $i] = ['n' => $i, 's' => 'text', 'f' => $i / 7]; } return "
        "strlen(json_encode($a));"),
    "decode": (10, 200, "return count(json_decode('[' . str_repeat('{\"a\":1,\"b\":[1,2,\"x\"]},', N) . '0]', true));"),
    "throws": (10, 200,
        "$x = 0; for ($i = 0; $i < N; $i++) { try { throw new RuntimeException('no ' . $i); } catch "
        "(RuntimeException $e) { $x += strlen($e->getMessage()); } } return $x;"),
    "fibonacci": (8, 15,
        "$f = function ($n) use (&$f) { return $n < 2 ? $n : $f($n - 1) + $f($n - 2); }; return $f(N);"),
    "methods": (50, 1000, "$o = new Counter; for ($i = 0; $i < N; $i++) { $o->add($i); } return $o->sum;"),
    "digest": (10, 200, "$x = ''; for ($i = 0; $i < N; $i++) { $x = md5($x . $i) . crc32($x); } return $x;"),
    "serialize": (10, 200, "return count(unserialize(serialize(array_fill(0, N, ['a' => 1, 'b' => 'text']))));"),
    "unique": (20, 400,
        "$a = []; for ($i = 0; $i < N; $i++) { $a[] = 'w' . ($i * 31 % 50); } return count(array_unique($a)) + "
        "count(array_flip($a));"),
    "match": (50, 1000,
        "$x = 0; for ($i = 0; $i < N; $i++) { $x += match (true) { $i % 15 === 0 => 15, $i % 5 === 0 => 5, default "
        "=> 1 }; } return $x;"),
    "dates": (5, 60,
        "$d = new DateTimeImmutable('2020-01-01 UTC'); $s = ''; for ($i = 0; $i < N; $i++) { $d = $d->modify('+1 "
        "day'); $s = $d->format('Y-m-d'); } return $s;"),
    "levenshtein": (5, 60,
        "$x = 0; for ($i = 0; $i < N; $i++) { $x += levenshtein('benchmark' . $i, 'bookmarks') + similar_text('abcd' "
        ". $i, 'abdc'); } return $x;"),
    "strings": (50, 500,
        "$x = 0; for ($i = 0; $i < N; $i++) { $x += strlen(strrev(ucwords(substr('some text ' . $i, 2, 9)))); } "
        "return $x;"),
}
PYTHON = {
    "loop": (200, 2000, "x = 1\nfor i in range(N):\n    x = (x * 31 + i) & 0xffff\nreturn x"),
    "floats": (200, 2000, "x = 0.5\nfor i in range(1, N):\n    x += math.sqrt(i) / (x + 1)\nreturn x"),
    "join": (50, 800, "return len(' '.join([str(i) for i in range(N)]))"),
    "formats": (20, 300, "return sum(len(f'{i:05d} {i / 3:.2f} {\"x\":>4}') for i in range(N))"),
    "split": (50, 800, "return len(('one two, three ' * N).split(' '))"),
    "replace": (50, 800, "return len(('abcde ' * N).replace('ab', 'xyz').upper())"),
    "regex": (10, 200, "return len(re.findall(r'(\\w+)=(\\d+)', 'key=12; ' * N))"),
    "callback": (10, 200, "return len(re.sub(r'\\d+', lambda m: str(int(m[0]) + 1), ','.join(map(str, range(N)))))"),
    "sort": (50, 800, "return sorted(i * 7919 % 1009 for i in range(N))[0]"),
    "sort_key": (50, 500, "return sorted(range(N), key=lambda i: i * 7919 % 1009)[0]"),
    "dict_numbers": (50, 800, "d = {}\nfor i in range(N):\n    d[i * 17 % 4096] = i\nreturn len(d)"),
    "dict_strings": (50, 500,
        "d = {}\nfor i in range(N):\n    k = 'k%d' % (i % 97)\n    d[k] = d.get(k, 0) + 1\nreturn len(d)"),
    "sets": (20, 400, "return len({str(i) for i in range(N)} & {str(i * 3) for i in range(N)})"),
    "generator": (50, 800, "return sum(x * 2 for x in range(N) if x % 3)"),
    "linked": (20, 400, "head = None\nfor i in range(N):\n    head = Node(head, i)\nreturn head.value"),
    "heap": (20, 200,
        "h = []\nfor i in range(N):\n    heapq.heappush(h, i * 7919 % 1009)\nreturn [heapq.heappop(h) for _ in "
        "range(N)][0]"),
    "deque": (50, 800,
        "q = collections.deque()\nfor i in range(N):\n    q.append(i)\n    if len(q) > 64:\n        q.popleft()\n"
        "return len(q)"),
    "encode": (10, 100, "return len(json.dumps({'k%d' % i: {'n': i, 's': 'text', 'f': i / 7} for i in range(N)}))"),
    "decode": (10, 100, "return len(json.loads('[' + '{\"a\": 1, \"b\": [1, 2, \"x\"]},' * N + '0]'))"),
    "raises": (20, 200,
        "x = 0\nfor i in range(N):\n    try:\n        raise ValueError(i)\n    except ValueError as error:\n        "
        "x += error.args[0]\nreturn x"),
    "fibonacci": (8, 14, "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nreturn f(N)"),
    "methods": (50, 1000, "c = Counter()\nfor i in range(N):\n    c.add(i)\nreturn c.sum"),
    "digest": (10, 150, "x = b''\nfor i in range(N):\n    x = hashlib.sha256(x + b'%d' % i).digest()\nreturn x"),
    "pickle": (10, 150, "return len(pickle.loads(pickle.dumps([{'a': i, 'b': 'text'} for i in range(N)])))"),
    "decimals": (5, 60, "x = decimal.Decimal(1)\nfor i in range(1, N):\n    x += decimal.Decimal(i) / 7\nreturn x"),
    "fractions": (3, 20,
        "x = fractions.Fraction(0)\nfor i in range(1, N):\n    x += fractions.Fraction(1, i)\nreturn x"),
    "counter": (50, 500, "return collections.Counter('w%d' % (i * 31 % 50) for i in range(N)).most_common(1)"),
    "dates": (10, 100,
        "d = datetime.date(2020, 1, 1)\nfor i in range(N):\n    d += datetime.timedelta(days=1)\nreturn d.isoformat()"),
    "closures": (50, 500, "fs = [lambda x, k=k: x + k for k in range(N)]\nreturn sum(f(1) for f in fs)"),
    "struct": (20, 300, "return sum(struct.unpack('<IH', struct.pack('<IH', i, i % 7))[0] for i in range(N))"),
}
GO = {
    "Loop": (200, 20000, "x := uint32(1)\nfor i := uint32(0); i < N; i++ {\n\tx = x*31 + i\n}\nsink = int(x)"),
    "Floats": (200, 5000,
        "x := 0.5\nfor i := 1; i < N; i++ {\n\tx += math.Sqrt(float64(i)) / (x + 1)\n}\nsink = int(x)"),
    "Builder": (50, 1000,
        "var s strings.Builder\nfor i := 0; i < N; i++ {\n\ts.WriteString(strconv.Itoa(i))\n}\nsink = s.Len()"),
    "Concat": (10, 100, "s := \"\"\nfor i := 0; i < N; i++ {\n\ts += \"ab\"\n}\nsink = len(s)"),
    "Sprintf": (20, 200,
        "n := 0\nfor i := 0; i < N; i++ {\n\tn += len(fmt.Sprintf(\"%05d %s %.2f\", i, \"x\", float64(i)/3))\n}\n"
        "sink = n"),
    "Split": (20, 500, "sink = len(strings.Split(strings.Repeat(\"one two, three \", N), \" \"))"),
    "Replace": (20, 500, "sink = len(strings.ReplaceAll(strings.Repeat(\"abcde \", N), \"ab\", \"xyz\"))"),
    "Regexp": (5, 50, "sink = len(pattern.FindAllString(strings.Repeat(\"key=12; \", N), -1))"),
    "Sort": (50, 1000, "a := scrambled(N)\nsort.Ints(a)\nsink = a[0]"),
    "SortSlice": (50, 500, "a := scrambled(N)\nsort.Slice(a, func(i, j int) bool { return a[i] < a[j] })\nsink = a[0]"),
    "MapNumbers": (50, 500, "m := map[int]int{}\nfor i := 0; i < N; i++ {\n\tm[i*17%4096] = i\n}\nsink = len(m)"),
    "MapStrings": (50, 500,
        "m := map[string]int{}\nfor i := 0; i < N; i++ {\n\tm[strconv.Itoa(i%97)]++\n}\nsink = len(m)"),
    "Closure": (50, 1000, "x := 0\nadd := func(i int) { x += i }\nfor i := 0; i < N; i++ {\n\tadd(i)\n}\nsink = x"),
    "Linked": (20, 400, "var head *node\nfor i := 0; i < N; i++ {\n\thead = &node{head, i}\n}\nlast = head"),
    "Append": (50, 2000, "var a []int\nfor i := 0; i < N; i++ {\n\ta = append(a, i)\n}\nsink = len(a)"),
    "Heap": (20, 200,
        "h := &numbers{}\nfor i := 0; i < N; i++ {\n\theap.Push(h, i*7919%1009)\n}\nfor h.Len() > 0 {\n\tsink = "
        "heap.Pop(h).(int)\n}"),
    "List": (20, 300, "l := list.New()\nfor i := 0; i < N; i++ {\n\tl.PushBack(i)\n}\nsink = l.Len()"),
    "Marshal": (5, 60, "bytes, _ := json.Marshal(records(N))\nsink = len(bytes)"),
    "Unmarshal": (5, 40,
        "var to []record\n_ = json.Unmarshal([]byte(\"[\"+strings.Repeat(`{\"n\":1,\"s\":\"x\"},`, N)+\"{}]\"), "
        "&to)\nsink = len(to)"),
    "Panic": (10, 100, "for i := 0; i < N; i++ {\n\tsink = recovered(i)\n}"),
    "Fibonacci": (8, 18, "sink = fibonacci(N)"),
    "Interface": (50, 1000, "x := 0\nfor i := 0; i < N; i++ {\n\tx += shapes[i%2].area(i)\n}\nsink = x"),
    "Digest": (5, 60,
        "x := sha256.Sum256(nil)\nfor i := 0; i < N; i++ {\n\tx = sha256.Sum256(x[:])\n}\nsink = int(x[0])"),
    "Base64": (20, 500, "sink = len(base64.StdEncoding.EncodeToString([]byte(strings.Repeat(\"text\", N))))"),
    "Parse": (20, 500,
        "x := 0\nfor i := 0; i < N; i++ {\n\tn, _ := strconv.Atoi(strconv.Itoa(i))\n\tx += n\n}\nsink = x"),
    "Scanner": (20, 400,
        "s := bufio.NewScanner(strings.NewReader(strings.Repeat(\"a line\\n\", N)))\nfor s.Scan() {\n\tsink += "
        "len(s.Text())\n}"),
    "Channel": (10, 200,
        "c := make(chan int, 4)\ngo func() {\n\tfor i := 0; i < N; i++ {\n\t\tc <- i\n\t}\n\tclose(c)\n}()\nfor v := "
        "range c {\n\tsink = v\n}"),
    "Mutex": (50, 1000, "for i := 0; i < N; i++ {\n\tmutex.Lock()\n\tsink += i\n\tmutex.Unlock()\n}"),
    "Defer": (50, 1000, "for i := 0; i < N; i++ {\n\tfunc() {\n\t\tdefer func() { sink++ }()\n\t\tsink += i\n\t}()\n}"),
    "Buffer": (20, 500,
        "var b bytes.Buffer\nfor i := 0; i < N; i++ {\n\tb.WriteByte(byte(i))\n\tb.WriteString(\"ab\")\n}\nsink = "
        "b.Len()"),
}
CPP = {
    "loop": (200, 20000, "unsigned x = 1; for (unsigned i = 0; i < N; i++) { x = x * 31 + i; tare::keep(x); }"),
    "floats": (200, 5000,
        "double x = 0.5; for (int i = 1; i < N; i++) x += std::sqrt(double(i)) / (x + 1); tare::keep(x);"),
    "append": (50, 2000, "std::string s; for (int i = 0; i < N; i++) s += \"ab\"; tare::keep(s);"),
    "stream": (20, 300,
        "std::ostringstream s; for (int i = 0; i < N; i++) s << i << ' ' << i / 3.0; tare::keep(s.str().size());"),
    "snprintf": (20, 300,
        "char b[64]; for (int i = 0; i < N; i++) { std::snprintf(b, sizeof b, \"%05d %s %.2f\", i, \"x\", i / 3.0); "
        "tare::keep(b[0]); }"),
    "find": (50, 2000, "std::string s(N, 'a'); s += \"bc\"; tare::keep(s.find(\"bc\"));"),
    "replace": (20, 300,
        "std::string s; for (int i = 0; i < N; i++) s += \"abcde \"; for (std::size_t p = 0; (p = s.find(\"ab\", p)) "
        "!= s.npos; p += 3) s.replace(p, 2, \"xyz\"); tare::keep(s);"),
    "regex": (3, 30,
        "std::string s; for (int i = 0; i < N; i++) s += \"key=12; \"; "
        "tare::keep(std::distance(std::sregex_iterator(s.begin(), s.end(), pattern), std::sregex_iterator()));"),
    "sort": (50, 2000, "auto a = scrambled(N); std::sort(a.begin(), a.end()); tare::keep(a[0]);"),
    "stable": (50, 2000,
        "auto a = scrambled(N); std::stable_sort(a.begin(), a.end(), [](int x, int y) { return x > y; }); "
        "tare::keep(a[0]);"),
    "hash": (50, 1000,
        "std::unordered_map<int, int> m; for (int i = 0; i < N; i++) m[i * 17 % 4096] = i; tare::keep(m.size());"),
    "hash_strings": (50, 500,
        "std::unordered_map<std::string, int> m; for (int i = 0; i < N; i++) m[std::to_string(i % 97)]++; "
        "tare::keep(m.size());"),
    "tree": (50, 500,
        "std::map<int, int> m; for (int i = 0; i < N; i++) m[i * 7919 % 1009] = i; tare::keep(m.size());"),
    "set": (50, 500,
        "std::set<std::string> m; for (int i = 0; i < N; i++) m.insert(std::to_string(i * 31 % 211)); "
        "tare::keep(m.size());"),
    "push": (50, 5000, "std::vector<int> a; for (int i = 0; i < N; i++) a.push_back(i); tare::keep(a.size());"),
    "unique": (20, 1000,
        "std::vector<std::unique_ptr<int>> a; for (int i = 0; i < N; i++) a.push_back(std::make_unique<int>(i)); "
        "tare::keep(*a.back());"),
    "shared": (20, 1000,
        "std::vector<std::shared_ptr<int>> a; for (int i = 0; i < N; i++) a.push_back(std::make_shared<int>(i)); "
        "auto b = a; tare::keep(*b.back());"),
    "queue": (20, 500,
        "std::priority_queue<int> q; for (int i = 0; i < N; i++) q.push(i * 7919 % 1009); while (!q.empty()) { "
        "tare::keep(q.top()); q.pop(); }"),
    "deque": (50, 2000,
        "std::deque<int> q; for (int i = 0; i < N; i++) { q.push_back(i); if (q.size() > 64) q.pop_front(); } "
        "tare::keep(q.size());"),
    "list": (20, 1000,
        "std::list<int> l; for (int i = 0; i < N; i++) l.push_front(i * 31 % 101); l.sort(); tare::keep(l.front());"),
    "throws": (2, 40,
        "int x = 0; for (int i = 0; i < N; i++) { try { throw std::runtime_error(\"no\"); } catch (const "
        "std::exception &e) { x += e.what()[0]; } } tare::keep(x);"),
    "fibonacci": (8, 18, "tare::keep(fibonacci(N));"),
    "virtual": (50, 2000, "int x = 0; for (int i = 0; i < N; i++) x += shapes[i % 2]->area(i); tare::keep(x);"),
    "function": (50, 2000,
        "int x = 0; std::function<void(int)> add = [&x](int i) { x += i; }; for (int i = 0; i < N; i++) add(i); "
        "tare::keep(x);"),
    "parse": (20, 500, "int x = 0; for (int i = 0; i < N; i++) x += std::stoi(std::to_string(i)); tare::keep(x);"),
    "nth": (50, 2000,
        "auto a = scrambled(N); std::nth_element(a.begin(), a.begin() + N / 2, a.end()); tare::keep(a[N / 2]);"),
    "variant": (50, 2000,
        "std::variant<int, double> v; double x = 0; for (int i = 0; i < N; i++) { if (i % 2) v = i; else v = i / "
        "2.0; x += std::visit([](auto y) { return double(y); }, v); } tare::keep(x);"),
    "views": (20, 500,
        "std::string s; for (int i = 0; i < N; i++) s += \"one two \"; std::string_view v(s); int n = 0; for (auto p "
        "= v.find(' '); p != v.npos; p = v.find(' ', p + 1)) n++; tare::keep(n);"),
    "shuffle": (50, 1000,
        "auto a = scrambled(N); std::mt19937 r(42); std::shuffle(a.begin(), a.end(), r); tare::keep(a[0]);"),
    "table": (8, 30,
        "std::vector<std::vector<double>> a(N, std::vector<double>(N, 1.5)), c = a; for (int i = 0; i < N; i++) for "
        "(int j = 0; j < N; j++) for (int k = 0; k < N; k++) c[i][j] += a[i][k] * a[k][j]; tare::keep(c[0][0]);"),
}
IDENTICAL = {"php": PHP, "python": PYTHON, "go": GO, "cpp": CPP}

# Loops: N is a number that the compiler doesn't know, and nothing outside the loop grows with it.
PLANTED = {
    "php": {
        "loop": "$x = 1; for ($i = 0; $i < N; $i++) { $x = ($x * 31 + $i) & 0xffff; } return $x;",
        "floats": "$x = 0.5; for ($i = 0; $i < N; $i++) { $x = sqrt($x + 1.5) * 1.25; } return $x;",
        "strings": "$x = 0; for ($i = 0; $i < N; $i++) { $x += strlen(str_repeat('ab', 8) . $x % 7); } return $x;",
        "objects": "$x = null; for ($i = 0; $i < N; $i++) { $x = new Counter; } return $x;",
        "arrays": "$x = []; for ($i = 0; $i < N; $i++) { $x = [$i, [1, 2, $i]]; } return $x;",
        "methods": "$o = new Counter; for ($i = 0; $i < N; $i++) { $o->add($i); } return $o->sum;",
        "closures": (
            "$x = 0; $f = function ($i) use (&$x) { $x ^= $i; }; for ($i = 0; $i < N; $i++) { $f($i); } return $x;"
        ),
        "hash": (
            "$a = ['a' => 1, 'b' => 2]; $k = 'b'; for ($i = 0; $i < N; $i++) { $a[$k]++; $k = $k === 'a' ? 'b' : "
            "'a'; } return $a;"
        ),
        "throws": (
            "$x = 0; for ($i = 0; $i < N; $i++) { try { throw new RuntimeException('no'); } catch (RuntimeException "
            "$e) { $x++; } } return $x;"
        ),
        "preg": (
            "$x = 0; for ($i = 0; $i < N; $i++) { $x += preg_match('/(\\w+)=(\\d+)/', 'some key=12; and more', $m); "
            "} return $x;"
        ),
    },
    "python": {
        "loop": "x = 1\nfor i in range(N):\n    x = (x * 31 + i) & 0xffff\nreturn x",
        "floats": "x = 0.5\nfor i in range(N):\n    x = math.sqrt(x + 1.5) * 1.25\nreturn x",
        "strings": "x = 0\nfor i in range(N):\n    x += len('ab' * 8 + str(x % 7))\nreturn x",
        "objects": "x = None\nfor i in range(N):\n    x = Node(None, i)\nreturn x",
        "lists": "x = []\nfor i in range(N):\n    x = [i, [1, 2, i]]\nreturn x",
        "methods": "c = Counter()\nfor i in range(N):\n    c.add(i)\nreturn c.sum",
        "closures": "x = 0\ndef f(i):\n    nonlocal x\n    x ^= i\nfor i in range(N):\n    f(i)\nreturn x",
        "dict": (
            "d = {'a': 1, 'b': 2}\nk = 'b'\nfor i in range(N):\n    d[k] += 1\n    k = 'b' if k == 'a' else 'a'\n"
            "return d"
        ),
        "raises": (
            "x = 0\nfor i in range(N):\n    try:\n        raise ValueError('no')\n    except ValueError:\n        x "
            "+= 1\nreturn x"
        ),
        "regex": "x = 0\nfor i in range(N):\n    x += len(PATTERN.search('some key=12; and more')[1])\nreturn x",
    },
    "go": {
        "Loop": "x := uint32(1)\nfor i := 0; i < N; i++ {\n\tx = x*31 + uint32(i)\n}\nsink = int(x)",
        "Floats": "x := 0.5\nfor i := 0; i < N; i++ {\n\tx = math.Sqrt(x+1.5) * 1.25\n}\nsink = int(x)",
        "Strings": "x := 0\nfor i := 0; i < N; i++ {\n\tx += len(strings.Repeat(\"ab\", 8) + words[x%2])\n}\nsink = x",
        "Objects": "for i := 0; i < N; i++ {\n\tlast = &node{nil, i}\n}",
        "Slices": "for i := 0; i < N; i++ {\n\tslice = []int{i, 1, 2}\n}",
        "Methods": "var c counter\nfor i := 0; i < N; i++ {\n\tc.add(i)\n}\nsink = c.sum",
        "Interface": "x := 0\nfor i := 0; i < N; i++ {\n\tx += shapes[i%2].area(i)\n}\nsink = x",
        "Closure": "x := 0\nadd := func(i int) { x ^= i }\nfor i := 0; i < N; i++ {\n\tadd(i)\n}\nsink = x",
        "Map": "m := map[string]int{\"a\": 1, \"b\": 2}\nfor i := 0; i < N; i++ {\n\tm[words[i%2]]++\n}\nsink = len(m)",
        "Panic": "for i := 0; i < N; i++ {\n\tsink = recovered(i)\n}",
    },
    "cpp": {
        "loop": "unsigned x = 1; for (int i = 0; i < N; i++) { x = x * 31 + i; tare::keep(x); }",
        "floats": "double x = 0.5; for (int i = 0; i < N; i++) { x = std::sqrt(x + 1.5) * 1.25; } tare::keep(x);",
        "strings": (
            "std::size_t x = 0; for (int i = 0; i < N; i++) { std::string s(16, 'a'); s += char('a' + x % 7); x += "
            "s.size(); tare::keep(s); }"
        ),
        "objects": "for (int i = 0; i < N; i++) { auto x = std::make_unique<int>(i); tare::keep(*x); }",
        "vectors": "for (int i = 0; i < N; i++) { std::vector<int> x{i, 1, 2}; x.push_back(i); tare::keep(x[0]); }",
        "virtual": "int x = 0; for (int i = 0; i < N; i++) x += shapes[i % 2]->area(i); tare::keep(x);",
        "function": (
            "int x = 0; std::function<void(int)> f = [&x](int i) { x ^= i; }; for (int i = 0; i < N; i++) f(i); "
            "tare::keep(x);"
        ),
        "hash": (
            "std::unordered_map<std::string, int> m{{\"a\", 1}, {\"b\", 2}}; std::string a = \"a\", b = \"b\"; for "
            "(int i = 0; i < N; i++) m[i % 2 ? a : b]++; tare::keep(m.size());"
        ),
        "throws": (
            "int x = 0; for (int i = 0; i < N; i++) { try { throw i; } catch (int y) { x ^= y; } } tare::keep(x);"
        ),
        "tree": (
            "std::map<int, int> m; for (int k = 0; k < 64; k++) m[k] = k; int x = 0; for (int i = 0; i < N; i++) x "
            "+= m.find(33)->second; tare::keep(x);"
        ),
    },
    "rust": {
        "numbers": "let mut x = 1u32; for i in 0..N { x = black_box(x.wrapping_mul(31).wrapping_add(i as u32)); } x",
        "floats": "let mut x = 0.5f64; for _ in 0..N { x = black_box((x + 1.5).sqrt() * 1.25); } x",
        "strings": (
            "let mut x = 0; for _ in 0..N { let s = \"ab\".repeat(8) + [\"c\", \"d\"][x % 2]; x += "
            "black_box(s).len(); } x"
        ),
        "boxes": "let mut x = 0; for i in 0..N { x ^= *black_box(Box::new(i)); } x",
        "vectors": "let mut x = 0; for i in 0..N { let mut v = vec![i, 1, 2]; v.push(i); x ^= black_box(v)[0]; } x",
        "methods": "let mut c = Counter { sum: 0 }; for i in 0..N { c.add(i); } c.sum",
        "dynamic": "let shapes = shapes(); let mut x = 0; for i in 0..N { x ^= shapes[i % 2].area(i); } x",
        "closures": (
            "let mut x = 0; let mut f: Box<dyn FnMut(usize)> = Box::new(|i| x ^= i); for i in 0..N { black_box(&mut "
            "f)(i); } drop(f); x"
        ),
        "map": (
            "let mut m: std::collections::HashMap<&str, usize> = [(\"a\", 1), (\"b\", 2)].into(); for i in 0..N { "
            "*m.get_mut([\"a\", \"b\"][i % 2]).unwrap() += 1; } m.len()"
        ),
        "parse": (
            "let mut x = 0; for _ in 0..N { x += black_box(\"1234\").parse::<usize>().unwrap() + "
            "black_box(17).to_string().len(); } x"
        ),
    },
}

PHP_HEAD = """final class Counter
{
    public $sum = 0;
    public function add($number) { $this->sum += $number; }
}
"""
PYTHON_HEAD = """import collections
import datetime
import decimal
import fractions
import hashlib
import heapq
import json
import math
import pickle
import re
import struct

PATTERN = re.compile(r"(\\w+)=(\\d+)")


class Counter:
    def __init__(self):
        self.sum = 0

    def add(self, number):
        self.sum += number


class Node:
    def __init__(self, following, value):
        self.following, self.value = following, value

"""
GO_HEAD = """
var sink int
var last *node
var slice []int
var mutex sync.Mutex
var words = [2]string{"c", "d"}
var pattern = regexp.MustCompile(`(\\w+)=(\\d+)`)

type node struct {
	next  *node
	value int
}
type counter struct{ sum int }
type record struct {
	N int    `json:"n"`
	S string `json:"s"`
}
type shape interface{ area(int) int }
type square struct{}
type circle struct{}
type numbers []int

var shapes = [2]shape{square{}, circle{}}

//go:noinline
func (c *counter) add(number int)     { c.sum += number }
func (square) area(side int) int      { return side * side }
func (circle) area(side int) int      { return 3 * side * side }
func (n numbers) Len() int            { return len(n) }
func (n numbers) Less(i, j int) bool  { return n[i] < n[j] }
func (n numbers) Swap(i, j int)       { n[i], n[j] = n[j], n[i] }
func (n *numbers) Push(x interface{}) { *n = append(*n, x.(int)) }
func (n *numbers) Pop() interface{} {
	x := (*n)[len(*n)-1]
	*n = (*n)[:len(*n)-1]
	return x
}

func scrambled(count int) []int {
	a := make([]int, count)
	for i := range a {
		a[i] = i * 7919 % 1009
	}
	return a
}

func records(count int) []record {
	a := make([]record, count)
	for i := range a {
		a[i] = record{i, "text"}
	}
	return a
}

func fibonacci(n int) int {
	if n < 2 {
		return n
	}
	return fibonacci(n-1) + fibonacci(n-2)
}

//go:noinline
func opaque(n int) int { return n }

func recovered(i int) (n int) {
	defer func() {
		if recover() != nil {
			n = i
		}
	}()
	panic("no")
}
"""
GO_PACKAGES = (
    "bufio bytes container/heap container/list crypto/sha256 encoding/base64 encoding/json "
    "fmt math regexp sort strconv strings sync".split()
)
GO_USES = (
    "var _ = bufio.NewScanner\nvar _ bytes.Buffer\nvar _ = heap.Init\nvar _ = list.New\nvar _ = sha256.New\n"
    "var _ = base64.StdEncoding\nvar _ = json.Marshal\nvar _ = fmt.Sprint\nvar _ = math.Pi\nvar _ = sort.Ints\n"
    "var _ = strconv.Itoa\nvar _ = strings.Repeat\n"
)
CPP_HEAD = """#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tare/benchmark.h>
#include <unordered_map>
#include <variant>
#include <vector>

struct Shape { virtual int area(int) const = 0; virtual ~Shape() {} };
struct Square : Shape { int area(int side) const override { return side * side; } };
struct Circle : Shape { int area(int side) const override { return 3 * side * side; } };
static const std::vector<std::unique_ptr<Shape>> shapes = [] {
    std::vector<std::unique_ptr<Shape>> both;
    both.push_back(std::make_unique<Square>());
    both.push_back(std::make_unique<Circle>());
    return both;
}();
static const std::regex pattern("(\\\\w+)=(\\\\d+)");

static std::vector<int> scrambled(int count)
{
    std::vector<int> a(count);
    for (int i = 0; i < count; i++) a[i] = i * 7919 % 1009;
    return a;
}

__attribute__((noinline)) static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
"""
RUST_HEAD = """#![allow(dead_code)]
use criterion::{criterion_group, criterion_main, Criterion};
use std::hint::black_box;

struct Counter { sum: usize }
impl Counter {
    #[inline(never)]
    fn add(&mut self, number: usize) { self.sum += number; }
}
trait Shape { fn area(&self, side: usize) -> usize; }
struct Square;
struct Circle;
impl Shape for Square { fn area(&self, side: usize) -> usize { side * side } }
impl Shape for Circle { fn area(&self, side: usize) -> usize { 3 * side * side } }
#[inline(never)]
fn shapes() -> Vec<Box<dyn Shape>> { vec![Box::new(Square), Box::new(Circle)] }
"""
RUST_MANIFEST = """[package]
name = "rates"
version = "0.0.0"
edition = "2021"

[workspace]

[dev-dependencies]
criterion = { version = "0.8", default-features = false, features = ["cargo_bench_support"] }

[[bench]]
name = "cases"
harness = false
"""


GCC = "g++ -std=c++17 -O2 -falign-functions=64 -pthread"


def indented(text, blank):
    return "".join(blank + line + "\n" for line in text.splitlines())


def php(cases, unused):
    """`cases`: bodies by name, whose size stands in them; `unused`: lines of a function that nothing calls."""
    code = "<?php\nfunction unused($x)\n{\n" + "    $x = $x * 3 + 1;\n" * unused + "    return $x;\n}\n\n" + PHP_HEAD
    code += "\nfinal class CasesBench\n{\n"
    for name, body in cases.items():
        name = name.title().replace("_", "")
        code += "    public function bench%s()\n    {\n%s    }\n" % (name, indented(body, " " * 8))
    return {"CasesBench.php": code + "}\n"}


def python(cases, unused):
    code = PYTHON_HEAD + "\ndef unused(x):\n" + "    x = x * 3 + 1\n" * unused + "    return x\n"
    for name, body in cases.items():
        code += "\n\ndef bench_%s():\n%s" % (name, indented(body, "    "))
    return {"bench_cases.py": code}


def go(cases, unused):
    packages = "".join('\t"%s"\n' % name for name in (*GO_PACKAGES, "testing"))
    code = "package cases\n\nimport (\n%s)\n\n" % packages + GO_USES
    code += "\n//go:noinline\nfunc unused(x int) int {\n" + "\tx = x*3 + sink\n" * unused + "\treturn x\n}\n\n"
    code += "var kept = unused\n" + GO_HEAD
    for name, body in cases.items():
        name = name.title().replace("_", "")
        code += "\nfunc Benchmark%s(b *testing.B) {\n\tfor n := 0; n < b.N; n++ {\n" % name
        code += indented(body, "\t\t") + "\t}\n}\n"
    return {"cases_test.go": code, "go.mod": "module cases\n\ngo 1.21\n"}


def cpp(cases, unused):
    code = CPP_HEAD + "\nextern int volatile drawn;\nint volatile drawn;\n"
    code += "__attribute__((noinline, used)) static int unused(int x)\n{\n"
    code += "    x = x * 3 + drawn;\n" * unused + "    return x;\n}\n"
    for name, body in cases.items():
        code += "\nstatic void BM_%s(benchmark::State &state)\n{\n    for (auto _ : state) {\n" % name
        code += indented(body, " " * 8) + "    }\n}\nBENCHMARK(BM_%s);\n" % name
    return {
        "cases.cc": code + "\nBENCHMARK_MAIN();\n",
        "tare.toml": '[compare]\nprepare = "%s -I\\"$TARE_CPP\\" cases.cc -o cases"\n' % GCC,
        ".gitignore": "cases\n",
    }


def rust(cases, unused):
    code = RUST_HEAD + "#[inline(never)]\nfn unused(mut x: u32) -> u32 {\n"
    code += "    x = black_box(x.wrapping_mul(3));\n" * unused + "    x\n}\n"
    code += "\nfn all(c: &mut Criterion) {\n    if black_box(1) == 2 {\n        unused(3);\n    }\n"
    for name, body in cases.items():
        code += '    c.bench_function("%s", |b| b.iter(|| { %s }));\n' % (name, body)
    code += "}\n\ncriterion_group!(cases, all);\ncriterion_main!(cases);\n"
    return {"benches/cases.rs": code, "src/lib.rs": "", "Cargo.toml": RUST_MANIFEST, ".gitignore": "target/\n"}


PROJECTS = {"php": php, "python": python, "go": go, "cpp": cpp, "rust": rust}
# What `tare compare` measures.
PATHS = {"php": "CasesBench.php", "python": "bench_cases.py", "go": "./...", "cpp": "cases", "rust": "benches"}
# Set before a planted loop: a number of turns that the compiler can't see. Interpreters see all numbers.
HIDDEN = {
    "php": ("", "{0}"),
    "python": ("", "{0}"),
    "go": ("turns := opaque({0})\n", "turns"),
    "cpp": ("const int turns = tare::opaque({0}); ", "turns"),
    "rust": ("let turns = black_box({0}usize); ", "turns"),
}
