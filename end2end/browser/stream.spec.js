// The event stream that all tabs of an account share, and what is shown of turns that run while pages come and go.
import { barriers } from './axe.js';
import { armed, check, expect, hold, live, PASSWORD, setUp, setUpLive, test, visit } from './docket.js';

const box = (page) => page.getByLabel('Message', { exact: true });
const said = (page) => page.locator('.working__said');
const stop = (page) => page.getByRole('button', { name: 'Stop' });
const answers = (page) => page.locator('.message-item:not(.message-item--mine)');

/** Has the model answer as these rules say. */
const script = (docket, rules) => fetch(docket.provider.replace('/v1', '/_rules'), { method: 'POST', body: JSON.stringify(rules) });

/** A reply that takes about twenty seconds. */
const LONG = { match: '^think$', text: Array.from({ length: 80 }, (_, n) => `word${n}`).join(' ') };

/** Nothing that the rules, which stand in for a model, could do. */
const ASK = 'Why is the sky blue?';

async function think(page, docket) {
  await script(docket, [LONG, { match: '^quick$', text: 'Quick.' }]);
  await setUpLive(page, docket);
  await box(page).fill('think');
  await box(page).press('Enter');
  await expect(said(page)).toContainText('word1');
}

test.describe('with a model that takes its time', () => {
  test.use({ model: 250 });

  test('a finished turn elsewhere keeps Stop and the streamed reply', async ({ page, docket }) => {
    await think(page, docket);
    // By its own address: the plain one shows the latest conversation.
    await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: 'think' }).click();
    await expect(page).toHaveURL(/\?c=/);
    // Another conversation, as a second tab or an outside agent would have one.
    await page.evaluate(() => fetch('/api/v1/chat', { method: 'POST', body: new URLSearchParams({ message: 'quick' }) }));
    await expect(page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: 'quick' })).toBeVisible();
    const before = await said(page).textContent();
    await expect(said(page)).toContainText('word1');
    await expect(said(page)).not.toHaveText(before);
    await stop(page).click();
    await expect(answers(page)).toContainText(/word1 .*…\s*Stopped\. Nothing was changed\./s);
    await expect(answers(page).locator('.message-item__standing')).toHaveText('Stopped');
  });

  test('Escape closes the dialog first and then stops the turn', async ({ page, docket }) => {
    await think(page, docket);
    await box(page).focus();
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(stop(page)).toBeVisible();
    await box(page).press('Escape');
    await expect(answers(page).locator('.message-item__standing')).toHaveText('Stopped');
  });

  test('a page opened during a turn streams and stops it', async ({ page, docket }) => {
    await think(page, docket);
    await page.goto('about:blank');
    await page.goto(docket.origin);
    // Rendered by the server, before any script.
    const html = await (await page.request.get(docket.origin)).text();
    expect(html).toMatch(/working__said[^>]*>(<[^>]*>)*word0 word1/);
    await live(page);
    const at = await said(page).textContent();
    await expect(said(page)).not.toHaveText(at);
    await expect(said(page)).toHaveText(/^word0 word1 word2 (?!.*word1 )/);
    await stop(page).click();
    await expect(answers(page)).toContainText(/^.*word0 word1 .*…\s*Stopped\. Nothing was changed\./s);
    await expect(stop(page)).toHaveCount(0);
  });
});

test.describe('without a script', () => {
  test.use({ model: 250, javaScriptEnabled: false });

  test('a turn that runs is shown and stopped', async ({ page, context, docket }) => {
    await script(docket, [LONG]);
    await setUp(page, docket);
    await box(page).fill('think');
    // The answer to the form comes when the turn is done.
    const answered = page.getByRole('button', { name: 'Send' }).click();
    const other = await context.newPage();
    await expect(async () => {
      await other.goto(docket.origin);
      await expect(said(other)).toContainText('word1', { timeout: 100 });
    }).toPass();
    await stop(other).click();
    await answered;
    await expect(answers(page)).toContainText(/word1\b.*…\s*Stopped\. Nothing was changed\./s);
    await other.goto(docket.origin);
    await expect(answers(other)).toContainText('Stopped. Nothing was changed.');
    await expect(stop(other)).toHaveCount(0);
  });
});

test.describe('a model that fails', () => {
  test.use({ model: 0 });

  test('a wait of over three seconds shows its reason', async ({ page, docket }) => {
    await script(docket, [{ match: 'sky', fault: 'timeout' }]);
    await setUpLive(page, docket);
    await box(page).fill(ASK);
    await box(page).press('Enter');
    const wait = page.locator('.working__wait');
    await expect(wait).toHaveText('no answer yet');
    await expect(wait).toHaveCSS('animation-delay', '3s');
    await expect(wait).toBeVisible();
    await stop(page).click();
    await expect(answers(page).locator('.message-item__standing')).toHaveText('Stopped');
    expect(await barriers(page)).toEqual([]);
  });

  test('a failed turn is retried by one press', async ({ page, docket }) => {
    await script(docket, [{ match: 'sky', fault: '400' }]);
    await setUpLive(page, docket);
    await box(page).fill(ASK);
    await box(page).press('Enter');
    await expect(answers(page).locator('.message-item__standing')).toHaveText('Failed');
    expect(await barriers(page)).toEqual([]);
    await script(docket, [{ match: 'sky', text: 'It scatters.' }]);
    await answers(page).getByRole('button', { name: 'Try again' }).click();
    await expect(answers(page)).toHaveCount(2);
    await expect(answers(page).last()).toContainText('It scatters.');
    await expect(page.locator('.message-item--mine')).toHaveText([/sky/, /sky/]);
    await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  });
});

