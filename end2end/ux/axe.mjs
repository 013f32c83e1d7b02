// axe on every page, in every look, in every state: nothing that breaks WCAG 2.2 AA.
import { barriers } from '../browser/axe.js';
import { onDocket, row, SCHEMES, SIZES, tell } from './common.mjs';
import { DOORS, EMPTY, fill, pages, shown } from './seed.mjs';
import { eachState, STATES } from './states.mjs';

/** Looks at the page that is open in every look; tells what is wrong. */
async function looks(page, name, settle = () => undefined) {
  const found = [];
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    for (const [width, height] of Object.entries(SIZES)) {
      await page.setViewportSize({ width: Number(width), height });
      await settle();
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

export async function axe() {
  return onDocket({}, async (docket) => {
    const [inside, outside] = [await docket.enter(), await docket.open()];
    const page = await inside.newPage();
    const found = await all(docket, page, 'empty', EMPTY);
    const filled = pages(await fill(docket, inside));
    found.push(...await all(docket, page, 'full', filled));
    found.push(...await all(docket, await outside.newPage(), 'door', DOORS));
    await eachState(docket, async (state, name, settle) => {
      found.push(...await looks(state, name, settle));
      tell(`axe: ${name}`);
    });
    for (const barrier of found) tell(`axe: ${barrier}`);
    const seen = Object.keys(EMPTY).length + Object.keys(filled).length + Object.keys(DOORS).length + Object.keys(STATES).length;
    const goal = `axe, ${seen} pages and states × light/dark × 320/390/768/1280: WCAG 2.2 AA`;
    return [row(goal, `${found.length} violations`, '0', found.length === 0)];
  });
}
