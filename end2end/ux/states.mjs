// What is open over a page, is on its way on it, or was refused on it: each opened on a page of its own, of a filled account.
import { check } from './common.mjs';
import { shown } from './seed.mjs';

const message = (page) => page.getByLabel('Message', { exact: true });
const send = (page) => page.getByRole('button', { name: 'Send' }).click();

export const STATES = {
  'approval open': async (docket, page) => {
    await shown(page, `${docket.origin}/?c=new`);
    await message(page).fill('delete task 2');
    await send(page);
    await page.getByRole('dialog').waitFor();
  },
  // Where there is room for both, it stands beside the conversation.
  'list over the chat': async (docket, page) => {
    await shown(page, `${docket.origin}/#list`);
    await page.locator('.chat-page__list .task-item').first().waitFor();
  },
  'edit open': async (docket, page) => {
    await shown(page, `${docket.origin}/tasks`);
    await page.locator('.task-item summary').first().click();
  },
  'several selected': async (docket, page) => {
    await shown(page, `${docket.origin}/tasks`);
    await page.getByLabel('Select several').check();
    for (const at of [0, 2]) await page.locator('.task-item__select').nth(at).check();
    // To the end of the list, where the bar that stays in sight covers no half of a box.
    return () => page.locator('.bulk-bar').evaluate((bar) => {
      for (let around = bar; around; around = around.parentElement) around.scrollTop = around.scrollHeight;
    });
  },
  'line understood': async (docket, page) => {
    await shown(page, `${docket.origin}/tasks`);
    await page.getByLabel('Add a task').fill('Call mum tomorrow 5pm #Family p1 every week');
    await page.locator('.quick-add__chip').first().waitFor();
  },
  'story beside the list': async (docket, page) => {
    await shown(page, `${docket.origin}/audit`);
    await page.locator('.audit-row').first().click();
    await page.locator('.story__headline').waitFor();
  },
  'palette open': async (docket, page) => {
    await shown(page, docket.origin);
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
  },
  'keys open': async (docket, page) => {
    await shown(page, `${docket.origin}/tasks`);
    await page.locator('body').press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  },
  'error in a form': async (docket, page) => {
    await shown(page, `${docket.origin}/tasks`);
    await page.locator('.task-item summary').first().click();
    const form = page.locator('.task-item').first();
    await form.getByLabel('Due').fill('the day after never');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'never' }).first().waitFor();
  },
  // One letter is on its way and gets no answer, the next one waits.
  'message queued': async (docket, page) => {
    await shown(page, docket.origin);
    await page.route('**/api/v1/chat', () => undefined);
    for (const text of ['add buy candles', 'add bake the cake']) {
      await message(page).fill(text);
      await send(page);
    }
    await page.locator('.message-item--queued').waitFor();
  },
  'error of a connection': async (docket, page) => {
    await shown(page, docket.origin);
    await page.context().setOffline(true);
    await message(page).fill('add nothing');
    await send(page);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  },
  'toast beside the composer': async (docket, page) => {
    await shown(page, docket.origin);
    await check(page, 'Send the quarterly report').click();
    const toast = page.locator('.toast-region').getByRole('status');
    await toast.getByRole('button', { name: 'Undo' }).waitFor();
    // As under a pointer: it stays.
    await toast.dispatchEvent('mouseenter');
  },
};

/** Opens each state for somebody who has just come, and has it looked at: `look` gets what to do again where the page gets another size. */
export async function eachState(docket, look) {
  for (const [name, act] of Object.entries(STATES)) {
    const context = await docket.enter();
    const page = await context.newPage();
    const settle = await act(docket, page) ?? (() => undefined);
    await settle();
    await look(page, name, settle);
    await context.close();
  }
}
