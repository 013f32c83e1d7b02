// What is clicked and typed before the script has arrived, which takes 5 s, and while it takes the page over: none of it is lost.
import { check, expect, onDocket, post, row, sleep, tell } from './common.mjs';

const DELAY = 5_000;
const ROUNDS = 10;

/** Opens a page whose script takes its time. */
async function early(docket, context, path) {
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  await page.route('**/docket.wasm', async (route) => {
    await sleep(DELAY);
    await route.continue().catch(() => undefined);
  });
  await page.goto(docket.origin + path);
  return page;
}

const hydrated = (page) => page.locator('html[data-live]').waitFor({ timeout: 30_000 });

/** Five things in the round `n`, each on a page of its own; the later the round, the later they are done. */
const ACTS = {
  'text in the composer': async (docket, context, n) => {
    const page = await early(docket, context, '/');
    await sleep(n * 550);
    await page.getByLabel('Message', { exact: true }).fill(`half a thought ${n}`);
    await hydrated(page);
    await expect(page.getByLabel('Message', { exact: true })).toHaveValue(`half a thought ${n}`);
    return page;
  },
  'a task added': async (docket, context, n) => {
    const page = await early(docket, context, '/tasks');
    await sleep(n * 550);
    await page.getByLabel('Add a task').fill(`Errand ${n}`);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(check(page, `Errand ${n}`)).toBeVisible();
    return page;
  },
  'a task ticked': async (docket, context, n) => {
    await post(docket, context, 'tasks/add', { text: `Chore ${n}` });
    const page = await early(docket, context, '/tasks');
    await sleep(n * 550);
    await check(page, `Chore ${n}`).click();
    await expect(check(page, `Chore ${n}`)).toHaveCount(0);
    return page;
  },
  'a message sent': async (docket, context, n) => {
    const page = await early(docket, context, '/');
    await sleep(n * 550);
    await page.getByLabel('Message', { exact: true }).fill(`add learn song ${n}`);
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.locator('.message-item').filter({ hasText: `Created task: learn song ${n} ` })).toHaveCount(1);
    return page;
  },
  'a form opened and half filled': async (docket, context, n) => {
    await post(docket, context, 'tasks/add', { text: `Plan ${n}` });
    const page = await early(docket, context, '/tasks');
    const row = page.locator('.task-item').filter({ hasText: `Plan ${n}` });
    await sleep(n * 550);
    await row.locator('summary').click();
    await row.getByLabel('Notes').fill('ask about the gard');
    await hydrated(page);
    await expect(row.getByLabel('Notes')).toHaveValue('ask about the gard');
    return page;
  },
};

/** One act; whether it was lost. */
async function lost(docket, context, name, n) {
  const before = new Set(context.pages());
  try {
    await (await ACTS[name](docket, context, n)).close();
    return [];
  } catch (error) {
    tell(`clicks: ${name} after ${n * 550} ms: ${error.message.slice(0, 400)}`);
    await Promise.all(context.pages().filter((page) => !before.has(page)).map((page) => page.close().catch(() => undefined)));
    return [`${name} after ${n * 550} ms`];
  }
}

export async function clicks() {
  return onDocket({}, async (docket) => {
    const gone = [];
    for (let n = 0; n < ROUNDS; n += 1) {
      const contexts = await Promise.all(Object.keys(ACTS).map(() => docket.enter()));
      const round = await Promise.all(Object.keys(ACTS).map((name, at) => lost(docket, contexts[at], name, n)));
      await Promise.all(contexts.map((context) => context.close()));
      gone.push(...round.flat());
      tell(`clicks: round ${n + 1} of ${ROUNDS}, ${gone.length} lost`);
    }
    const all = ROUNDS * Object.keys(ACTS).length;
    return [row('clicks and text before the script, which takes 5 s', `${gone.length} lost of ${all}`, `0 of ${all}`, gone.length === 0)];
  });
}
