// Several tasks at once: selected by their boxes, changed by the bar below the list, and changed back by one Undo.
import { expect, live, say, setUp, test } from './docket.js';

for (const script of [true, false]) {
  test.describe(script ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled: script });

    test('two tasks are selected, changed together, and changed back together', async ({ page, docket }) => {
      const bar = page.getByRole('form', { name: 'Selected tasks' });
      const row = (title) => page.locator('.task-item').filter({ hasText: title });
      const status = page.getByRole('status');
      // What was said of the act before is not there any more.
      const select = async (...titles) => {
        await page.goto(`${docket.origin}/tasks`);
        if (script) await live(page);
        await expect(status).not.toContainText('Changed');
        await bar.getByLabel('Select several').check();
        for (const title of titles) await page.getByRole('checkbox', { name: `Select: ${title}` }).check();
      };

      await setUp(page, docket);
      if (script) await live(page);
      for (const title of ['buy milk', 'call mum', 'pay rent']) await say(page, `add ${title}`);

      await select('buy milk', 'pay rent');
      await bar.getByLabel('Priority').selectOption('high');
      await bar.getByRole('button', { name: 'Set priority' }).click();
      await expect(status).toContainText('Changed 2 tasks');
      for (const title of ['buy milk', 'pay rent']) await expect(row(title).locator('.task-item__priority')).toContainText('High (p1)');
      await expect(row('call mum').locator('.task-item__priority')).toHaveCount(0);

      await select('buy milk', 'pay rent');
      await bar.getByLabel('Due').fill('tomorrow');
      await bar.getByRole('button', { name: 'Set due' }).click();
      await expect(status).toContainText('Changed 2 tasks');
      for (const title of ['buy milk', 'pay rent']) await expect(row(title).locator('.task-item__due')).toContainText('Tomorrow');
      await expect(row('call mum').locator('.task-item__due')).toHaveCount(0);

      await status.getByRole('button', { name: 'Undo' }).click();
      for (const title of ['buy milk', 'pay rent']) {
        await expect(row(title).locator('.task-item__due')).toHaveCount(0);
        await expect(row(title).locator('.task-item__priority')).toContainText('High (p1)');
      }
    });
  });
}
