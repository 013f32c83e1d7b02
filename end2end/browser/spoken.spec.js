// What a screen reader is told: each thing once, and what matters at once as what interrupts.
import { armed, expect, live, say, setUp, setUpLive, test, visit } from './docket.js';

const box = (page) => page.getByRole('textbox', { name: 'Message', exact: true });

/** Has every page of the context note what its live regions say: `[urgent, text]` each time one changes. */
const listenIn = (context) => context.addInitScript(() => {
  const regions = '[role=alert], [role=status], [aria-live=polite], [aria-live=assertive]';
  window.heard = [];
  const last = new WeakMap();
  new MutationObserver((changes) => {
    const told = new Set();
    for (const { type, target, addedNodes } of changes) {
      if (type === 'childList' && !addedNodes.length) continue;
      const place = target instanceof Element ? target : target.parentElement;
      const around = place?.closest(regions);
      if (around) told.add(around);
      for (const added of addedNodes) {
        if (!(added instanceof Element)) continue;
        if (added.matches(regions)) told.add(added);
        for (const region of added.querySelectorAll(regions)) told.add(region);
      }
    }
    for (const region of told) {
      const text = region.isConnected ? region.textContent : '';
      if (text.trim() && last.get(region) !== text) {
        window.heard.push([region.matches('[role=alert], [aria-live=assertive]'), text.trim()]);
      }
      last.set(region, text);
    }
  }).observe(document, { childList: true, characterData: true, subtree: true });
});

/** What was told since the last call of `hush`. */
const heard = (page) => page.evaluate(() => window.heard);
const hush = (page) => page.evaluate(() => { window.heard = []; });

test.beforeEach(async ({ context }) => listenIn(context));

test('two replies that are the same are both told', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await hush(page);
  for (const count of [1, 2, 3]) {
    await say(page, 'show my tasks');
    await expect.poll(async () => (await heard(page)).length, 'one for each reply').toBe(count);
  }
  const told = await heard(page);
  expect(new Set(told.map(([urgent, text]) => `${urgent} ${text}`)).size, 'the same each time').toBe(1);
  expect(told[0][0], 'politely').toBe(false);
});

test('a message over the length limit is announced once', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await hush(page);
  await box(page).fill('x'.repeat(8003));
  await box(page).press('End');
  for (const over of [4, 5, 6]) {
    await box(page).press('x');
    await expect(page.getByText(`${over} characters over the limit`)).toBeVisible();
  }
  expect(await heard(page)).toEqual([[false, 'This message is too long.']]);
  await box(page).fill('short');
  await expect(page.getByText('over the limit', { exact: false }).filter({ hasText: 'characters' })).toHaveCount(0);
  await box(page).fill('y'.repeat(8001));
  await expect.poll(() => heard(page)).toHaveLength(2);
});

test.describe('without a connection', () => {
  test.use({ expected: [/ERR_(INTERNET_DISCONNECTED|NETWORK_CHANGED)/] });

  test('a failed send and a reconnection are each announced once', async ({ page, context, docket }) => {
    await setUpLive(page, docket);
    await hush(page);
    await context.setOffline(true);
    await box(page).fill('add buy milk');
    await box(page).press('Enter');
    await expect(page.getByText('Connection lost.')).toBeVisible();
    await expect(page.getByText('You are offline. Your text is saved.')).toBeVisible();
    const told = await heard(page);
    expect(told).toHaveLength(1);
    expect(told[0]).toEqual([true, expect.stringContaining('Docket cannot be reached.')]);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => heard(page), 'told again, since it was tried again').toHaveLength(2);
    await hush(page);
    await context.setOffline(false);
    await expect(page.getByText('Connection restored.')).toBeVisible();
    await expect(page.getByText('Connection lost.')).toHaveCount(0);
    expect(await heard(page)).toEqual([[false, 'Connection restored.']]);
    await expect(page.getByText('Connection restored.')).toHaveCount(0);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.locator('.message-item:not(.message-item--mine)')).toHaveCount(1);
  });

  test('a lost connection is told once where nothing was sent', async ({ page, context, docket }) => {
    await setUp(page, docket);
    await visit(page, `${docket.origin}/tasks`);
    await hush(page);
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Approvals' }).first().click();
    await expect(page.getByText('Connection lost.')).toBeVisible();
    expect((await heard(page)).filter(([, text]) => text.includes('Connection lost'))).toEqual([[true, 'Connection lost. Trying again…']]);
    await context.setOffline(false);
    await expect(page.getByText('Connection restored.')).toBeVisible();
  });
});

test('an approval is announced politely in other tabs only', async ({ page, context, docket }) => {
  await setUpLive(page, docket);
  await say(page, 'add call mum');
  const other = await context.newPage();
  await visit(other, `${docket.origin}/tasks`);
  await other.getByLabel('Add a task').fill('half a thought');
  for (const tab of [page, other]) await hush(tab);
  await say(page, 'delete task 1');
  await expect(page.getByRole('dialog')).toBeVisible();
  await expect.poll(() => heard(other)).toEqual([[false, 'Docket asks: Delete “call mum”?']]);
  await expect(other.getByLabel('Add a task')).toBeFocused();
  expect((await heard(page)).filter(([, text]) => text.startsWith('Docket asks:'))).toEqual([]);
});

test.describe('with a model', () => {
  test.use({ model: 20 });

  test('a reply that comes word by word is told once', async ({ page, docket }) => {
    const text = Array.from({ length: 40 }, (_, n) => `word${n}`).join(' ');
    await fetch(docket.provider.replace('/v1', '/_rules'), { method: 'POST', body: JSON.stringify([{ match: '^think$', text }]) });
    await setUpLive(page, docket);
    await hush(page);
    await say(page, 'think');
    await expect.poll(async () => (await heard(page)).map(([urgent, told]) => [urgent, told.includes('word39')])).toEqual([[false, true]]);
  });
});

test('what a verdict brought about is told once', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await say(page, 'add call mum');
  await say(page, 'delete task 1');
  await armed(page.getByRole('dialog', { name: 'Approval request' }).getByRole('button', { name: 'Delete task' }));
  await hush(page);
  await page.keyboard.press('Control+Enter');
  await expect(page.locator('.approval-card--approved')).toBeVisible();
  await expect.poll(() => heard(page)).toEqual([[false, expect.stringMatching(/^Approved by ada in the browser, /)]]);
});

test.describe('an edit that is refused', () => {
  test.use({ expected: [/status of 409/] });

  test('is told once, at once', async ({ page, docket }) => {
    await setUpLive(page, docket);
    await say(page, 'add call mum');
    await visit(page, `${docket.origin}/tasks`);
    const refusal = { error: { code: 'conflict', message: 'Somebody else has it.' } };
    await page.route('**/api/v1/tasks/complete', (route) => route.fulfill({ status: 409, json: refusal }));
    await hush(page);
    await page.getByRole('checkbox', { name: 'Done: call mum' }).click();
    await expect.poll(async () => (await heard(page)).filter(([, told]) => told.includes('Somebody else has it.')).map(([urgent]) => urgent)).toEqual([true]);
    await expect(page.getByRole('checkbox', { name: 'Done: call mum' })).toHaveAttribute('aria-checked', 'false');
    expect(await heard(page), 'and nothing else').toHaveLength(1);
  });
});
