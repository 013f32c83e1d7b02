// What changes in one tab shows in the others: how soon, after a broken connection, and in twelve tabs at once.
import { createServer, connect } from 'node:net';
import { check, expect, figure, live, onDocket, post, quantile, row, sleep, tell } from './common.mjs';

const CHANGES = 40;
const TABS = 12;
const BREAKS = 10;
const p95 = (numbers) => quantile(numbers, 0.95);

/** Runs in a page: notes when each task is first seen. All pages of a browser run on one clock. */
function watch() {
  window.seen = {};
  const note = () => {
    for (const box of document.querySelectorAll('.task-item__check')) window.seen[box.getAttribute('aria-label').slice(6)] ??= Date.now();
  };
  new MutationObserver(note).observe(document.body, { childList: true, subtree: true, attributes: true });
}

async function tab(context, url) {
  const page = await context.newPage();
  await page.goto(url);
  await live(page);
  await page.evaluate(watch);
  return page;
}

const seen = (page, titles) => page.evaluate((titles) => titles.map((title) => window.seen[title]), titles);

/** From the press in one tab to the sight in the other, in ms. */
async function between(docket) {
  const context = await docket.enter();
  const [a, b] = [await tab(context, `${docket.origin}/tasks`), await tab(context, docket.origin)];
  await a.evaluate(() => {
    window.pressed = [];
    document.addEventListener('submit', ({ target }) => {
      if (target.action.endsWith('/tasks/add')) window.pressed.push(Date.now());
    }, true);
  });
  const titles = Array.from({ length: CHANGES }, (_, n) => `Errand ${n}`);
  for (const title of titles) {
    await a.getByLabel('Add a task').fill(title);
    await a.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(check(b, title)).toBeVisible();
    await expect(check(a, title)).toBeVisible();
  }
  const pressed = await a.evaluate(() => window.pressed);
  const delays = (await seen(b, titles)).map((at, n) => at - pressed[n]);
  await context.close();
  return delays;
}

/** Twelve tabs of one browser: from the answer to each sight, and whether all go on when the first ones are closed. */
async function many(docket) {
  const context = await docket.enter();
  const tabs = [];
  for (let n = 0; n < TABS; n += 1) tabs.push(await tab(context, `${docket.origin}/tasks`));
  const titles = Array.from({ length: 10 }, (_, n) => `Chore ${n}`);
  const added = [];
  for (const title of titles) {
    await post(docket, context, 'tasks/add', { text: title });
    added.push(Date.now());
    for (const page of tabs) await expect(check(page, title)).toBeVisible();
  }
  const delays = [];
  for (const page of tabs) delays.push(...(await seen(page, titles)).map((at, n) => at - added[n]));
  for (const page of tabs.splice(0, 6)) await page.close();
  await post(docket, context, 'tasks/add', { text: 'One more chore' });
  const still = await Promise.all(tabs.map((page) => expect(check(page, 'One more chore')).toBeVisible().then(() => true, () => false)));
  await context.close();
  return { delays, still: still.filter(Boolean).length, of: still.length };
}

/** A connection that can be broken: what comes to its port goes to `port`, unless it is cut. */
async function cable(port) {
  const ends = new Set();
  let cut = false;
  const server = createServer((from) => {
    if (cut) return from.destroy();
    const to = connect(port, '127.0.0.1');
    for (const [one, other] of [[from, to], [to, from]]) {
      ends.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => ends.delete(one));
    }
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const sever = () => {
    cut = true;
    for (const end of ends) end.destroy();
  };
  return { port: server.address().port, sever, mend: () => { cut = false; }, close: () => { sever(); server.close(); } };
}

/** Changes made while the connection is down, and while it goes down: how many the page does not show afterwards. */
async function broken(docket) {
  const wire = await cable(Number(new URL(docket.origin).port));
  const context = await docket.enter();
  const direct = docket.origin;
  const page = await context.newPage();
  // The server knows one origin; the browser's way there leads through the cable.
  await page.goto(`http://127.0.0.1:${wire.port}/tasks`);
  await live(page);
  const missed = [];
  for (let n = 0; n < BREAKS; n += 1) {
    const titles = [`Before ${n}`, `During ${n}`, `Later ${n}`];
    const first = post({ origin: direct }, context, 'tasks/add', { text: titles[0] });
    if (n % 2 === 0) await first;
    wire.sever();
    await first;
    await post({ origin: direct }, context, 'tasks/add', { text: titles[1] });
    await sleep(100 * n);
    await post({ origin: direct }, context, 'tasks/add', { text: titles[2] });
    wire.mend();
    for (const title of titles) {
      const there = await expect(check(page, title)).toBeVisible({ timeout: 20_000 }).then(() => true, () => false);
      if (!there) missed.push(title);
    }
  }
  wire.close();
  await context.close();
  for (const title of missed) tell(`tabs: missed after a break: ${title}`);
  return missed.length;
}

export async function tabs() {
  // Each on a list of its own: what comes last on one of more than a page is on the next page.
  const delays = await onDocket({}, between);
  const twelve = await onDocket({}, many);
  const missed = await onDocket({}, broken);
  return [
    figure(`press in tab A to sight in tab B, p95 of ${CHANGES}`, delays, ' ms', 300, { of: p95 }),
    row(`changes that ${TABS} tabs showed (all of them painting on one machine: p95 after ${p95(twelve.delays)} ms)`,
      `${twelve.delays.filter(Number.isFinite).length} of ${TABS * 10}`, 'all', twelve.delays.filter(Number.isFinite).length === TABS * 10),
    row('of these tabs, alive after the first six were closed', `${twelve.still} of ${twelve.of}`, 'all', twelve.still === twelve.of),
    row(`changes missed by a page over ${BREAKS} broken connections`, `${missed} of ${3 * BREAKS}`, '0', missed === 0),
  ];
}
