// `tare serve` in a browser: lists, histories, changes, a run that goes on.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { holdsEverywhere, isThereSoon, launched, opened, pictured, walked } from './browser.mjs';
import { HISTORY, Project, history, simulated } from './projects.mjs';

/** Cases of a run that goes on. */
const GOING = 40;

let browser, project, server;
before(async () => {
  browser = await launched();
  project = history();
  server = await project.serve();
});
after(async () => {
  await server?.stop();
  await browser.close();
});

const at = (path) => server.address + path;

test('every page opens soon and is fit for everybody', async () => {
  const found = await (await fetch(at('api/v1/cases'))).json();
  const sort = found.cases.find((one) => one.case.includes('sort'));
  const query = `history?case=${encodeURIComponent(sort.case)}&runtime=${encodeURIComponent(sort.runtime)}`;
  for (const [name, path] of [['runs', ''], ['cases', 'cases'], ['history', query], ['changes', 'changes'], ['run', 'runs/latest'], ['compared', 'compare?base=latest~1&candidate=latest'], ['nothing', 'nothing-here']]) {
    if (path === 'nothing-here') {
      // The browser itself says on its console that there is no such page.
      const { page, close } = await opened(browser, at(path));
      assert.match(await page.textContent('h1'), /no such thing/);
      await close();
      continue;
    }
    await isThereSoon(browser, at(path), `server, ${name}`);
    await holdsEverywhere(browser, at(path), `server-${name}`);
  }
});

test('a case is searched, its history opened, narrowed by a tag, and its change is told', async () => {
  const { page, noted, close } = await opened(browser, at(''));
  assert.equal(await page.locator('#runs tbody tr').count(), HISTORY.runs);
  await page.getByRole('link', { name: 'Cases' }).click();
  assert.equal(await page.locator('#cases-list tbody tr').count(), 2);
  await page.getByRole('searchbox').fill('SORT');
  await page.getByRole('searchbox').press('Enter');
  await page.waitForURL(/words=SORT/);
  assert.equal(await page.locator('#cases-list tbody tr').count(), 1);
  await page.locator('#cases-list tbody th a').click();
  assert.equal(await page.locator('figure svg path.dot').count(), HISTORY.runs, 'a mark for each run');
  assert.equal(await page.locator('figure svg path.zero').count(), 1, 'a line where the level changes');
  assert.match(await page.textContent('#changes'), /tare compare [0-9a-f]+ [0-9a-f]+ --filter/);
  await page.getByLabel('Tag').fill('odd');
  await page.getByLabel('Tag').press('Enter');
  await page.waitForURL(/tag=odd/);
  assert.equal(await page.locator('figure svg path.dot').count(), HISTORY.runs / 2);
  await page.getByRole('link', { name: 'What changed' }).click();
  assert.equal(await page.locator('#changes tbody tr').count(), 1);
  assert.deepEqual(noted, []);
  await close();
});

test('two runs are chosen and compared by keyboard alone', async () => {
  const { page, close } = await opened(browser, at(''));
  const stops = await walked(page);
  assert.deepEqual(stops.filter((stop) => !stop.seen), []);
  await page.locator('input[name=base]').nth(3).focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'compare them' }).press('Enter');
  await page.waitForURL(/compare\?/);
  assert.match(await page.textContent('h1'), /(of 2|Both) benchmarks/);
  await close();
});

test('a run that goes on is followed until it is done', async () => {
  const going = new Project('going');
  // More cases than are under way at once: the first rows are known long before the run is done.
  going.file('cases.toml', `seed = 1\n${Array.from({ length: GOING }, (_, number) => `[[case]]\nname = "case_${number}"\ntime-ns = 100.0\nnoise = { model = "gaussian", spread = 0.02 }\n`).join('\n')}`);
  const run = going.start('run', 'cases.toml', '--runtime', simulated(), '--launches', '20', '--samples', '5', '--seed', '1');
  const ended = new Promise((resolve) => run.once('exit', resolve));
  const other = await going.serve();
  try {
    let known = [];
    while (!known.length && run.exitCode === null) {
      const answer = await fetch(`${other.address}api/v1/runs`);
      if (answer.ok) known = (await answer.json()).runs;
    }
    const { page, noted, close } = await opened(browser, `${other.address}runs/${known[0].id}`, { wait: '#live-rows tbody tr', patience: 120_000 });
    assert.equal(run.exitCode, null, 'rows are seen while it is measured');
    // All that is told at one moment: the next moment the run may be done.
    const told = await page.evaluate(() => new Promise((resolve) => {
      const look = () => {
        const rows = document.getElementById('live-rows')?.tBodies[0].rows.length;
        const state = document.getElementById('live-state')?.textContent;
        const share = document.getElementById('live-share')?.value;
        if (/^running: \d+ of 40 measured, [1-9]\d* launches/.test(state) && rows > 0 && share > 0) resolve({ rows, state, share });
        else setTimeout(look, 20);
      };
      look();
    }));
    assert.deepEqual(await page.locator('#live-rows :is(th, td):visible').evaluateAll((cells) => [...new Set(cells.map((cell) => cell.cellIndex))]), [0, 1], 'nothing is compared');
    await pictured(page, 'server-live-light-wide');
    for (const [theme, size] of [['dark', 'wide'], ['light', 'narrow'], ['dark', 'narrow']]) {
      const again = await opened(browser, page.url(), { theme, size, wait: 'h1' });
      await pictured(again.page, `server-live-${theme}-${size}`);
      await again.close();
    }
    assert.ok(told.rows <= GOING && told.share <= 1, JSON.stringify(told));
    await ended;
    await page.waitForSelector('#times tbody tr', { timeout: 60_000 });
    assert.match(await page.textContent('h1'), /40 benchmarks measured/);
    assert.equal(await page.locator('#times tbody tr').count(), GOING);
    assert.deepEqual(noted, []);
    await close();
  } finally {
    run.kill('SIGKILL');
    await other.stop();
  }
});
