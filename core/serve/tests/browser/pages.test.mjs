// Pages that `--html` writes, as somebody opens them who has never heard of Tare.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { THEMES, findings, holdsEverywhere, isThereSoon, launched, opened, pictured, picturedPart, walked } from './browser.mjs';
import { RUNTIMES, clocks, comparison, demo, hasValgrind, instructions, load, machines, profile, runtimes, sweep } from './projects.mjs';

let browser;
before(async () => { browser = await launched(); });
after(async () => { await browser.close(); });

async function holds(name, project) {
  await isThereSoon(browser, project.url, name);
  await holdsEverywhere(browser, project.url, name);
}

const count = (page, selector) => page.locator(selector).count();

// Rows that differ or are undecided, and below them, folded, those that say that nothing changed.
const rowsOf = (rest) => `:is(#rows, #rest-rows) tbody ${rest}`;

test('a comparison of sixty cases', async () => {
  const project = comparison();
  await holds('comparison', project);
  const { page, noted, close } = await opened(browser, project.url);
  assert.match(await page.textContent('h1'), /2 of 60 benchmarks got slower/);
  assert.equal(await count(page, rowsOf('tr')), 60);
  assert.equal(await count(page, rowsOf('td.p svg')), 60, 'an interval in each row');
  assert.equal(await count(page, '#all svg:not(.tall) text.name'), 60, 'a row of the picture for each case');
  const first = await page.locator('#rows tbody tr').first().textContent();
  assert.match(first, /_7.*slower/s, 'the worst stands first');
  const seen = await count(page, rowsOf('tr:visible'));
  assert.ok(seen >= 2 && seen <= 40, `${seen} rows before anything is unfolded`);

  await page.selectOption('#find select', 'slower');
  assert.equal(await count(page, rowsOf('tr:visible')), 2);
  await page.selectOption('#find select', '');
  await page.fill('#find input', 'sort_large');
  const shown = await page.locator(rowsOf('tr:visible')).allTextContents();
  assert.ok(shown.length === 10 && shown.every((row) => row.includes('sort_large')), shown.join('\n'));
  await page.fill('#find input', '');

  const times = async () => (await page.locator('#rows tbody tr td:nth-child(4)').evaluateAll((cells) => cells.map((cell) => parseFloat(cell.dataset.v))));
  await page.locator('#rows thead th:nth-child(4) button').press('Enter');
  const sorted = await times();
  assert.deepEqual(sorted, [...sorted].sort((a, b) => b - a), 'the keyboard sorts, dearest first');
  assert.deepEqual(noted, []);
  await close();
});

test('a comparison is walked by keyboard alone', async () => {
  const project = comparison();
  const { page, close } = await opened(browser, project.url);
  const stops = await walked(page);
  assert.ok(stops.length > 80, `${stops.length} stops`);
  assert.deepEqual(stops.filter((stop) => !stop.seen), [], 'where the focus is can be seen');
  for (const what of ['INPUT', 'SELECT', 'BUTTON', 'A', 'SUMMARY', 'DIV']) assert.ok(stops.some((stop) => stop.what.startsWith(what)), what);
  // A case's link opens its part of the page.
  await page.locator('#rows tbody th a').first().press('Enter');
  // It opens when the browser has told the page where it went.
  await page.waitForSelector('#cases details[open]');
  assert.equal(await page.locator('#cases details[open]').count(), 1);
  await pictured(page, 'comparison-case', { fullPage: false });
  await close();
});

test('the demo suite', async () => {
  const project = demo();
  await holds('demo', project);
  const { page, close } = await opened(browser, project.url);
  const rows = await count(page, '#times tbody tr');
  assert.equal(rows, 7, 'four sums, two hashes, and nothing');
  assert.equal(await count(page, '#cases details'), rows);
  assert.equal(await count(page, '#cases svg path.launches'), rows, 'samples and launches of each case');
  await close();
});

test('a sweep over sizes', async () => {
  const project = sweep();
  await holds('sweep', project);
  const { page, close } = await opened(browser, project.url);
  assert.equal(await count(page, '#more svg.chart path.dot:not(.legend)'), 8 + 1, 'a mark for each size, and one in the legend');
  assert.match(await page.textContent('#more figure'), /Grows as O\(n log n\)/);
  await close();
});

