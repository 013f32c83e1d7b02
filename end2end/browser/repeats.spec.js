// How a task repeats: set, shown in words, changed and ended by its form, with and without a script.
import { check, editor, expect, live, setUp, test } from './docket.js';

for (const scripted of [true, false]) {
  test.describe(scripted ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled: scripted, expected: [/status of (409|422)/] });

    test('a recurrence is set, changed and removed in the form', async ({ page, docket }) => {
      await setUp(page, docket);
      await page.goto(`${docket.origin}/tasks`);
      if (scripted) await live(page);
      await page.getByLabel('Add a task').fill('bins out');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await expect(check(page, 'bins out')).toBeVisible();
      const row = page.locator('.task-item').filter({ hasText: 'bins out' });
      const open = () => editor(page, row, scripted);
      const repeat = async (phrase) => {
        const form = await open();
        await form.getByLabel('Repeats').fill(phrase);
        await form.getByRole('button', { name: 'Save' }).click();
      };
      let form = await open();
      await expect(form.getByLabel('Repeats')).toHaveValue('');
      await repeat('now and then');
      await expect(form.getByRole('alert')).toHaveText('“now and then” is not a recurrence; write it like “every monday” or “every! 3 days”.');
      await expect(form.getByLabel('Repeats')).toHaveAttribute('aria-invalid', 'true');
      await expect(form.getByLabel('Repeats')).toHaveValue('now and then');
      await expect(form.getByLabel('Due')).not.toHaveAttribute('aria-invalid', 'true');

      await repeat('every monday');
      await expect(row.locator('.task-item__meta')).toContainText('every Monday');
      await expect(row.locator('.task-item__due'), 'it has a first day').toBeVisible();
      await page.goto(`${docket.origin}/tasks`);
      if (scripted) await live(page);
      form = await open();
      await expect(form.getByLabel('Repeats')).toHaveValue('every Monday');

      await repeat('every! 3 days');
      await expect(row.locator('.task-item__meta')).toContainText('every 3 days from completion');
      await page.goto(`${docket.origin}/tasks`);
      if (scripted) await live(page);
      form = await open();
      // What is shown is taken as it is.
      await expect(form.getByLabel('Repeats')).toHaveValue('every 3 days from completion');
      await form.getByLabel('Title').fill('bins out to the street');
      await form.getByRole('button', { name: 'Save' }).click();
      await expect(check(page, 'bins out to the street')).toBeVisible();
      await expect(row.locator('.task-item__meta')).toContainText('every 3 days from completion');

      await repeat('');
      await expect(row.locator('.task-item__meta')).not.toContainText('every');
      await check(page, 'bins out to the street').click();
      await expect(page.locator('.task-item')).toHaveCount(0);
    });

    test('a form keeps remote changes made since it was opened', async ({ page, docket }) => {
      await setUp(page, docket);
      await page.goto(`${docket.origin}/tasks`);
      if (scripted) await live(page);
      await page.getByLabel('Add a task').fill('bins out today');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      const row = page.locator('.task-item');
      const elsewhere = async (fields) => {
        const form = { task_id: '1', ...fields };
        const answer = await page.request.post(`${docket.origin}/api/v1/tasks/update`, { form, headers: { origin: docket.origin } });
        expect(answer.status()).toBe(200);
      };
      const meta = row.locator('.task-item__meta');
      const form = await editor(page, row, scripted);
      const save = async (title) => {
        await form.getByLabel('Title').fill(title);
        await form.getByRole('button', { name: 'Save' }).click();
      };
      await elsewhere({ recurrence: 'every monday' });
      if (scripted) {
        await expect(meta).toContainText('every Monday');
        await save('bins to the street');
        await expect(page.getByRole('status')).toContainText('Saved “bins to the street”.');
        await expect(meta).toContainText('every Monday');
        // What was saved is typed no longer.
        await elsewhere({ title: 'bins to the road', description: 'all three' });
        await expect(row.locator('.task-item__title')).toHaveText('bins to the road');
        await row.locator('summary').click();
        await expect(row.getByLabel('Title')).toHaveValue('bins to the road');
        await expect(row.getByLabel('Notes')).toHaveValue('all three');
      } else {
        await save('bins to the street');
        await expect(form.getByRole('alert')).toContainText('since you loaded it');
        await expect(form.getByLabel('Title')).toHaveValue('bins to the street');
        await expect(meta).toContainText('every Monday');
      }
    });
  });
}
