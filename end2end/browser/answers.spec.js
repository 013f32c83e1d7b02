// What becomes of a request: said yes to by a key, too late, out of date, asked again.
import { barriers } from './axe.js';
import { armed, check, expect, live, say, setUpLive, start, test, visit } from './docket.js';

/** A request to delete the first task, and its dialog. */
async function asked(page, docket) {
  await setUpLive(page, docket);
  await say(page, 'add call mum');
  await say(page, 'delete task 1');
  const dialog = page.getByRole('dialog', { name: 'Approval request' });
  await expect(dialog).toBeVisible();
  return dialog;
}

test('Enter rejects in the approval dialog and Ctrl+Enter approves', async ({ page, docket }) => {
  const dialog = await asked(page, docket);
  await expect(dialog.getByRole('button', { name: 'Keep task' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.locator('.approval-card--rejected')).toBeVisible();
  await expect(check(page, 'call mum')).toBeVisible();

  await say(page, 'delete task 1');
  await expect(dialog).toBeVisible();
  await armed(dialog.getByRole('button', { name: 'Delete task' }));
  await page.keyboard.press('Control+Enter');
  await expect(dialog).toBeHidden();
  await expect(page.locator('.approval-card--approved')).toBeVisible();
  await expect(check(page, 'call mum')).toHaveCount(0);
});

test('approving an outdated approval voids it and deletes nothing', async ({ page, docket }) => {
  const dialog = await asked(page, docket);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  const edited = { form: { task_id: '1', priority: 'high' }, headers: { origin: docket.origin } };
  await page.request.post(`${docket.origin}/api/v1/tasks/update`, edited);
  await visit(page, `${docket.origin}/approvals`);
  await (await armed(page.locator('.frame__main').getByRole('button', { name: 'Delete task' }))).click();
  const card = page.locator('.approval-card--void');
  await expect(card).toContainText('Out of date');
  await card.locator('summary').click();
  await expect(card.locator('.approval-card__decided')).toContainText('changed in the meantime');
  expect(await barriers(page)).toEqual([]);
  await visit(page, `${docket.origin}/tasks`);
  await expect(check(page, 'call mum')).toBeVisible();
});

test('an expiring approval says so and can be requested again', async ({ page }) => {
  test.slow();
  const docket = await start({ DOCKET_APPROVAL_TTL_SECONDS: '40' });
  try {
    const dialog = await asked(page, docket);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await visit(page, `${docket.origin}/approvals`);
    await expect(page.locator('.approval-card__expiry')).not.toHaveClass(/closing/);
    await expect(async () => {
      await page.reload();
      await expect(page.locator('.approval-card__expiry--closing')).toContainText('Expires soon', { timeout: 100 });
    }).toPass({ timeout: 45_000 });
    expect(await barriers(page)).toEqual([]);
    await live(page);
    // It is told by itself.
    const card = page.locator('.approval-card--expired');
    await expect(card).toBeVisible({ timeout: 45_000 });
    await card.getByRole('button', { name: 'Ask again' }).click();
    await expect(page.locator('.approval-card--pending')).toBeVisible();
    await (await armed(page.locator('.approval-card--pending').getByRole('button', { name: 'Delete task' }))).click();
    await expect(page.locator('.approval-card--approved')).toBeVisible();
    await visit(page, `${docket.origin}/tasks`);
    await expect(check(page, 'call mum')).toHaveCount(0);
  } finally {
    await page.goto('about:blank');
    await docket.stop();
  }
});