test('four runtimes', async () => {
  const project = runtimes();
  await holds('runtimes', project);
  const { page, close } = await opened(browser, project.url);
  const cases = await page.locator('#more figure svg:not(.tall) text.name').allTextContents();
  const names = RUNTIMES.map((runtime) => runtime.split('=')[0]);
  assert.equal(cases.filter((name) => names.includes(name)).length, RUNTIMES.length, 'a legend');
  assert.equal(await count(page, '#more figure svg:not(.tall) rect.bar'), RUNTIMES.length * (cases.length - RUNTIMES.length), 'a bar for each case on each runtime');
  await close();
});

test('two servers under load', async () => {
  const project = load();
  await holds('load', project);
  const { page, close } = await opened(browser, project.url);
  assert.equal(await count(page, '#targets tbody tr'), 2);
  const latency = page.locator('figure', { hasText: 'percentile' }).first();
  assert.equal(await latency.locator('svg path.line.s0, svg path.line.s1').count() >= 2, true, 'a line for each target');
  assert.ok(await count(page, '#compared tbody tr') >= 2);
  await close();
});

test('one comparison on three machines', async () => {
  const project = machines();
  await holds('machines', project);
  const { page, close } = await opened(browser, project.url);
  await page.locator('#rows tbody th a').first().click();
  const table = page.locator('details[open] table', { hasText: 'On each machine' });
  assert.equal(await table.locator('tbody tr').count(), 3, 'a row a machine');
  await close();
});

test('a profile, and a case with one', async () => {
  const project = profile();
  await holds('profile', project);
  await holdsEverywhere(browser, project.run_url, 'profiled');
  const { page, close } = await opened(browser, project.url);
  assert.ok(await count(page, 'svg.flame rect') > 2, 'a frame for each function');
  // As wide as the window, and letters keep their size.
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const box = await page.locator('svg.flame').boundingBox();
    assert.ok(box.width > 0.75 * Math.min(width, 1056) && box.width < width, `${box.width} of ${width}`);
  }
  await close();
});

test('instructions beside times', { skip: !hasValgrind }, async () => {
  const project = instructions();
  await holds('instructions', project);
  const { page, close } = await opened(browser, project.url);
  assert.ok(await page.getByText('instructions of a call').count() > 0);
  await close();
});

test('clocks', async () => { await holds('clocks', clocks()); });

test('pictures of many rows fit a narrow window, and a command stays in one line', async () => {
  for (const url of [comparison().url, runtimes().url]) {
    const { page, close } = await opened(browser, url, { size: 'narrow' });
    for (const window of await page.locator('.wide:has(svg.tall)').all()) {
      const [inside, outside] = await window.evaluate((one) => [one.scrollWidth, one.clientWidth]);
      assert.ok(inside <= outside, `${inside} px in ${outside}`);
      assert.equal(await window.locator('svg:visible').count(), 1, 'one of both drawings');
    }
    const [lines, text] = await page.locator('pre code').first().evaluate((one) => [one.getClientRects().length, one.textContent]);
    assert.equal(lines, 1, text);
    await close();
  }
});

test('cases are looked at from near in both themes and sizes', async () => {
  for (const [name, project, most] of [['comparison', comparison(), 3], ['demo', demo(), 2], ['machines', machines(), 2], ['profiled', { url: profile().run_url }, 1]]) {
    for (const theme of THEMES) {
      for (const size of ['wide', 'narrow']) {
        const { page, close } = await opened(browser, project.url, { theme, size });
        await page.evaluate((most) => document.querySelectorAll('#cases > details').forEach((one, number) => { one.open = number < most; }), most);
        await picturedPart(page.locator('#cases'), `near-${name}-${theme}-${size}`);
        await close();
      }
    }
  }
});

test('what axe would find is found', async () => {
  const { page, close } = await opened(browser, 'data:text/html,<p style="color:%23ccc">pale</p><img src="data:,">');
  const found = await findings(page);
  assert.ok(found.some((one) => one.startsWith('image-alt')) && found.some((one) => one.startsWith('color-contrast')), found.join('\n'));
  await close();
});
