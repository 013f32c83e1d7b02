// Questions about the list are answered with the tasks themselves: ticked like those of the tasks page, and kept true.
import { barriers } from './axe.js';
import { armed, check, expect, live, reload, say, setUp, test, visit } from './docket.js';

const TASKS = ['buy milk tomorrow p1', 'call mum today', 'pay rent yesterday #Home', 'read the long report about the garden that nobody has read yet @home p2'];

/** An account with some tasks, made by hand. */
async function withTasks(page, docket) {
  await setUp(page, docket);
  for (const text of TASKS) await page.request.post(`${docket.origin}/api/v1/tasks/add`, { form: { text }, headers: { origin: docket.origin } });
}

const card = (answer) => answer.getByRole('region', { name: 'Tasks in this answer' });

for (const script of [true, false]) {
  test.describe(script ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled: script });

    test('a query returns a card whose tasks can be completed', async ({ page, docket }) => {
      await withTasks(page, docket);
      await page.goto(docket.origin);
      if (script) await live(page);
      for (const [question, titles] of [
        ['overdue', ['pay rent']],
        ['high priority', ['buy milk']],
        ['tagged @home', ['read the long report']],
        ['in #Home', ['pay rent']],
        ['search milk', ['buy milk']],
        ["what's due this week", ['call mum', 'buy milk']],
      ]) {
        const rows = card(await say(page, question)).locator('.task-item');
        await expect(rows, question).toHaveCount(titles.length);
        for (const [at, title] of titles.entries()) await expect(rows.nth(at), question).toContainText(title);
      }
      const answer = page.locator('.message-item').last();
      const milk = card(answer).locator('.task-item').filter({ hasText: 'buy milk' });
      await expect(milk).toContainText('Tomorrow');
      await expect(milk).toContainText('High');
      await expect(milk.getByRole('link', { name: '#1' })).toHaveAttribute('href', '/tasks/1');
      // The entries are in the card, not once more in the words.
      await expect(answer.locator('.message-item__text')).toHaveText(/^You have 2 .*this week:$/);
      await check(milk, 'buy milk').click();
      await expect(check(milk, 'buy milk')).toHaveAttribute('aria-checked', 'true');
      await expect(page.getByRole('status').filter({ hasText: /Completed “buy milk”/ })).toBeVisible();
      await expect(page.locator('.chat-page__list').getByRole('checkbox', { name: 'Done: buy milk' })).toHaveCount(0);
      await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
      await expect(check(milk, 'buy milk')).toHaveAttribute('aria-checked', 'false');
    });
  });
}

test('a task lookup before a change produces no card', async ({ page, docket }) => {
  await withTasks(page, docket);
  await visit(page, docket.origin);
  await expect(card(await say(page, 'complete buy milk'))).toHaveCount(0);
  await expect(card(await say(page, 'show my tasks'))).toHaveCount(1);
});

test('a task card shows changes made in another tab', async ({ page, context, docket }) => {
  await withTasks(page, docket);
  await visit(page, docket.origin);
  const rows = card(await say(page, "what's due this week")).locator('.task-item');
  await expect(rows).toHaveCount(2);
  const other = await context.newPage();
  await visit(other, `${docket.origin}/tasks`);
  await check(other, 'call mum').click();
  await expect(check(rows, 'call mum')).toHaveAttribute('aria-checked', 'true');
  const theirs = other.locator('.task-item').filter({ hasText: 'buy milk' });
  await theirs.locator('summary').click();
  await theirs.getByLabel('Title').fill('buy oat milk');
  await theirs.getByRole('button', { name: 'Save' }).click();
  await expect(check(rows, 'buy oat milk')).toBeVisible();
  await expect(check(rows, 'buy milk')).toHaveCount(0);
  const renamed = other.locator('.task-item').filter({ hasText: 'buy oat milk' });
  await renamed.locator('summary').click();
  await (await armed(renamed.getByRole('button', { name: 'Delete' }))).click();
  await expect(rows.getByRole('button', { name: 'Restore buy oat milk' })).toBeVisible();
  // And the page that the server renders says the same.
  await reload(page);
  await expect(check(rows, 'call mum')).toHaveAttribute('aria-checked', 'true');
  await rows.getByRole('button', { name: 'Restore buy oat milk' }).click();
  await expect(check(rows, 'buy oat milk')).toHaveAttribute('aria-checked', 'false');
});

for (const [colorScheme, width, height] of [['light', 390, 844], ['dark', 390, 844], ['light', 1280, 800], ['dark', 1280, 800]]) {
  test.describe(`${width}-${colorScheme}`, () => {
    test.use({ viewport: { width, height }, colorScheme, hasTouch: width < 640 });

    test('a card can be read and reached', async ({ page, docket }) => {
      await withTasks(page, docket);
      await visit(page, docket.origin);
      const answer = await say(page, 'show my tasks');
      await check(card(answer), 'call mum').click();
      await expect(check(card(answer), 'call mum')).toHaveAttribute('aria-checked', 'true');
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await page.mouse.move(0, 0);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
      expect(await barriers(page, 'best-practice')).toEqual([]);
      await page.screenshot({ path: `results/card-${width}-${colorScheme}.png` });
    });
  });
}
