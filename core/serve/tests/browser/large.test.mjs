// The server over 100,000 stored measurements (`cargo run --example large-store`): BROWSER_LARGE_STORE names the folder.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isThereSoon, launched, limited, opened, pictured } from './browser.mjs';
import { Project } from './projects.mjs';

const folder = process.env.BROWSER_LARGE_STORE;
const RUNS = 2000;
/** An answer takes less than this, in milliseconds; the least of several, on a busy machine. */
const QUICK = 50;
/** Frames of a movement that take longer stutter, in milliseconds. */
const STUTTER = 100;

let browser, server;
before(async () => {
  browser = await launched();
  if (folder) server = await Project.at(folder).serve();
});
after(async () => {
  await server?.stop();
  await browser.close();
});

async function historyPath() {
  const { cases } = await (await fetch(`${server.address}api/v1/cases`)).json();
  assert.equal(cases.length, 50);
  const one = cases.find((found) => found.case.includes('bench45'));
  assert.equal(one.runs, RUNS);
  return `history?case=${encodeURIComponent(one.case)}&runtime=${encodeURIComponent(one.runtime)}`;
}

test('pages are there soon, and answers at once', { skip: !folder }, async () => {
  const history = await historyPath();
  const slow = [];
  for (const path of ['api/v1/runs', 'api/v1/cases', `api/v1/${history}`]) {
    let least = Infinity;
    for (let again = 0; again < 7; again += 1) {
      const begun = performance.now();
      await (await fetch(server.address + path)).arrayBuffer();
      least = Math.min(least, performance.now() - begun);
    }
    console.log(`# ${path}: ${least.toFixed(1)} ms`);
    if (least > QUICK) slow.push(`${path}: ${least}`);
  }
  limited(slow.length === 0, slow.join('; '));
  for (const [name, path] of [['runs', ''], ['cases', 'cases'], ['history', history], ['changes', 'changes']]) {
    await isThereSoon(browser, server.address + path, `large store, ${name}`);
  }
});

test('a series of 2,000 runs is moved about without stutter', { skip: !folder }, async () => {
  const { page, noted, close } = await opened(browser, server.address + await historyPath());
  const window = page.locator('figure .wide').first();
  const places = () => window.evaluate((one) => ({ left: one.scrollLeft, most: one.scrollWidth - one.clientWidth }));
  const begin = await places();
  assert.ok(begin.most > 4000 && begin.left >= begin.most - 1, `the newest runs are seen first: ${JSON.stringify(begin)}`);
  await pictured(page, 'server-long-history-light-wide');
  await window.hover();
  await page.evaluate(() => {
    window.frames_ = [];
    let last = performance.now();
    const frame = (now) => { window.frames_.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  });
  for (let step = 0; step < 40; step += 1) {
    await page.mouse.wheel(-150, 0);
    await page.waitForTimeout(16);
  }
  await page.waitForTimeout(300);
  const frames = await page.evaluate(() => window.frames_);
  const end = await places();
  assert.ok(end.left < begin.left - 3000, `it moved: ${JSON.stringify(end)}`);
  const long = frames.filter((frame) => frame > STUTTER).length;
  const sorted = [...frames].sort((a, b) => a - b);
  console.log(`# moved over ${(begin.left - end.left).toFixed(0)} px: ${frames.length} frames, median ${sorted[frames.length >> 1].toFixed(1)} ms, longest ${sorted.at(-1).toFixed(1)} ms`);
  limited(long <= 1, `${long} of ${frames.length} frames took longer than ${STUTTER} ms`);
  // By keyboard, too.
  await window.focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForTimeout(300);
  assert.ok((await places()).left > end.left);
  assert.deepEqual(noted, []);
  await close();
});
