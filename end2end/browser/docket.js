// The test's own server, and pages that fail the test when the browser complains.
import { test as base, expect } from '@playwright/test';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const PASSWORD = 'correct horse battery staple';

/** Starts a model's provider that begins each answer at once and takes `delay` ms for each piece of it; where it is. */
export async function provide(delay) {
  const child = spawn('node', [fileURLToPath(new URL('../mockllm/mockllm.mjs', import.meta.url)), '--port', '0', '--token-delay', String(delay)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  return { url: line.split(' ').at(-1), stop: () => child.kill() };
}

/** Starts a server on a free port with an empty database; resolves once it has printed the set-up link. */
export async function start(more) {
  const folder = await mkdtemp(join(tmpdir(), 'docket-browser-'));
  const binary = process.env.DOCKET_BIN;
  if (!binary) throw new Error('DOCKET_BIN must name the docket binary.');
  const child = spawn(binary, ['serve'], {
    env: { ...process.env, DOCKET_ADDR: '127.0.0.1:0', DOCKET_DATABASE_URL: `sqlite://${folder}/docket.db`, DOCKET_LOG: 'warn', DOCKET_RATE_LIMIT_PER_MINUTE: '0', ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const link = await new Promise((resolve, reject) => {
    gone.then((code) => reject(new Error(`docket ended with ${code} before it was ready`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = line.match(/https?:\/\/\S+\/setup\?token=\S+/);
      if (found) resolve(found[0]);
    });
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await gone;
    await rm(folder, { recursive: true, force: true });
  };
  return { link, origin: new URL(link).origin, stop };
}

/** Notes everything that the browser complains about on a page. */
function listen(page, complaints) {
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error}`));
}

export const test = base.extend({
  // Complaints that a test provokes on purpose.
  expected: [[], { option: true }],
  // Milliseconds for each piece of a model's answer; undefined where the rules answer.
  model: [undefined, { option: true }],
  // Messages per minute; 0 is no limit.
  limit: [0, { option: true }],
  docket: async ({ model, limit }, use) => {
    const provider = model === undefined ? undefined : await provide(model);
    const compatible = provider && { DOCKET_ENGINE: 'compatible', DOCKET_LLM_BASE_URL: provider.url, DOCKET_LLM_MODEL: 'mock' };
    const docket = await start({ ...compatible, DOCKET_RATE_LIMIT_PER_MINUTE: String(limit) });
    await use({ ...docket, provider: provider?.url });
    await docket.stop();
    provider?.stop();
  },
  // Closed before its server, whose end it would complain about.
  context: async ({ context, docket, expected }, use) => {
    const complaints = [];
    context.on('page', (page) => listen(page, complaints));
    await use(context);
    const surprises = complaints.filter((text) => !expected.some((pattern) => pattern.test(text)));
    expect(surprises, 'what the browser complained about').toEqual([]);
  },
});

/** Makes the first account with the one-time link; leaves the page on the chat, signed in. */
export async function setUp(page, docket, name = 'ada') {
  await page.goto(docket.link);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByLabel('Time zone').fill('Europe/London');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page).toHaveURL(`${docket.origin}/`);
}

/** Waits until the script has taken over the page. */
export async function live(page) {
  await page.locator('html[data-live]').waitFor();
}

/** Loads the page again and waits for its script. */
export async function reload(page) {
  await page.reload();
  await live(page);
}

/** Opens an address and waits for its script. */
export async function visit(page, address) {
  await page.goto(address);
  await live(page);
}

/** Creates the first account, and waits for the script of its page. */
export async function setUpLive(page, docket, name) {
  await setUp(page, docket, name);
  await live(page);
}

/** Waits until what was sent is no more on its way: the stream may show the answer before the request for it is answered. */
export const arrived = (page) => expect(page.locator('.message-item--sending')).toHaveCount(0);

/** Says something in the chat and waits for the answer. */
export async function say(page, text) {
  const answers = page.locator('.message-item:not(.message-item--mine)');
  const before = await answers.count();
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(answers).toHaveCount(before + 1);
  await arrived(page);
  return answers.last();
}

/** Holds back the requests at `path` until what this resolves to is called. */
export async function hold(page, path) {
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await page.route(path, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

/** Scrolls through the question of the card that has this button, then to the button. */
async function readThrough(button) {
  await button.evaluate(async (element) => {
    // The page has heard of the scrolling two frames later.
    const frames = () => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); });
    const parts = element.closest('.approval-card')?.querySelectorAll('.approval-card__heading, .approval-card__line, .approval-card__rest') ?? [];
    for (const part of [...parts, element]) {
      part.scrollIntoView({ block: 'center' });
      await frames();
    }
  });
}

/** Waits until a press of this button counts, and resolves to the button. */
export async function armed(button) {
  await readThrough(button);
  await expect(button).toHaveAttribute('data-armed');
  return button;
}

/** Waits until a typed yes counts for the question in the conversation. */
export async function read(page) {
  const button = page.locator('.chat-page__log .approval-card--pending [data-keys="mod+enter"]').last();
  await readThrough(button);
  await expect(button).toHaveAttribute('data-read');
}

/** The check of a task. */
/** The form of a row's task: behind the row, and without a script on the page of its task. */
export async function editor(page, row, script = true) {
  if (await row.locator('details').getAttribute('open') === null) await row.locator('summary').click();
  if (script) return row;
  await row.getByRole('link', { name: 'Edit, history' }).click();
  return page.getByRole('complementary', { name: 'One task' });
}

export const check = (page, title) => page.getByRole('checkbox', { name: `Done: ${title}` });

export { expect };
