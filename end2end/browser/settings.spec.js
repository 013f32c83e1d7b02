// What a person sets for themselves: how pages look in this browser, and the time zone that days are counted in.
import { expect, live, PASSWORD, setUp, test } from './docket.js';

for (const script of [true, false]) {
  test.describe(script ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled: script, colorScheme: 'light', expected: [/status of 4\d\d/] });
    const open = async (page, docket, path) => {
      await page.goto(docket.origin + path);
      if (script) await live(page);
    };
    const ground = (page) => page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);

    test('the theme is stored in a cookie and server rendered', async ({ page, context, docket }) => {
      await setUp(page, docket);
      await open(page, docket, '/settings');
      const look = page.getByRole('form', { name: 'Appearance' });
      const light = await ground(page);
      await look.getByLabel('Dark').check();
      await look.getByRole('button', { name: 'Save appearance' }).click();
      await expect(page.getByRole('status')).toContainText('Appearance saved');
      await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
      await expect(look.getByLabel('Dark')).toBeChecked();
      expect(await ground(page)).not.toBe(light);
      const cookie = (await context.cookies()).find((it) => it.name === 'docket_theme');
      expect([cookie.value, cookie.httpOnly, cookie.sameSite, cookie.expires > Date.now() / 1000 + 300 * 86_400]).toEqual(['dark', true, 'Lax', true]);
      // Before any script, and for who signs in anew.
      expect(await (await page.request.get(`${docket.origin}/tasks`)).text()).toContain('data-theme="dark"');
      await open(page, docket, '/settings');
      await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
      await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
      await page.getByLabel('Name').fill('ada');
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await open(page, docket, '/settings');
      await look.getByLabel('System').check();
      await look.getByRole('button', { name: 'Save appearance' }).click();
      await expect(page.locator('html')).toHaveAttribute('data-theme', 'system');
      expect(await ground(page)).toBe(light);
    });

    test('a time zone is saved and an unknown one refused', async ({ page, docket }) => {
      await setUp(page, docket);
      await open(page, docket, '/settings');
      const form = page.getByRole('form', { name: 'Time zone' });
      await expect(form.getByRole('combobox')).toHaveValue('Europe/London');
      await form.getByRole('combobox').fill('Pacific/Auckland');
      await form.getByRole('button', { name: 'Save time zone' }).click();
      await expect(page.getByRole('status')).toContainText('Time zone saved');
      await open(page, docket, '/settings');
      await expect(form.getByRole('combobox')).toHaveValue('Pacific/Auckland');
      const me = await (await page.request.get(`${docket.origin}/api/v1/session/me`)).json();
      expect(me.zone).toBe('Pacific/Auckland');
      await form.getByRole('combobox').fill('Mars/Olympus');
      await form.getByRole('button', { name: 'Save time zone' }).click();
      await expect(form.getByRole('alert')).toBeVisible();
      await expect(form.getByRole('combobox')).toHaveValue('Mars/Olympus');
      await open(page, docket, '/settings');
      await expect(form.getByRole('combobox')).toHaveValue('Pacific/Auckland');
    });
  });
}
