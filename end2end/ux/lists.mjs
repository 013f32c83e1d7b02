// A list of 10,000 tasks: how soon its page begins to come, and how soon it answers a hand.
import { check, expect, figure, live, onDocket, post, quantile, tell } from './common.mjs';

const TASKS = 10_000;
const LOADS = 40;
const ACTS = 12;
const p95 = (numbers) => quantile(numbers, 0.95);
const WORDS = ['buy milk', 'call mum', 'fix the bike', 'send the invoice', 'book the dentist', 'sort photographs'];

/** Adds the tasks, a hundred at a time. */
async function fill(docket, context) {
  for (let from = 0; from < TASKS; from += 100) {
    const line = (n) => `${WORDS[n % 6]} ${n} in ${n % 300} days #Project${n % 8}`;
    const lines = Array.from({ length: 100 }, (_, n) => line(from + n)).join('\n');
    await post(docket, context, 'tasks/add_lines', { lines });
  }
}

/** Milliseconds until the first byte, of pages asked for one after another. */
async function firstBytes(docket, cookie, path) {
  const times = [];
  for (let n = 0; n < LOADS; n += 1) {
    const begun = performance.now();
    const answer = await fetch(docket.origin + path, { headers: { cookie, accept: 'text/html' } });
    times.push(performance.now() - begun);
    await answer.arrayBuffer();
  }
  return times;
}

/** Opens forms, types and ticks; how long the browser took from each press of a key or button to the next picture. */
async function interactions(docket, context) {
  const page = await context.newPage();
  await page.goto(`${docket.origin}/tasks`);
  await live(page);
  await page.evaluate(() => {
    window.presses = [];
    const note = ({ interactionId, name, duration, target }) => {
      if (interactionId) window.presses.push({ id: interactionId, name, took: duration, at: target?.className });
    };
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type: 'event', durationThreshold: 16 });
  });
  for (let n = 0; n < ACTS; n += 1) {
    const row = page.locator('.task-item').nth(n);
    await row.locator('summary').click();
    await row.locator('summary').click();
    await page.getByLabel('Add a task').pressSequentially('call');
    await page.getByLabel('Add a task').fill('');
    const title = await page.locator('.task-item__title').first().textContent();
    await check(page, title).first().click();
    await expect(page.getByRole('status').filter({ hasText: 'Completed' }).first()).toBeVisible();
    await page.waitForTimeout(150);
  }
  const presses = await page.evaluate(() => window.presses);
  // Those quicker than 16 ms are not told.
  const longest = new Map();
  for (const { id, took } of presses) longest.set(id, Math.max(took, longest.get(id) ?? 0));
  const each = [...longest.values()];
  const all = ACTS * (2 + 4 + 1);
  while (each.length < all) each.push(8);
  const slowest = presses.toSorted((a, b) => b.took - a.took).slice(0, 3);
  tell(`lists: slowest: ${slowest.map((it) => `${it.name} at ${it.at} ${it.took} ms`).join(', ')}`);
  return each;
}

export async function lists() {
  return onDocket({}, async (docket) => {
    const context = await docket.enter();
    await fill(docket, context);
    tell(`lists: ${TASKS} tasks are there`);
    const cookie = docket.state.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const rows = [];
    for (const path of ['/tasks', '/tasks?view=upcoming', '/tasks?project=Project3', '/tasks?q=milk', '/']) {
      const times = await firstBytes(docket, cookie, path);
      rows.push(figure(`${path} with 10,000 tasks: first byte, median of ${LOADS}`, times, ' ms', 50));
    }
    rows.push(figure('/tasks with 10,000 tasks: press to picture, p95', await interactions(docket, context), ' ms', 100, { of: p95 }));
    return rows;
  });
}
