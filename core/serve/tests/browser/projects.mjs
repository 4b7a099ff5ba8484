// Projects with stores, made with the built program: what the browser looks at. TARE and TARE_SIMULATED_WORKER name the programs.

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const here = new URL('.', import.meta.url).pathname;
export const root = join(here, '../../../..');

function program(name) {
  if (!process.env[name]) throw new Error(`${name} must name a built program: scripts/browser-tests does`);
  return process.env[name];
}

/** A folder that is gone when the tests are over. */
export class Project {
  constructor(name) {
    this.folder = mkdtempSync(join(tmpdir(), `tare-${name}-`));
    this.file('tare.toml', '');
    process.on('exit', () => rmSync(this.folder, { recursive: true, force: true }));
  }

  /** A project that is there already, and stays. */
  static at(folder) {
    return Object.assign(Object.create(Project.prototype), { folder });
  }

  file(name, text) {
    writeFileSync(join(this.folder, name), text);
    return join(this.folder, name);
  }

  run(command, args, { status = 0 } = {}) {
    const done = spawnSync(command, args, { cwd: this.folder, encoding: 'utf8', env: this.environment() });
    if (done.status !== status) throw new Error(`${command} ${args.join(' ')} ended with ${done.status}:\n${done.stdout}${done.stderr}`);
    return done.stdout;
  }

  environment() {
    const git = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.org', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.org' };
    return { ...process.env, ...git, NO_COLOR: '1' };
  }

  tare(...args) {
    return this.run(program('TARE'), args);
  }

  /** The page of a run that `--html` writes. */
  page(...args) {
    this.tare(...args, '--html', 'page.html');
    return `file://${this.folder}/page.html`;
  }

  start(...args) {
    return spawn(program('TARE'), args, { cwd: this.folder, env: this.environment(), stdio: ['ignore', 'pipe', 'ignore'] });
  }

  commit(message) {
    this.run('git', ['add', '--all']);
    this.run('git', ['commit', '--quiet', '--allow-empty', '--message', message]);
  }

  /** The server of this store, with its address. */
  async serve() {
    const child = this.start('serve', '--listen', '127.0.0.1:0');
    const [first] = await new Promise((resolve) => createInterface({ input: child.stdout }).once('line', (line) => resolve([line])));
    const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(first)[0];
    const ended = new Promise((resolve) => child.once('exit', resolve));
    return { address, stop: async () => { child.kill('SIGINT'); await ended; } };
  }
}

/** The simulated worker as a runtime of that name. */
export function simulated(name = 'sim') {
  return `${name}=worker:${program('TARE_SIMULATED_WORKER')}`;
}

function truth(cases) {
  const one = ({ name, parameters, time, noise = 0.02 }) =>
    `[[case]]\nname = "${name}"\n${parameters ? `parameters = "${parameters}"\n` : ''}time-ns = ${time.toFixed(3)}\nnoise = { model = "gaussian", spread = ${noise} }\nlaunch-spread = ${noise / 8}\n`;
  return `seed = 1\n${cases.map(one).join('\n')}`;
}

const WORDS = ['parse', 'render', 'hash', 'sort', 'encode', 'match'];

/** Sixty cases in two revisions: two are slower, one is faster, and some are so noisy that nothing can be said. */
export function comparison() {
  const project = new Project('comparison');
  project.run('git', ['init', '--quiet']);
  const cases = (changed) => truth(Array.from({ length: 60 }, (_, number) => {
    const change = { 7: 1.6, 33: 1.15, 48: 0.9 }[number] ?? 1;
    return { name: `${WORDS[number % 6]}_${['small', 'large'][number % 2]}_${number}`, time: 80 * 1.09 ** number * (changed ? change : 1), noise: number % 4 === 3 ? 0.3 : 0.02 };
  }));
  project.file('cases.toml', cases(false));
  project.commit('before');
  project.file('cases.toml', cases(true));
  project.commit('after');
  project.url = project.page('compare', 'HEAD~1', 'HEAD', 'cases.toml', '--runtime', simulated(), '--launches', '8', '--samples', '12', '--seed', '5', '--control');
  return project;
}

/** A sort whose time grows as n log n, by eight sizes. */
export function sweep() {
  const project = new Project('sweep');
  const sizes = [10, 30, 100, 300, 1000, 3000, 10000, 30000];
  project.file('sort.toml', truth(sizes.map((n) => ({ name: 'sort', parameters: `n=${n}`, time: 30 + 2.5 * n * Math.log2(n) }))));
  project.url = project.page('run', 'sort.toml', '--runtime', simulated(), '--launches', '8', '--samples', '20', '--seed', '5');
  return project;
}

