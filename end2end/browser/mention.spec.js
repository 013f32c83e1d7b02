// A task that a message speaks of: its number is a chip that shows what became of it, while one looks.
import { check, expect, say, setUpLive, test } from './docket.js';

test('a task mention shows completion, renaming and deletion', async ({ page, docket }) => {
  await setUpLive(page, docket);
  const answer = await say(page, 'add call mum');
  const chip = answer.locator('.task-chip');
  await expect(chip).toHaveText('#1');
  await expect(chip).toHaveAttribute('href', '/tasks/1');
  const row = page.locator('.task-item').filter({ hasText: '#1' });
  await row.locator('summary').click();
  await row.getByLabel('Title').fill('Call dad');
  await row.getByRole('button', { name: 'Save' }).click();
  await expect(chip).toHaveText('#1 Call dad');
  await check(page, 'Call dad').click();
  await expect(chip).toHaveText('#1 Call dad done');
  const act = (path) => page.request.post(`${docket.origin}/api/v1/tasks/${path}`, { form: { task_id: '1' }, headers: { origin: docket.origin } });
  await act('reopen');
  await expect(chip).toHaveText('#1 Call dad');
  await act('delete');
  await expect(chip).toHaveText('#1 Call dad in the bin');
  await page.reload();
  await expect(page.locator('.task-chip').last()).toHaveText('#1 Call dad in the bin');
  await page.locator('.task-chip').last().click();
  await expect(page).toHaveURL(`${docket.origin}/tasks/1`);
});
