// What happens elsewhere shows here; what is typed before the script arrives is not lost.
import { barriers } from './axe.js';
import { check, expect, hold, live, reload, say, setUp, setUpLive, test, visit } from './docket.js';

test('two tabs stay in step within 300 ms', async ({ page, context, docket }) => {
  await setUp(page, docket);
  await page.goto(`${docket.origin}/tasks`);
  const other = await context.newPage();
  await other.goto(docket.origin);
  await live(page);
  await live(other);
  // Both pages run on one clock; the test's own messages to the browser are not part of what is measured.
  await other.evaluate(() => {
    window.seen = {};
    new MutationObserver(() => {
      for (const check of document.querySelectorAll('.task-item__check')) window.seen[check.getAttribute('aria-label')] ??= Date.now();
    }).observe(document.body, { childList: true, subtree: true });
  });
  await page.evaluate(() => {
    const plain = window.fetch;
    window.answered = [];
    window.fetch = async (...request) => {
      const response = await plain(...request);
      if (response.url.endsWith('/tasks/add')) window.answered.push(Date.now());
      return response;
    };
  });
  const errands = [1, 2, 3, 4, 5].map((n) => `Errand ${n}`);
  for (const errand of errands) {
    await page.getByLabel('Add a task').fill(errand);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(check(page, errand)).toBeVisible();
    await expect(check(other, errand)).toBeVisible();
  }
  await expect.poll(() => page.evaluate(() => window.answered.length)).toBe(errands.length);
  const answered = await page.evaluate(() => window.answered);
  const seen = await other.evaluate((titles) => titles.map((title) => window.seen[`Done: ${title}`]), errands);
  const delays = seen.map((at, n) => at - answered[n]);
  const median = delays.toSorted((a, b) => a - b)[2];
  console.log(`seen in the other tab after ${delays.join(', ')} ms`);
  expect(median).toBeLessThanOrEqual(300);
});

test('an approval arriving while the user types is shown inline', async ({ page, context, docket }) => {
  await setUpLive(page, docket);
  await say(page, 'add call mum');
  const other = await context.newPage();
  await visit(other, docket.origin);
  await other.getByLabel('Message', { exact: true }).fill('half a thought');
  await say(page, 'delete task 1');
  await expect(page.getByRole('dialog')).toBeVisible();
  await expect(other.locator('.approval-card--pending')).toBeVisible();
  await expect(other.getByRole('dialog')).toBeHidden();
  await expect(other.getByLabel('Message', { exact: true })).toHaveValue('half a thought');
  await expect(other.getByRole('link', { name: /Approvals/ })).toContainText('1');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await other.locator('.approval-card--pending').getByRole('button', { name: 'Keep task' }).click();
  await expect(page.locator('.approval-card--rejected')).toBeVisible();
});

test('clicks and text before the script are not lost', async ({ page, docket }) => {
  await setUp(page, docket);
  await say(page, 'add call mum');
  const release = await hold(page, '**/docket.wasm');
  await page.goto(docket.origin);
  await page.getByLabel('Add a task').fill('Errand');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(check(page, 'Errand')).toBeVisible();
  await page.getByLabel('Message', { exact: true }).fill('complete task 1');
  release();
  await live(page);
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('complete task 1');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(check(page, 'Call mum')).toHaveCount(0);
});

test('a form submitted during hydration leaves no draft behind', async ({ page, docket }) => {
  await setUp(page, docket);
  const [script, form] = [await hold(page, '**/docket.wasm'), await hold(page, '**/api/v1/chat')];
  await page.goto(docket.origin);
  await page.getByLabel('Message', { exact: true }).fill('add call mum');
  await page.getByRole('button', { name: 'Send' }).click({ noWaitAfter: true });
  const come = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/docket.wasm'));
  script();
  await come;
  form();
  await live(page);
  await expect(check(page, 'Call mum')).toHaveCount(1);
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('');
});

test.describe('a refusal', () => {
  test.use({ expected: [/status of 422/] });

  test('a refused message offers a retry that sends it', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await page.route('**/api/v1/chat', (route) => route.fulfill({
    status: 422, contentType: 'application/json', body: JSON.stringify({ error: { code: 'invalid', message: 'A message must not be empty.' } }),
  }), { times: 1 });
  await page.getByLabel('Message', { exact: true }).fill('add call mum');
  await page.keyboard.press('Enter');
  await expect(page.getByText('A message must not be empty.')).toBeVisible();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(check(page, 'Call mum')).toBeVisible();
});
});

/** Has the page note what it asks the browser for, and what it shows by it. */
const noteNotifications = (context) => context.addInitScript(() => {
  const Plain = window.Notification;
  window.asked = 0;
  window.notified = [];
  window.Notification = class extends Plain {
    constructor(...what) {
      super(...what);
      window.notified.push(what[0]);
    }

    static requestPermission(told) {
      window.asked += 1;
      return Plain.requestPermission(told);
    }
  };
});

