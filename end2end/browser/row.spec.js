// What a row says of itself: that a change of it waits for a yes, and who changed it elsewhere just now.
import { barriers } from './axe.js';
import { expect, live, say, setUp, setUpLive, test, visit } from './docket.js';

for (const scripted of [true, false]) {
  test.describe(scripted ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled: scripted });

    test('a task row links to its approval until the decision', async ({ page, docket }) => {
      await setUp(page, docket);
      if (scripted) await live(page);
      await say(page, 'add call mum');
      await say(page, 'add buy milk');
      await say(page, 'delete task 1');
      if (scripted) {
        await expect(page.getByRole('dialog')).toBeVisible();
        await page.keyboard.press('Escape');
        await expect(page.getByRole('dialog')).toBeHidden();
      }
      const waits = (title) => page.locator('.task-item').filter({ hasText: title }).getByRole('link', { name: 'Change awaiting your approval' });
      await expect(waits('Call mum')).toBeVisible();
      await expect(waits('Buy milk')).toHaveCount(0);
      // The rules of axe are a script.
      if (scripted) expect(await barriers(page, 'best-practice')).toEqual([]);
      await waits('Call mum').click();
      await expect(page).toHaveURL(/\/approvals\/.+/);
      if (scripted) await live(page);
      await page.getByRole('button', { name: 'Keep task' }).click();
      await expect(page.locator('.approval-card--rejected')).toBeVisible();
      await page.goto(`${docket.origin}/tasks`);
      await expect(page.locator('.task-item')).toHaveCount(2);
      await expect(waits('Call mum')).toHaveCount(0);
    });
  });
}

test('the mark comes and goes while one looks', async ({ page, context, docket }) => {
  await setUpLive(page, docket);
  await say(page, 'add call mum');
  const other = await context.newPage();
  await visit(other, `${docket.origin}/tasks`);
  await say(page, 'delete task 1');
  const mark = other.getByRole('link', { name: 'Change awaiting your approval' });
  await expect(mark).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep task' }).click();
  await expect(mark).toHaveCount(0);
});

test('a row names the author of a remote change only', async ({ page, context, docket }) => {
  await setUpLive(page, docket);
  const other = await context.newPage();
  await visit(other, `${docket.origin}/tasks`);
  const said = (where, title) => where.locator('.task-item').filter({ hasText: title }).locator('.task-item__now');
  // Every mark that the first page ever shows.
  await page.evaluate(() => {
    window.said = new Set();
    const note = () => document.querySelectorAll('.task-item__now').forEach((it) => window.said.add(it.textContent.trim()));
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
  });
  await page.getByLabel('Add a task').fill('buy milk');
  await page.getByLabel('Add a task').press('Enter');
  await expect(said(other, 'buy milk')).toHaveText('you, elsewhere');
  await expect(said(other, 'buy milk'), 'for a moment').toHaveCount(0);
  // What a repeating task brings is its own doing too.
  await page.getByLabel('Add a task').fill('bins out every day');
  await page.getByLabel('Add a task').press('Enter');
  await page.getByRole('checkbox', { name: 'Done: bins out' }).click();
  await expect(page.getByRole('status')).toContainText('Completed “bins out”.');
  await expect(page.locator('.task-item').filter({ hasText: 'bins out' })).toContainText('#3');
  expect(await page.evaluate(() => [...window.said])).toEqual([]);
  // For a moment as well.
  const marked = [page, other].map((where) => expect(said(where, 'milk')).toHaveText('Docket'));
  await Promise.all([say(page, 'make buy milk high priority'), ...marked]);
});

test.describe('by a finger', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 780 } });

  test('the approval link is tall enough for touch', async ({ page, docket }) => {
    await setUpLive(page, docket);
    await say(page, 'add call mum');
    await say(page, 'delete task 1');
    await page.goto(`${docket.origin}/tasks`);
    const box = await page.getByRole('link', { name: 'Change awaiting your approval' }).boundingBox();
    expect(box.height).toBeGreaterThanOrEqual(44);
  });
});