test.describe('two accounts', () => {
  test.use({ expected: [/status of 409/] });

  test('tabs of two accounts share no live updates', async ({ page, context, docket }) => {
    await setUpLive(page, docket);
    const link = await page.evaluate(async () => {
      for (let n = 0; n < 20; n += 1) await fetch('/api/v1/tasks/add', { method: 'POST', body: new URLSearchParams({ title: `Errand ${n}` }) });
      const answer = await fetch('/api/v1/admin/users/invite', { method: 'POST', body: new URLSearchParams({ name: 'bob' }) });
      return (await answer.json()).link;
    });
    await expect(check(page, 'Errand 19')).toBeVisible();
    const refused = page.waitForResponse((answer) => answer.url().includes('/api/v1/events') && answer.status() === 409);
    const one = await context.newPage();
    const { pathname, search } = new URL(link);
    await one.goto(`${docket.origin}${pathname}${search}`);
    await one.getByLabel('Password').fill(PASSWORD);
    await one.getByLabel('Time zone').fill('Europe/London');
    await one.getByRole('button', { name: 'Join' }).click();
    await expect(one).toHaveURL(`${docket.origin}/`);
    const two = await context.newPage();
    await two.goto(docket.origin);
    await live(one);
    await live(two);
    await one.getByLabel('Add a task').fill('Only mine');
    await one.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(check(two, 'Only mine')).toBeVisible();
    // By the time that a second one is heard of, the first would have been.
    await one.getByLabel('Add a task').fill('Mine as well');
    await one.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(check(two, 'Mine as well')).toBeVisible();
    await refused;
    await expect(check(page, 'Only mine')).toHaveCount(0);
  });
});

test.describe('a server that is gone', () => {
  test.use({ expected: [/ERR_|Failed to load resource/] });

  test('a lost connection is shown in every tab', async ({ page, context, docket }) => {
    await setUpLive(page, docket);
    const other = await context.newPage();
    await visit(other, `${docket.origin}/audit`);
    await docket.stop();
    for (const tab of [page, other]) await expect(tab.getByText('Connection lost. Trying again…')).toBeVisible();
  });

  test('a failed completion request offers a retry', async ({ page, docket }) => {
    await setUpLive(page, docket);
    await page.getByLabel('Add a task').fill('Call mum');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.route('**/api/v1/tasks/complete', (route) => route.abort(), { times: 1 });
    await check(page, 'Call mum').click();
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await expect(check(page, 'Call mum')).toHaveCount(0);
    await expect(page.getByRole('status')).toContainText('Completed “Call mum”');
  });

  for (const file of ['docket.js', 'docket.wasm']) {
    test(`the script is requested again when ${file} fails to load`, async ({ page, docket }) => {
      await setUpLive(page, docket);
      const errors = [];
      page.on('pageerror', (error) => errors.push(error));
      let asked = 0;
      await page.route(`**/pkg/${file}*`, (route) => {
        asked += 1;
        return route.abort();
      }, { times: 1 });
      await visit(page, `${docket.origin}/tasks`);
      expect([errors, asked]).toEqual([[], 1]);
    });
  }
});

test('a list reload and a pending verdict show progress', async ({ page, docket }) => {
  await setUpLive(page, docket);
  await box(page).fill('add call mum');
  await box(page).press('Enter');
  await expect(check(page, 'Call mum')).toBeVisible();
  const list = page.getByRole('region', { name: 'Tasks', exact: true });
  await expect(list).not.toHaveAttribute('aria-busy');
  const read = await hold(page, '**/api/v1/tasks/list*');
  await page.getByLabel('Add a task').fill('Errand');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(list).toHaveAttribute('aria-busy', 'true');
  await expect(check(page, 'Call mum')).toBeVisible();
  read();
  await expect(list).not.toHaveAttribute('aria-busy');

  await box(page).fill('delete task 1');
  await box(page).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Decide later' }).click();
  const decided = await hold(page, '**/api/v1/approvals/decide');
  const card = page.locator('.approval-card--pending');
  await (await armed(card.getByRole('button', { name: 'Delete task' }))).click();
  await expect(card).toContainText('Sending…');
  await expect(card.getByRole('button', { name: 'Keep task' })).toHaveAttribute('aria-disabled', 'true');
  decided();
  await expect(page.locator('.approval-card--approved')).toBeVisible();
});
