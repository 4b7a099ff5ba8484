// A browser that notes what a page must not do, and what everybody who opens pages here asks of them.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const pictures = process.env.BROWSER_PICTURES;

export const SIZES = { wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } };
export const THEMES = ['light', 'dark'];
/** A page is there within this time, in milliseconds. */
const SOON = 1000;
/** Times are told everywhere, and judged where this says that nothing else is at work: a busy machine makes any page slow. */
const judged = process.env.BROWSER_QUIET_MACHINE === '1';

/** Holds what was measured against its limit, where times are judged. */
export function limited(held, said) {
  if (judged) assert.ok(held, said);
  else if (!held) console.log(`# beyond its limit, which is not judged here (BROWSER_QUIET_MACHINE=1 does): ${said}`);
}

export async function launched() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
}

/** A page of a context of its own; `noted` holds console messages, errors and requests to elsewhere: beyond `within`, the page itself or its server. */
export async function opened(browser, url, { theme = 'light', size = 'wide', wait, patience = 30_000, within } = {}) {
  const context = await browser.newContext({ viewport: SIZES[size], colorScheme: theme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const noted = [];
  const own = within ?? (url.startsWith('file:') ? url : new URL(url).origin);
  page.on('console', (message) => noted.push(`console: ${message.text()} ${message.location().url}`));
  page.on('pageerror', (error) => noted.push(`error: ${error.message}`));
  page.on('request', (request) => { if (!request.url().startsWith(own)) noted.push(`request: ${request.url()}`); });
  await page.goto(url, { waitUntil: 'load' });
  if (wait) await page.waitForSelector(wait, { timeout: patience });
  return { page, noted, close: () => context.close() };
}

/** Milliseconds until something could be seen, and until all was loaded. */
export async function timing(page) {
  return page.evaluate(() => {
    const [entry] = performance.getEntriesByType('navigation');
    const paint = performance.getEntriesByName('first-contentful-paint')[0];
    return { paint: paint ? paint.startTime : NaN, loaded: entry.loadEventEnd };
  });
}

/** The least times of several openings: a busy machine makes single ones long. */
export async function isThereSoon(browser, url, name) {
  const least = { paint: Infinity, loaded: Infinity };
  for (let again = 0; again < 3; again += 1) {
    const { page, close } = await opened(browser, url);
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    const took = await timing(page);
    least.paint = Math.min(least.paint, took.paint);
    least.loaded = Math.min(least.loaded, took.loaded);
    await close();
  }
  console.log(`# ${name}: first paint after ${least.paint.toFixed(0)} ms, loaded after ${least.loaded.toFixed(0)} ms`);
  limited(least.paint < SOON && least.loaded < SOON, `${name}: ${JSON.stringify(least)}`);
}

/** What axe finds, with where; it fetches no style sheet, which a page's policy refuses. Everything that folds is opened first: nothing hides from it. */
export async function findings(page) {
  await page.evaluate(() => document.querySelectorAll('details').forEach((one) => { one.open = true; }));
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'], preload: false }));
  return violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`).join(' | ')}`);
}

/** Text that is wider than the window, but for what scrolls by itself. */
async function tooWide(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** In both themes and sizes: quiet, within the window, and nothing for axe to find. */
export async function holdsEverywhere(browser, url, name, { wait, within } = {}) {
  for (const theme of THEMES) {
    for (const size of Object.keys(SIZES)) {
      const { page, noted, close } = await opened(browser, url, { theme, size, wait, within });
      const where = `${name}, ${theme}, ${size}`;
      await pictured(page, `${name}-${theme}-${size}`);
      assert.ok(await tooWide(page) <= 0, `${where}: the page is ${await tooWide(page)} px wider than the window`);
      assert.deepEqual(await findings(page), [], where);
      assert.deepEqual(noted, [], where);
      await close();
    }
  }
}

/** A picture of the whole page, for people to look at. */
export async function pictured(page, name, { fullPage = true } = {}) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage });
}

/** A picture of a part of the page. */
export async function picturedPart(part, name) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await part.screenshot({ path: join(pictures, `${name}.png`) });
}

/** Where the focus goes with Tab, until it comes round: short descriptions. */
export async function walked(page, most = 400) {
  const stops = [];
  for (let step = 0; step < most; step += 1) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const one = document.activeElement;
      if (!one || one === document.body) return null;
      const style = getComputedStyle(one);
      const box = one.getBoundingClientRect();
      return {
        what: `${one.tagName} ${(one.getAttribute('aria-label') || one.textContent || one.name || '').trim().slice(0, 40)}`,
        seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 && box.width > 0 && box.height > 0,
      };
    });
    if (!stop) break;
    stops.push(stop);
  }
  return stops;
}
