// The list of conversations: called otherwise, hidden, shown again and found by a word; and tasks found by one.
import { check, expect, live, say, setUp, test } from './docket.js';

for (const script of [true, false]) {
  test.describe(script ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled: script });
    const open = async (page, docket, path) => {
      await page.goto(docket.origin + path);
      if (script) await live(page);
    };

    /** Two conversations, in their list. */
    const two = async (page, docket) => {
      await setUp(page, docket);
      if (script) await live(page);
      await say(page, 'add buy milk');
      await open(page, docket, '/?c=new');
      await say(page, 'add call mum');
      await open(page, docket, '/conversations');
    };

    test('a conversation is renamed, hidden, and shown again', async ({ page, docket }) => {
      await two(page, docket);
      const item = (title) => page.locator('.conversation-item').filter({ hasText: title });
      const titles = page.locator('.conversation-item__title');
      await expect(titles).toHaveText(['add call mum', 'add buy milk']);
      await item('add buy milk').locator('summary').click();
      await item('add buy milk').getByLabel('Title').fill('Groceries');
      await item('add buy milk').getByRole('button', { name: 'Rename' }).click();
      await expect(page.getByRole('status')).toContainText('Groceries');
      await expect(titles).toHaveText(['add call mum', 'Groceries']);
      await expect(page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: 'Groceries' })).toBeVisible();

      await item('add call mum').locator('summary').click();
      await item('add call mum').getByRole('button', { name: 'Hide' }).click();
      await expect(page.getByRole('heading', { name: 'Hidden' })).toBeVisible();
      await expect(titles).toHaveText(['Groceries', 'add call mum']);
      await expect(page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: 'add call mum' })).toHaveCount(0);
      await item('add call mum').locator('summary').click();
      await item('add call mum').getByRole('button', { name: 'Show again' }).click();
      await expect(page.getByRole('heading', { name: 'Hidden' })).toHaveCount(0);
      await expect(titles).toHaveText(['add call mum', 'Groceries']);
    });

    test('conversations and tasks are found by their words', async ({ page, docket }) => {
      await two(page, docket);
      await page.getByRole('searchbox', { name: 'Search conversations' }).fill('milk');
      await page.keyboard.press('Enter');
      await expect(page).toHaveURL(`${docket.origin}/conversations?q=milk`);
      await expect(page.locator('.conversation-item__title')).toHaveText(['add buy milk']);
      await open(page, docket, '/tasks');
      await page.getByRole('searchbox', { name: 'Search tasks' }).fill('mum');
      await page.keyboard.press('Enter');
      await expect(page).toHaveURL(`${docket.origin}/tasks?view=all&q=mum`);
      await expect(check(page, 'call mum')).toBeVisible();
      await expect(check(page, 'buy milk')).toHaveCount(0);
      await expect(page.getByRole('searchbox', { name: 'Search tasks' })).toHaveValue('mum');
      await page.getByRole('searchbox', { name: 'Search tasks' }).fill('nothing like it');
      await page.keyboard.press('Enter');
      await expect(page.getByText('Nothing found')).toBeVisible();
    });
  });
}

test.describe('many of them', () => {
  test.use({ javaScriptEnabled: false });

  test('conversations beyond the first 200 are a link away', async ({ page, docket }) => {
    test.slow();
    await setUp(page, docket);
    const say = (message) => page.request.post(`${docket.origin}/api/v1/chat`, { form: { message }, headers: { origin: docket.origin } });
    for (let n = 0; n < 202; n += 1) await say(`show list ${n}`);
    await page.goto(`${docket.origin}/conversations`);
    const titles = page.locator('.conversation-item__title');
    await expect(titles).toHaveCount(200);
    await page.getByRole('link', { name: 'Older conversations' }).click();
    await expect(titles).toHaveText(['show list 1', 'show list 0']);
    await expect(page.getByRole('link', { name: 'Older conversations' })).toHaveCount(0);
  });
});
