// What the chat shows: conversation and list side by side or one of them, the list as a sheet on a phone, and what was said long ago.
import { barriers } from './axe.js';
import { arrived, check, expect, live, say, setUp, setUpLive, test } from './docket.js';

/** Posts a form as the account does. */
const post = (page, docket, path, form) => page.request.post(`${docket.origin}/api/v1/${path}`, { form, headers: { origin: docket.origin, accept: 'application/json' } });

const talk = (page) => page.getByRole('region', { name: 'Conversation', exact: true });
const list = (page) => page.getByRole('region', { name: 'Tasks', exact: true });
const show = (page, name) => page.getByRole('form', { name: 'Layout' }).getByRole('button', { name });

for (const script of [true, false]) {
  test.describe(script ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled: script });
    const ready = async (page) => { if (script) await live(page); };

    test('the choice of chat, list or both is remembered', async ({ page, context, docket }) => {
      await setUp(page, docket);
      await ready(page);
      await expect(show(page, 'Both')).toHaveAttribute('aria-pressed', 'true');
      await expect(talk(page)).toBeVisible();
      await expect(list(page)).toBeVisible();
      for (const [name, shown, hidden] of [['Chat', talk, list], ['Tasks', list, talk]]) {
        const kept = page.waitForResponse(/settings\/appearance/);
        await show(page, name).click();
        await kept;
        for (const again of [false, true]) {
          if (again) await page.goto(docket.origin);
          await ready(page);
          await expect(shown(page)).toBeVisible();
          await expect(hidden(page)).toBeHidden();
          await expect(show(page, name)).toHaveAttribute('aria-pressed', 'true');
          await expect(show(page, 'Both')).toHaveAttribute('aria-pressed', 'false');
        }
      }
      // The other parts of the look stay as they were.
      expect((await context.cookies()).map((it) => it.name)).not.toContain('docket_theme');
      if (script) {
        // The choice outlives the page that it was made on.
        await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Approvals' }).click();
        await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Chat' }).click();
        await expect(show(page, 'Tasks')).toHaveAttribute('aria-pressed', 'true');
      }
      await show(page, 'Both').click();
      await expect(talk(page)).toBeVisible();
      await expect(list(page)).toBeVisible();
    });

    for (const width of [390, 768]) {
      test.describe(`${width} px wide`, () => {
        test.use({ viewport: { width, height: 844 } });

        test('the list is a sheet over the conversation', async ({ page, docket }) => {
          await setUp(page, docket);
          await post(page, docket, 'tasks/add', { text: 'buy milk' });
          await page.goto(docket.origin);
          await ready(page);
          const peek = page.getByRole('link', { name: '1 open task' });
          await expect(peek).toBeInViewport({ ratio: 1 });
          await expect(list(page)).toBeHidden();
          await expect(page.getByRole('form', { name: 'Layout' })).toBeHidden();
          await peek.click();
          await expect(check(page, 'buy milk')).toBeInViewport({ ratio: 1 });
          await expect(page.getByRole('textbox', { name: 'Message' })).toBeHidden();
          if (script) expect(await barriers(page, 'best-practice')).toEqual([]);
          await check(page, 'buy milk').click();
          await expect(check(page, 'buy milk')).toHaveCount(0);
          if (script) {
            await page.keyboard.press('Escape');
          } else {
            // A plain form has come back to the conversation.
            await page.getByRole('link', { name: '0 open tasks' }).click();
            await list(page).getByRole('link', { name: 'Close' }).click();
          }
          await expect(list(page)).toBeHidden();
          await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible();
          await expect(page.getByRole('link', { name: '0 open tasks' })).toBeFocused();
        });
      });
    }

    test('earlier messages and the latest messages link to each other', async ({ page, docket }) => {
      await setUp(page, docket);
      await ready(page);
      await say(page, 'add errand 0');
      const id = (await (await page.request.get(`${docket.origin}/api/v1/conversations/list`)).json())[0].conversation_id;
      for (let n = 1; n < 30; n += 1) await post(page, docket, 'chat', { message: `add errand ${n}`, conversation_id: id });
      await page.goto(docket.origin);
      await ready(page);
      const messages = page.locator('.message-item');
      await expect(messages).toHaveCount(50);
      await expect(messages.first()).toContainText('add errand 5');
      await page.getByRole('link', { name: 'Earlier messages' }).click();
      await expect(page).toHaveURL(new RegExp(`c=${id}&before=\\d+$`));
      await ready(page);
      await expect(messages).toHaveCount(10);
      await expect(messages.first()).toContainText('add errand 0');
      await expect(messages.last()).toBeInViewport({ ratio: 0.1 });
      await expect(page.getByRole('link', { name: 'Earlier messages' })).toHaveCount(0);
      await expect(page.getByRole('textbox', { name: 'Message' })).toBeHidden();
      if (script) expect(await barriers(page, 'best-practice')).toEqual([]);
      await page.getByRole('link', { name: 'Jump to latest' }).click();
      await ready(page);
      await expect(messages).toHaveCount(50);
      await expect(messages.last()).toBeInViewport({ ratio: 0.1 });
      // Here one writes.
      await page.getByLabel('Message', { exact: true }).fill('add buy stamps');
      await page.getByRole('button', { name: 'Send' }).click();
      await expect(messages.last()).toContainText(/Created task: buy stamps/i);
    });

    test('starter suggestions use overdue, filed and due tasks', async ({ page, docket }) => {
      await setUp(page, docket);
      for (const text of ['sort photos #Family', 'water the ferns today', 'pay rent yesterday']) await post(page, docket, 'tasks/add', { text });
      const starters = page.locator('.starters').getByRole('button');
      const answers = page.locator('.message-item:not(.message-item--mine)');
      for (const [at, text, answer] of [
        [0, 'move pay rent to tomorrow', /tomorrow/i], [1, 'list tasks in the Family project', /sort photos/i],
        [2, 'complete water the ferns', /Completed/i],
      ]) {
        await page.goto(`${docket.origin}/?c=new`);
        await ready(page);
        await expect(starters.nth(at)).toHaveText(text);
        await starters.nth(at).click();
        await expect(answers).toHaveCount(1);
        await expect(answers).toContainText(answer);
        await arrived(page);
        await page.goto(docket.origin);
        if (at === 0) await post(page, docket, 'undo/last', {});
      }
      await expect(check(page, 'water the ferns')).toHaveCount(0);
    });
  });
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test('the list link counts tasks changed since the last view', async ({ page, docket }) => {
    await setUpLive(page, docket);
    await expect(page.getByRole('link', { name: '0 open tasks' })).toBeVisible();
    await say(page, 'add buy milk and then add call mum');
    await expect(page.getByRole('link', { name: '2 changed' })).toBeVisible();
    await say(page, 'complete buy milk');
    await page.getByRole('link', { name: '1 changed' }).click();
    await expect(check(page, 'call mum')).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('link', { name: '1 open task' })).toBeVisible();
    await expect(list(page)).toBeHidden();
  });
});
