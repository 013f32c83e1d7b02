// axe on every page, in every look, in every state: nothing that breaks WCAG 2.2 AA.
import { barriers } from '../browser/axe.js';
import { onDocket, row, SCHEMES, SIZES, tell } from './common.mjs';
import { DOORS, EMPTY, fill, pages, shown } from './seed.mjs';

/** Looks at the page that is open in every look; tells what is wrong. */
async function looks(page, name) {
  const found = [];
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    for (const [width, height] of Object.entries(SIZES)) {
      await page.setViewportSize({ width: Number(width), height });
      for (const barrier of await barriers(page)) found.push(`${name} ${width} ${colorScheme}: ${barrier.slice(0, 400)}`);
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  return found;
}

/** Looks at several pages. */
async function all(docket, page, state, places) {
  const found = [];
  for (const [name, path] of Object.entries(places)) {
    await shown(page, docket.origin + path);
    found.push(...await looks(page, `${state} ${name}`));
  }
  tell(`axe: ${state}, ${Object.keys(places).length} pages, ${found.length} violations`);
  return found;
}

/** What is open over a page, or was refused on it. */
const STATES = {
  'approval open': async (docket, page) => {
    await shown(page, `${docket.origin}/?c=new`);
    await page.getByLabel('Message', { exact: true }).fill('delete task 2');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('dialog').waitFor();
  },
  'edit open': async (docket, page) => {
    await shown(page, `${docket.origin}/tasks`);
    await page.locator('.task-item summary').first().click();
  },
  'entry open': async (docket, page) => {
    await shown(page, `${docket.origin}/audit`);
    await page.locator('.audit-entry summary').first().click();
  },
  'palette open': async (docket, page) => {
    await shown(page, docket.origin);
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('dialog', { name: 'Go anywhere' }).waitFor();
  },
  'keys open': async (docket, page) => {
    await shown(page, `${docket.origin}/tasks`);
    await page.locator('body').press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  },
  'error in a form': async (docket, page) => {
    await shown(page, `${docket.origin}/tasks`);
    await page.locator('.task-item summary').first().click();
    const form = page.locator('.task-item').first();
    await form.getByLabel('Due').fill('the day after never');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'never' }).first().waitFor();
  },
  'error of a connection': async (docket, page) => {
    await shown(page, docket.origin);
    await page.context().setOffline(true);
    await page.getByLabel('Message', { exact: true }).fill('add nothing');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  },
};

export async function axe() {
  return onDocket({}, async (docket) => {
    const [inside, outside] = [await docket.enter(), await docket.open()];
    const page = await inside.newPage();
    const found = await all(docket, page, 'empty', EMPTY);
    const filled = pages(await fill(docket, inside));
    found.push(...await all(docket, page, 'full', filled));
    found.push(...await all(docket, await outside.newPage(), 'door', DOORS));
    for (const [name, act] of Object.entries(STATES)) {
      await act(docket, page);
      found.push(...await looks(page, name));
      tell(`axe: ${name}`);
    }
    for (const barrier of found) tell(`axe: ${barrier}`);
    const seen = Object.keys(EMPTY).length + Object.keys(filled).length + Object.keys(DOORS).length + Object.keys(STATES).length;
    const goal = `axe, ${seen} pages and states × light/dark × 320/390/768/1280: WCAG 2.2 AA`;
    return [row(goal, `${found.length} violations`, '0', found.length === 0)];
  });
}
