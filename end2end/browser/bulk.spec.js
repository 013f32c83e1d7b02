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

      await select('buy milk', 'call mum');
      await bar.getByLabel('Project').fill('Home');
      await bar.getByRole('button', { name: 'Set project' }).click();
      await expect(status).toContainText('Changed 2 tasks');
      for (const title of ['buy milk', 'call mum']) await expect(row(title)).toContainText('#Home');
      await expect(row('pay rent')).not.toContainText('#Home');
    });

    test('several tasks are completed, reopened, binned and restored together', async ({ page, docket }) => {
      const bar = page.getByRole('form', { name: 'Selected tasks' });
      const act = async (view, name, ...titles) => {
        await page.goto(`${docket.origin}/tasks?view=${view}`);
        if (script) await live(page);
        await bar.getByLabel('Select several').check();
        for (const title of titles) await page.getByRole('checkbox', { name: `Select: ${title}` }).check();
        await bar.getByRole('button', { name }).click();
        await expect(page.getByRole('status')).toContainText(/2 tasks/);
      };
      const there = async (view, ...titles) => {
        await page.goto(`${docket.origin}/tasks?view=${view}`);
        await expect(page.locator('.task-item__title')).toHaveText(titles);
      };

      await setUp(page, docket);
      if (script) await live(page);
      for (const title of ['buy milk', 'call mum', 'pay rent']) await say(page, `add ${title}`);
      await act('all', 'Complete', 'buy milk', 'call mum');
      await there('all', 'pay rent');
      await act('done', 'Reopen', 'buy milk', 'call mum');
      await there('done');
      await act('all', 'Delete', 'call mum', 'pay rent');
      await there('all', 'buy milk');
      await act('bin', 'Restore', 'call mum', 'pay rent');
      await there('bin');
      await there('all', 'buy milk', 'call mum', 'pay rent');
    });
  });
}
