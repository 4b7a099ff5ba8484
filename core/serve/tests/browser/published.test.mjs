// `tare publish` in a browser: as files, and below a path of a plain web server.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { holdsEverywhere, launched, opened } from './browser.mjs';
import { HISTORY, history } from './projects.mjs';

const PREFIX = '/some/where/';
const KINDS = { html: 'text/html', css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' };

let browser, folder, server, address;
before(async () => {
  browser = await launched();
  const project = history();
  project.tare('publish', 'pages', '--runs', '3');
  folder = join(project.folder, 'pages');
  server = createServer((request, answer) => {
    // Browsers ask the host for it by themselves.
    if (request.url === '/favicon.ico') return answer.writeHead(204).end();
    try {
      if (!request.url.startsWith(PREFIX)) throw new Error('elsewhere');
      const body = readFileSync(join(folder, request.url.slice(PREFIX.length)));
      answer.writeHead(200, { 'Content-Type': KINDS[request.url.split('.').pop()] }).end(body);
    } catch {
      answer.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${server.address().port}${PREFIX}`;
});
after(async () => {
  server.close();
  await browser.close();
});

const sorted = () => readdirSync(join(folder, 'histories')).find((name) => name.includes('sort'));

test('published pages are fit for everybody, as files', async () => {
  const run = readdirSync(join(folder, 'runs'))[0];
  for (const [name, path] of [['runs', 'index.html'], ['cases', 'cases.html'], ['history', `histories/${sorted()}`], ['changes', 'changes.html'], ['run', `runs/${run}`]]) {
    await holdsEverywhere(browser, `file://${folder}/${path}`, `published-${name}`, { within: `file://${folder}/` });
  }
});

test('published pages lead to each other, as files and below a path', async () => {
  for (const start of [`file://${folder}/`, address]) {
    const { page, noted, close } = await opened(browser, `${start}index.html`, { within: start });
    assert.equal(await page.locator('#runs tbody tr').count(), HISTORY.runs);
    assert.equal(await page.locator('#runs tbody th a').count(), 3, 'runs with a page');
    await page.locator('#runs tbody th a').first().click();
    assert.match(await page.textContent('h1'), /benchmarks measured/);
    await page.getByRole('link', { name: 'Cases' }).click();
    await page.locator('#cases-list tbody th a', { hasText: 'sort' }).click();
    assert.equal(await page.locator('figure svg path.zero').count(), 1, 'a line where the level changes');
    assert.ok(await page.locator('img').evaluate((badge) => badge.naturalWidth > 0), 'the badge is there');
    // The style sheet is there: without it the body has no margins of its own.
    assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('nav a')).color !== 'rgb(0, 0, 238)'), true);
    await page.getByRole('link', { name: 'What changed' }).click();
    assert.equal(await page.locator('#changes tbody tr').count(), 1);
    await page.locator('#changes tbody th a').click();
    assert.match(page.url(), /histories\//);
    assert.deepEqual(noted, []);
    await close();
  }
});

test('a published list of cases is searched and sorted by the page', async () => {
  const { page, noted, close } = await opened(browser, `file://${folder}/cases.html`, { within: `file://${folder}/` });
  const shown = () => page.locator('#cases-list tbody tr:visible th').allTextContents();
  const all = await shown();
  assert.ok(all.length > 1);
  await page.getByRole('searchbox').fill('SORT');
  assert.deepEqual(await shown(), all.filter((name) => name.includes('ort')));
  assert.match(await page.textContent('[role=status]'), new RegExp(`^1 of ${all.length} cases$`));
  await page.getByRole('searchbox').fill('no such case');
  assert.deepEqual(await shown(), []);
  await page.getByRole('searchbox').fill('');
  assert.deepEqual(await shown(), all);
  const names = [...all].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  const by = (name) => page.getByRole('button', { name });
  await by('case').click();
  assert.deepEqual(await shown(), names);
  await by('case').click();
  assert.deepEqual(await shown(), [...names].reverse());
  await by('newest time').click();
  const times = await page.locator('#cases-list tbody td[data-head="newest time"]').evaluateAll((cells) => cells.map((cell) => Number(cell.dataset.by)));
  assert.deepEqual(times, [...times].sort((a, b) => b - a));
  assert.equal(await page.locator('#cases-list th[aria-sort]').count(), 1);
  assert.deepEqual(noted, []);
  await close();
});
