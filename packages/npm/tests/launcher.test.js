'use strict';
// The launcher in packages as npm lays them out, with a shell script in place of the program: `node --test packages/npm/tests/launcher.test.js`.

const assert = require('node:assert');
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, test } = require('node:test');

const PROGRAM = `#!/bin/sh
case $1 in
    status) exit "$2" ;;
    die) kill -s "$2" $$ ;;
    read) cat; exit ;;
    wait) trap 'echo told; exit 5' "$2"; echo ready; for _ in 1 2 3 4 5 6 7 8 9; do sleep 1; done ;;
esac
printf '%s|' "$@"
`;
const PLATFORM = `tare-bench-${process.platform}-${process.arch}`;
const folders = [];
after(() => folders.forEach((folder) => fs.rmSync(folder, { recursive: true })));

/** Packages in a folder of their own: the launcher's path, and the program's. */
function packages(platforms = [PLATFORM], installed = platforms) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tare-npm-'));
    folders.push(folder);
    const own = path.join(folder, 'node_modules/tare-bench');
    fs.mkdirSync(path.join(own, 'bin'), { recursive: true });
    const launcher = path.join(own, 'bin/tare.js');
    fs.copyFileSync(path.join(__dirname, '../launcher.js'), launcher);
    const optionalDependencies = Object.fromEntries(platforms.map((name) => [name, '1.0.0']));
    fs.writeFileSync(path.join(own, 'package.json'), JSON.stringify({ name: 'tare-bench', version: '1.0.0', optionalDependencies }));
    for (const name of installed) {
        fs.mkdirSync(path.join(folder, 'node_modules', name, 'bin'), { recursive: true });
        fs.writeFileSync(path.join(folder, 'node_modules', name, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
        fs.writeFileSync(path.join(folder, 'node_modules', name, 'bin/tare'), PROGRAM, { mode: 0o755 });
    }
    return { launcher, program: path.join(folder, 'node_modules', PLATFORM, 'bin/tare') };
}

function run(launcher, options, { input = '', ...environment } = {}) {
    const env = { ...process.env, TARE_BINARY: '', ...environment };
    return spawnSync(process.execPath, [launcher, ...options], { encoding: 'utf8', input, env, timeout: 60000 });
}

function refuses(launcher, status, words, environment) {
    const done = run(launcher, ['run'], environment);
    assert.deepStrictEqual([done.status, done.stdout], [status, ''], done.stderr);
    assert.strictEqual(done.stderr.trim().split('\n').length, 1, done.stderr);
    words.forEach((word) => assert.ok(done.stderr.includes(word), `no \`${word}\` in: ${done.stderr}`));
}

test('options, standard input and output, and the status are passed on', () => {
    const { launcher } = packages();
    const done = run(launcher, ['a b', "it's", '--', '']);
    assert.deepStrictEqual([done.stdout, done.stderr, done.status], ["a b|it's|--||", '', 0]);
    assert.strictEqual(run(launcher, ['read'], { input: 'text' }).stdout, 'text');
    assert.strictEqual(run(launcher, ['status', '3']).status, 3);
});

test('it is found by a link, as node_modules/.bin has it', () => {
    const { launcher } = packages();
    const link = path.join(path.dirname(launcher), '../../tare');
    fs.symlinkSync(launcher, link);
    assert.strictEqual(run(link, ['a']).stdout, 'a|');
});

test('it ends by the signal that ended the program', () => {
    const { launcher } = packages();
    for (const signal of ['TERM', 'INT', 'KILL', 'HUP']) {
        assert.strictEqual(run(launcher, ['die', signal]).signal, `SIG${signal}`);
    }
});

test('signals reach the program', { timeout: 60000 }, async () => {
    const { launcher } = packages();
    for (const signal of ['TERM', 'INT', 'HUP', 'USR1']) {
        const child = spawn(process.execPath, [launcher, 'wait', signal], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, TARE_BINARY: '' } });
        let told = '';
        child.stdout.on('data', (part) => {
            told += part;
            if (told === 'ready\n') {
                child.kill(`SIG${signal}`);
            }
        });
        const status = await new Promise((resolve) => child.on('close', resolve));
        assert.deepStrictEqual([signal, status, told], [signal, 5, 'ready\ntold\n']);
    }
});

test('a platform that has no package is told which ones have', () => {
    const { launcher } = packages(['tare-bench-plan9-mips', 'tare-bench-plan9-arm']);
    refuses(launcher, 4, [`no package has the program for ${process.platform}-${process.arch}`, 'for plan9-mips, plan9-arm', 'TARE_BINARY']);
});

test("a platform's package that wasn't installed is named, with the reason", () => {
    const { launcher } = packages([PLATFORM], []);
    refuses(launcher, 4, [`the package ${PLATFORM}, which has the program, isn't beside`, '--omit=optional', 'npm install --include=optional']);
});

test('a program that may not be executed is named', () => {
    const { launcher, program } = packages();
    fs.chmodSync(program, 0o644);
    refuses(launcher, 4, [`${program} can't be started: it may not be executed`, 'noexec', 'TARE_BINARY']);
});

test('a file that is no program of this architecture is named', () => {
    const { launcher, program } = packages();
    fs.writeFileSync(program, 'version https://git-lfs');
    refuses(launcher, 4, [`${program} is no program for ${process.platform}-${process.arch}`]);
    const foreign = Buffer.alloc(200);
    foreign.write('\x7fELF\x02\x01\x01', 'latin1');
    foreign.writeUInt16LE(8, 18);
    fs.writeFileSync(program, foreign);
    refuses(launcher, 4, ['is no program for'], { TARE_BINARY: program });
});

test('a program that the environment names needs no package', () => {
    const { program } = packages();
    const { launcher } = packages([PLATFORM], []);
    assert.strictEqual(run(launcher, ['a'], { TARE_BINARY: program }).stdout, 'a|');
    refuses(launcher, 2, ["TARE_BINARY is /nowhere/tare, which can't be read (ENOENT)"], { TARE_BINARY: '/nowhere/tare' });
    refuses(launcher, 2, ['which is this launcher'], { TARE_BINARY: launcher });
    refuses(launcher, 2, ['is no file'], { TARE_BINARY: os.tmpdir() });
});