/** Adds tasks that are due in three seconds, at one moment. */
const dueSoon = (page, ...titles) => page.evaluate(async (titles) => {
  const due = new Date(Date.now() + 3_000).toISOString();
  for (const title of titles) {
    const answer = await fetch('/api/v1/tasks/add', { method: 'POST', body: new URLSearchParams({ title, due }) });
    if (!answer.ok) throw new Error(await answer.text());
  }
}, titles);

/** The reminder of a task. */
const reminder = (page, title) => page.getByRole('region', { name: 'Reminders' }).locator('.toast-region__toast').filter({ hasText: `Due now: ${title}` });

/** What became of the tasks, by title. */
const statuses = (page) => page.evaluate(async () => {
  const { tasks } = await (await fetch('/api/v1/tasks/list')).json();
  return Object.fromEntries(tasks.map((task) => [task.title, task.status]));
});

test('an allowed reminder notification is shown by one tab only', async ({ page, context, docket }) => {
  await noteNotifications(context);
  await context.grantPermissions(['notifications'], { origin: docket.origin });
  await setUpLive(page, docket);
  const other = await context.newPage();
  await visit(other, `${docket.origin}/settings`);
  await other.getByRole('button', { name: 'Show reminders as notifications' }).click();
  await expect(other.getByText('shown as notifications while')).toBeVisible();
  await dueSoon(page, 'Call mum');
  for (const tab of [page, other]) await expect(tab.getByText('Due now: Call mum')).toBeVisible();
  const notified = await Promise.all([page, other].map((tab) => tab.evaluate(() => window.notified)));
  expect(notified.flat()).toEqual(['Due now: Call mum']);
  await page.getByRole('button', { name: 'In an hour' }).click();
  await expect(page.getByText('Due now: Call mum')).toBeHidden();
});

test('notification permission is requested only by its button', async ({ page, context, docket }) => {
  await noteNotifications(context);
  await setUpLive(page, docket);
  await dueSoon(page, 'Call mum');
  await expect(page.getByText('Due now: Call mum')).toBeVisible();
  await visit(page, `${docket.origin}/settings`);
  expect(await page.evaluate(() => [window.asked, window.notified])).toEqual([0, []]);
});

test.describe('reminders', () => {
  test.use({ expected: [/status of 422/] });

  test('simultaneous reminders stay in every tab until each is answered', async ({ page, context, docket }) => {
    await page.clock.install();
    await setUpLive(page, docket);
    const other = await context.newPage();
    await visit(other, `${docket.origin}/tasks`);
    await dueSoon(page, 'Call mum', 'Buy milk', 'Wash car', 'Feed cat', 'Water ferns');
    for (const title of ['Call mum', 'Buy milk']) await expect(reminder(page, title)).toBeVisible();
    await expect(page.getByText('3 more reminders')).toBeVisible();

    // Neither another message nor time takes them away, nor closing the page.
    await page.getByLabel('Add a task').fill('Errand');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(check(page, 'Errand')).toBeVisible();
    await check(page, 'Errand').press('Space');
    const told = page.locator('.toast-region').getByRole('status');
    await expect(told).toContainText('Completed “Errand”');
    await page.clock.fastForward(60_000);
    await expect(told).toBeEmpty();
    await expect(reminder(page, 'Call mum')).toBeVisible();
    await reload(page);

    const done = page.waitForResponse('**/api/v1/tasks/complete');
    await reminder(page, 'Call mum').getByRole('button', { name: 'Done' }).click();
    expect((await done).status()).toBe(200);
    const later = page.waitForResponse('**/api/v1/tasks/snooze');
    expect(await barriers(page)).toEqual([]);
    await reminder(page, 'Buy milk').getByRole('button', { name: 'In an hour' }).click();
    const { remind_at } = await (await later).json();
    expect(new Date(remind_at) - Date.now()).toBeGreaterThan(55 * 60_000);
    await reminder(page, 'Wash car').getByRole('button', { name: 'Dismiss' }).click();
    for (const tab of [page, other]) {
      await expect(tab.locator('.toast-region__reminders .toast-region__toast')).toHaveText([/Feed cat/, /Water ferns/]);
    }
    const open = { 'Buy milk': 'pending', 'Wash car': 'pending', 'Feed cat': 'pending', 'Water ferns': 'pending' };
    expect(await statuses(page)).toMatchObject({ 'Call mum': 'completed', ...open });

    // What is done in the list needs no answer, and what fails waits on.
    await check(other, 'Feed cat').press('Space');
    await expect(reminder(page, 'Feed cat')).toBeHidden();
    await page.route('**/api/v1/tasks/complete', (route) => route.fulfill({
      status: 422, contentType: 'application/json', body: JSON.stringify({ error: { code: 'invalid', message: 'Not now.' } }),
    }), { times: 1 });
    await reminder(page, 'Water ferns').getByRole('button', { name: 'Done' }).click();
    await expect(page.getByText('Not now.')).toBeVisible();
    await reminder(page, 'Water ferns').getByRole('button', { name: 'Done' }).click();
    await expect(page.locator('.toast-region__reminders .toast-region__toast')).toHaveCount(0);
    await expect.poll(() => statuses(page)).toMatchObject({ 'Feed cat': 'completed', 'Water ferns': 'completed' });
  });
});
