// Requests that wait: what is half typed into one survives news of it, and what one turn asked stands together.
import { expect, live, say, setUp, setUpLive, test, visit } from './docket.js';

/** Has the answers of these addresses say another time each time they are asked. */
async function timesPass(page, address) {
  let left = 60;
  await page.route(address, async (route) => {
    const response = await route.fetch();
    left -= 1;
    const text = (await response.text()).replaceAll(/"expires_label":"[^"]*"/g, `"expires_label":"Expires in ${left} min"`);
    await route.fulfill({ response, body: text });
  });
}

/** A request, asked in the chat and not answered yet. */
async function asked(page, docket) {
  await setUpLive(page, docket);
  await say(page, 'add call mum');
  await say(page, 'delete task 1');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
}

for (const [where, address, path] of [['list', '**/api/v1/approvals/list*', '/approvals'], ['conversation', '**/api/v1/conversations/messages*', '/']]) {
  test(`a typed rejection reason survives updates in the ${where}`, async ({ page, docket }) => {
    await asked(page, docket);
    await visit(page, `${docket.origin}${path}`);
    await timesPass(page, address);
    const card = page.locator('.frame__main .approval-card--pending');
    await card.getByText('Decline with a reason').click();
    await card.getByLabel('Reason (sent to Docket)').fill('not this on');
    const before = await card.locator('.approval-card__expiry').textContent();
    const id = await card.locator('input[name=approval_id]').first().inputValue();
    await page.request.post(`${docket.origin}/api/v1/approvals/extend`, { form: { approval_id: id }, headers: { origin: docket.origin } });
    await expect(card.locator('.approval-card__expiry')).toContainText(/Expires in 5\d min/);
    await expect(card.locator('.approval-card__expiry')).not.toHaveText(before);
    await expect(card.getByLabel('Reason (sent to Docket)')).toHaveValue('not this on');
    await expect(card.getByLabel('Reason (sent to Docket)')).toBeFocused();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test(`Extend keeps the focus in the ${where}`, async ({ page, docket }) => {
    await asked(page, docket);
    await visit(page, `${docket.origin}${path}`);
    await timesPass(page, address);
    const card = page.locator('.frame__main .approval-card--pending');
    await card.getByRole('button', { name: 'Extend' }).focus();
    await page.keyboard.press('Enter');
    await expect(card.locator('.approval-card__expiry')).toContainText(/Expires in 5\d min/);
    await expect(card.getByRole('button', { name: 'Extend' })).toBeFocused();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
}

test.describe('without a script', () => {
  test.use({ javaScriptEnabled: false });

  test('an approval can be extended and rejected with a reason', async ({ page, docket }) => {
    await setUp(page, docket);
    await say(page, 'add call mum');
    await say(page, 'delete task 1');
    await page.goto(`${docket.origin}/approvals`);
    const card = page.locator('.approval-card');
    await card.getByRole('button', { name: 'Extend' }).click();
    await expect(page.getByRole('status')).toContainText('Extended');
    await expect(page).toHaveURL(`${docket.origin}/approvals`);
    await card.getByText('Decline with a reason').click();
    await card.getByLabel('Reason (sent to Docket)').fill('not this one');
    await card.getByRole('button', { name: 'Decline', exact: true }).click();
    await expect(card).toContainText('Declined · Delete “call mum”');
    await card.locator('summary').click();
    await expect(card).toContainText('not this one');
  });
});

test.describe('with a model', () => {
  test.use({ model: 0 });

  test('what one turn asked stands together', async ({ page, docket }) => {
    const remove = (round, task_id) => ({ match: 'yes I am sure', round, tool_calls: [{ name: 'delete_task', arguments: { task_id } }] });
    await fetch(docket.provider.replace('/v1', '/_rules'), { method: 'POST', body: JSON.stringify([remove(0, 1), remove(1, 2), remove(2, 2)]) });
    await setUp(page, docket);
    for (const text of ['milk', 'eggs', 'bread']) await page.request.post(`${docket.origin}/api/v1/tasks/add`, { form: { text }, headers: { origin: docket.origin } });
    await live(page);
    // The first one is confirmed by these words, the second one is not.
    await say(page, 'delete task 1, yes I am sure');
    await visit(page, `${docket.origin}/?c=new`);
    await say(page, 'delete task 3');
    await visit(page, `${docket.origin}/approvals`);
    const together = page.getByRole('group', { name: '2 approvals from one request' });
    await expect(together.locator('.approval-card')).toHaveCount(2);
    await expect(together.locator('.approval-card--pending')).toContainText('eggs');
    await expect(together.locator('.approval-card--approved')).toContainText('milk');
    // One that was asked alone stands alone.
    await expect(page.locator('.approval-card').filter({ hasText: 'bread' })).toHaveCount(1);
    await expect(page.getByRole('group', { name: /from one request/ })).toHaveCount(1);
    await together.getByRole('button', { name: 'Keep task' }).click();
    await expect(page.getByRole('heading', { name: 'Decided' })).toBeVisible();
    await expect(together.locator('.approval-card--rejected')).toContainText('eggs');
  });
});
