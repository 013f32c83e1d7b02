// What people see and type stays: beside long words, after a refusal, under news from elsewhere, without a connection.
import { check, expect, live, PASSWORD, reload, say, setUp, setUpLive, test, visit } from './docket.js';

const LONG = 'read "The 5th Wave" and write up notes for the book club, including questions about chapters one through twelve';

/** How far the page reaches beyond its right edge, in pixels. */
const beyond = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test('a long message causes no horizontal scrolling', async ({ page, docket }) => {
    await setUpLive(page, docket);
    await say(page, `add ${LONG}`);
    await reload(page);
    expect(await beyond(page)).toBe(0);
    await expect(page.getByRole('button', { name: 'Send' })).toBeInViewport({ ratio: 1 });
    await page.goto(`${docket.origin}/tasks`);
    for (const view of ['Today', 'Upcoming', 'All', 'Done', 'Bin']) {
      await expect(page.getByRole('link', { name: new RegExp(`^${view} `) })).toBeInViewport({ ratio: 1 });
    }
  });
});

test('a half-typed form is kept while its task changes elsewhere', async ({ page, context, docket }) => {
  await setUp(page, docket);
  await say(page, 'add call mum');
  await visit(page, `${docket.origin}/tasks`);
  const other = await context.newPage();
  await visit(other, `${docket.origin}/tasks`);
  const row = page.locator('.task-item').first();
  await row.locator('summary').click();
  await row.getByLabel('Notes').fill('ask about the gard');
  const theirs = other.locator('.task-item').first();
  await theirs.locator('summary').click();
  await theirs.getByLabel('Title').fill('Call mother');
  await theirs.getByRole('button', { name: 'Save' }).click();
  await expect(row.locator('summary')).toContainText('Call mother');
  await expect(row.getByLabel('Notes')).toHaveValue('ask about the gard');
  await row.locator('summary').click();
  await row.locator('summary').click();
  await expect(row.getByLabel('Title')).toHaveValue('Call mother');
});

test.describe('without a connection', () => {
  test.use({ expected: [/ERR_(INTERNET_DISCONNECTED|NETWORK_CHANGED)/] });

  test('an offline page keeps its content and recovers', async ({ page, context, docket }) => {
    await setUpLive(page, docket);
    await say(page, 'add call mum');
    await expect(check(page, 'Call mum')).toBeVisible();
    await context.setOffline(true);
    await page.getByLabel('Message', { exact: true }).fill('add buy milk');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByText('Connection lost')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
    await expect(page.locator('.message-item').first()).toContainText('add call mum');
    await expect(check(page, 'Call mum')).toBeVisible();
    await expect(page.locator('.chat-page__count')).toHaveText('1');
    await expect(page.getByText('What would you like to do?', { exact: true })).toHaveCount(0);
    await context.setOffline(false);
    await expect(page.getByText('Connection lost')).toHaveCount(0);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(check(page, 'Buy milk')).toBeVisible();
  });
});

for (const script of [true, false]) {
  test.describe(script ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled: script, expected: [/status of 4\d\d/] });

    test('a refused password is said where it was typed', async ({ page, docket }) => {
      await setUp(page, docket);
      await page.goto(`${docket.origin}/settings`);
      await page.getByLabel('Current password').fill('not my password');
      await page.getByLabel('New password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Change password' }).click();
      await expect(page).toHaveURL(`${docket.origin}/settings#password`);
      await expect(page.getByRole('alert').filter({ hasText: 'password' })).toBeInViewport({ ratio: 1 });
    });

    test('a used setup link and a missing conversation offer links', async ({ page, docket }) => {
      await setUp(page, docket);
      await page.goto(docket.link);
      await expect(page.getByRole('heading', { name: 'This link was already used or has expired' })).toBeVisible();
      await expect(page.getByRole('button', { name: 'Create account' })).toHaveCount(0);
      await page.goto(`${docket.origin}/?c=unknown`);
      if (script) await live(page);
      await expect(page.getByText('Conversation not found')).toBeVisible();
      await page.getByRole('link', { name: 'Go to the latest conversation' }).click();
      await expect(page.getByText('What would you like to do?', { exact: true })).toBeVisible();
    });

    test('a decided approval shrinks to one line and is recorded', async ({ page, docket }) => {
      await setUp(page, docket);
      if (script) await live(page);
      await say(page, 'add call mum');
      await expect(page.locator('.nav-rail__thread[aria-current]')).toContainText('add call mum');
      await say(page, 'delete task 1');
      await expect(page.locator('.message-item').filter({ hasText: 'Are you sure' })).not.toContainText('yes/no');
      await page.goto(`${docket.origin}/approvals`);
      if (script) await live(page);
      const card = page.locator('.approval-card');
      await expect(card).toContainText('High risk');
      await expect(card).toContainText('delete task 1');
      await card.getByRole('button', { name: 'Keep task' }).click();
      await expect(card).toContainText(/Declined · Delete “call mum” · ada, \d\d:\d\d/);
      await expect(card.getByText('to the bin')).toBeHidden();
      await card.locator('summary').click();
      await expect(card.getByText('to the bin')).toBeVisible();
      await page.goto(`${docket.origin}/audit`);
      if (script) await live(page);
      await expect(page.locator('.audit-row').first()).toContainText('Declined: Delete “call mum”');
      await page.goto(`${docket.origin}/audit?text=nowhere`);
      await expect(page.getByText('No matching entries')).toBeVisible();
    });
  });
}
