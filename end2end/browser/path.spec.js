// The path of the product: set up, sign in, talk, watch the list, complete, delete after a yes, undo.
import { armed, check, editor, expect, live, PASSWORD, say, setUp, test } from './docket.js';

for (const script of [true, false]) {
  test.describe(script ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled: script, expected: [/status of (401|422)/] });
    const ready = async (page) => { if (script) await live(page); };

    test('from the first link to an undone deletion', async ({ page, docket }) => {
      await setUp(page, docket);
      await page.context().clearCookies();
      await page.goto(`${docket.origin}/tasks?view=all`);
      await expect(page).toHaveURL(/\/sign-in\?return_to=/);
      await page.getByLabel('Name').fill('ada');
      await page.getByLabel('Password').fill('not the password');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page.getByRole('alert').first()).toBeVisible();
      await expect(page.getByLabel('Name')).toHaveValue('ada');
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.goto(docket.origin);
      await ready(page);

      await expect(await say(page, 'add buy milk tomorrow p1')).toContainText(/milk/i);
      await expect(await say(page, 'add call mum')).toContainText(/mum/i);
      await expect(check(page, 'Buy milk')).toBeVisible();

      await page.goto(`${docket.origin}/tasks`);
      await ready(page);
      await check(page, 'Buy milk').click();
      await expect(check(page, 'Buy milk')).toHaveCount(0);
      await expect(page.getByRole('status')).toContainText(/Completed “buy milk”/i);
      await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
      await expect(check(page, 'Buy milk')).toBeVisible();

      await page.goto(docket.origin);
      await ready(page);
      await say(page, 'delete task 2');
      await expect(check(page, 'Call mum')).toBeVisible();
      if (script) {
        const dialog = page.getByRole('dialog');
        await expect(dialog).toBeVisible();
        await expect(dialog.locator('.approval-card__buttons button').first()).toHaveText('Keep task');
        await (await armed(dialog.getByRole('button', { name: 'Delete task' }))).click();
        await expect(dialog).toBeHidden();
      } else {
        await page.locator('.approval-card').getByRole('button', { name: 'Delete task' }).click();
      }
      await expect(check(page, 'Call mum')).toHaveCount(0);
      await expect(page.locator('.approval-card--approved')).toBeVisible();
      const undo = page.getByRole('button', { name: /^Undo: Moved to the bin/ });
      if (script) await armed(undo);
      await undo.click();
      await expect(check(page, 'Call mum')).toBeVisible();
    });

    test('a task is added, edited, binned and restored by hand', async ({ page, docket }) => {
      await setUp(page, docket);
      await page.goto(`${docket.origin}/tasks`);
      await ready(page);
      await page.getByLabel('Add a task').fill('Write the report friday 5pm #Work p2 @office');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      const row = page.locator('.task-item').first();
      await expect(row).toContainText('Write the report');
      await expect(row).toContainText('17:00');
      await expect(row).toContainText('#Work');
      const form = await editor(page, row, script);
      await form.getByLabel('Title').fill('Send the report');
      await form.getByLabel('Due').fill('tomorrow');
      await form.getByRole('button', { name: 'Save' }).click();
      await expect(row).toContainText('Send the report');
      await expect(row).toContainText('Tomorrow');

      await (await editor(page, row, script)).getByRole('button', { name: 'Delete' }).click();
      await expect(page.getByText('Your list is empty')).toBeVisible();
      await page.goto(`${docket.origin}/tasks?view=bin`);
      await ready(page);
      await page.getByRole('button', { name: 'Restore Send the report' }).click();
      await expect(page.getByText('The bin is empty')).toBeVisible();
      await page.goto(`${docket.origin}/tasks`);
      await expect(check(page, 'Send the report')).toBeVisible();
    });

    test('a rejected approval and an invalid date are shown', async ({ page, docket }) => {
      await setUp(page, docket);
      await ready(page);
      await say(page, 'add call mum');
      await say(page, 'delete task 1');
      if (script) await page.getByRole('dialog').getByRole('button', { name: 'Keep task' }).click();
      else await page.locator('.approval-card').getByRole('button', { name: 'Keep task' }).click();
      await expect(page.locator('.approval-card--rejected')).toBeVisible();
      await expect(check(page, 'Call mum')).toBeVisible();

      await page.goto(`${docket.origin}/tasks`);
      await ready(page);
      const row = page.locator('.task-item').first();
      const form = await editor(page, row, script);
      await form.getByLabel('Due').fill('the day after never');
      await form.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByRole('alert').filter({ hasText: 'the day after never' })).toBeVisible();
      await expect(form.getByLabel('Due')).toHaveValue('the day after never');
      await expect(form.getByLabel('Due')).toHaveAttribute('aria-invalid', 'true');
    });
  });
}
