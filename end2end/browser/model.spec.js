// A model that takes its time: its words while they come, the message once, and doing without it.
import { expect, setUp, setUpLive, test } from './docket.js';

test.use({ model: 250 });

/** A reply of about ten seconds. */
const long = (docket) => fetch(docket.provider.replace('/v1', '/_rules'), {
  method: 'POST', body: JSON.stringify([{ match: '^hello$', text: Array.from({ length: 40 }, (_, n) => `word${n}`).join(' ') }]),
});

const send = async (page, text) => {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
};

test('a reply streams below its message and is shown once', async ({ page, docket }) => {
  await long(docket);
  await setUpLive(page, docket);
  await send(page, 'hello');
  await expect(page.locator('.working__said')).toHaveText(/\w/);
  const answers = page.locator('.message-item:not(.message-item--mine)');
  await expect(answers).toHaveCount(0);
  await expect(page.locator('.message-item--mine:visible')).toHaveCount(1);
  await expect(answers).toHaveCount(1, { timeout: 30_000 });
  await expect(page.locator('.working__said')).toHaveCount(0);
  await expect(page.locator('.message-item--mine:visible')).toHaveCount(1);
});

test('the model is turned off and on in the settings', async ({ page, docket }) => {
  await setUp(page, docket);
  await page.goto(`${docket.origin}/settings`);
  await expect(page.getByText('The model receives')).toBeVisible();
  await page.getByRole('button', { name: 'Use the built-in rules' }).click();
  await expect(page.getByText('Your messages stay on this machine')).toBeVisible();
  await page.getByRole('button', { name: 'Use the model' }).click();
  await expect(page.getByText('The model receives')).toBeVisible();
});