export const RUNTIMES = ['plain=php', 'strict=php -d zend.assertions=1', 'opcache=php -d opcache.enable_cli=1', 'jit=php -d opcache.enable_cli=1 -d opcache.jit_buffer_size=64M -d opcache.jit=tracing'];

/** Three real functions on four settings of PHP. */
export function runtimes() {
  const project = new Project('runtimes');
  cpSync(join(root, 'examples/01-clock-and-loop/HashBench.php'), join(project.folder, 'HashBench.php'));
  const named = RUNTIMES.flatMap((runtime) => ['--runtime', runtime]);
  project.url = project.page('run', 'HashBench.php', '--filter', '(md5|sha256|crc32b?) 16 B', '--budget', '400ms', ...named);
  return project;
}

/** The suite of `make demo`. */
export function demo() {
  const project = new Project('demo');
  for (const name of ['AdditionBench.php', 'HashBench.php', 'NoopBench.php']) cpSync(join(root, 'examples/01-clock-and-loop', name), join(project.folder, name));
  project.url = project.page('run', '.', '--filter', 'Add|(md5|sha256) 16 B|Noop', '--budget', '400ms', '--tag', 'demo');
  return project;
}

/** Two servers under load, in turns; the second does more. */
export function load() {
  const project = new Project('load');
  project.file('old.php', '<?php echo "hello";');
  project.file('new.php', '<?php $n = 0; for ($i = 0; $i < 20000; $i++) { $n += $i % 7; } echo "hello $n";');
  const start = (file) => ['--start', `php -S 127.0.0.1:{port} ${file}`];
  project.url = project.page('load', 'http', 'http://127.0.0.1:{port}/', ...start('old.php'), ...start('new.php'), '-c', '2', '--duration', '6s');
  return project;
}

/** The same comparison on three machines, judged over all of them. */
export function machines() {
  const project = new Project('machines');
  project.file('cases.toml', truth([{ name: 'base', time: 100, noise: 0.002 }, { name: 'changed', time: 110, noise: 0.002 }, { name: 'alike', time: 100, noise: 0.002 }]));
  const stores = ['first', 'second', 'third'];
  stores.forEach((store, number) => project.tare('run', 'cases.toml', '--runtime', simulated(), '--base', 'base', '--samples', '3', '--launches', '8', '--seed', String(11 + number), '--store', store));
  project.url = project.page('merge', '--replicas', ...stores);
  return project;
}

/** Where the time of a function of Python goes: the page of the profile, and that of a run which shows it beside its case. */
export function profile() {
  const project = new Project('profile');
  project.file('bench_work.py', 'def part(n):\n    return sum(range(n))\n\ndef larger():\n    return sorted(str(one) for one in range(400))\n\ndef bench_work():\n    return part(2000), larger(), "x".join(map(str, range(300)))\n');
  project.url = project.page('profile', 'bench_work.py', '--case', 'work');
  project.tare('run', 'bench_work.py', '--budget', '300ms');
  project.tare('report', '--html', 'run.html');
  project.run_url = `file://${project.folder}/run.html`;
  return project;
}

export const hasValgrind = spawnSync('valgrind', ['--version']).status === 0;

/** A function whose instructions are counted, too. */
export function instructions() {
  const project = new Project('instructions');
  project.file('bench_sum.py', 'def bench_sum():\n    return sum(range(500))\n');
  project.url = project.page('run', 'bench_sum.py', '--budget', '300ms', '--work');
  return project;
}

/** Clocks of this machine. */
export function clocks() {
  const project = new Project('clocks');
  project.url = project.page('clock', '--runtime', 'php');
  return project;
}

/** How many commits a history has, and at which of them the sort gets slower. */
export const HISTORY = { runs: 24, change: 12 };

/** A case over commits, slower from one of them on; beside it one that stays. */
export function history() {
  const project = new Project('history');
  project.run('git', ['init', '--quiet']);
  for (let run = 0; run < HISTORY.runs; run += 1) {
    project.file('cases.toml', truth([{ name: 'sort', time: run < HISTORY.change ? 200 : 220 }, { name: 'hash', time: 90 }]));
    project.commit(`commit ${run}`);
    project.tare('run', 'cases.toml', '--runtime', simulated(), '--launches', '6', '--samples', '10', '--seed', String(run + 1), '--tag', run % 2 ? 'odd' : 'even');
  }
  return project;
}
