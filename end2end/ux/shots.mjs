// A picture of every page and state in light and dark, on a phone and on a desk, held against the ones that were kept. DOCKET_SHOTS=keep keeps
// them: those of COMMITTED in shots/, which is in the repository, all others in results/kept. Before a change of how pages look, keep those of the
// version before. Pictures that differ are put into results/shots beside what was wanted.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import pixelmatch from 'pixelmatch';
import sharp from 'sharp';
import { onDocket, row, SCHEMES, SIZES, tell } from './common.mjs';
import { DOORS, EMPTY, fill, pages, shown } from './seed.mjs';
import { eachState } from './states.mjs';

const WIDTHS = [390, 1280];
/** How far down a picture reaches at most: to the end of all but the longest pages, which repeat themselves there. */
const TALLEST = { 390: 1800, 1280: 1400 };
/** Pages that look the same while there is nothing. */
const SAME = ['settings', 'memory'];
/** Pages and states whose pictures are in the repository, on a phone in light and on a desk in dark. */
const COMMITTED = ['approval-open', 'chat', 'edit-open', 'empty-chat', 'error-in-a-form', 'import', 'palette-open', 'settings', 'sign-in', 'task', 'tasks']
  .flatMap((name) => [`${name}-390-light`, `${name}-1280-dark`]);
const REPOSITORY = new URL('shots/', import.meta.url);
const ELSEWHERE = new URL('results/kept/', import.meta.url);
/** Where the picture of that name is kept. */
const kept = (name) => new URL(`${name}.webp`, COMMITTED.includes(name) ? REPOSITORY : ELSEWHERE);
const RESULTS = new URL('results/shots/', import.meta.url);
/** How many pixels of a picture may differ, whatever its size: fewer than the smallest drawing has. */
const TOLERANCE = 20;

/** Runs in the page: writes the same times, dates and ids wherever there are some, so that no picture depends on its day. */
function still() {
  const same = [
    [/\b\d{1,2}:\d{2}:\d{2}(\.\d+)?\b/g, '10:31:00'], [/\b\d{1,2}:\d{2}\b/g, '10:31'], [/\b\d+(\.\d+)? (ms|s)\b/g, '7 ms'],
    [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b/g, 'Fri'],
    [/\b\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*( \d{4})?/g, '27 Nov'],
    [/\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b/g, 'Friday'], [/\b\d{4}-\d{2}-\d{2}(T[\d:.]+Z?)?/g, '2026-11-27'],
    [/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, '01a206db-18ee-74e1-a640-715180d038cc'], [/\b[0-9a-f]{12,64}\b/g, '5e950d8c0ffe'],
    // One is signed each minute.
    [/\bcheckpoint \d+\b/g, 'checkpoint 2'],
    [/127\.0\.0\.1:\d+/g, '127.0.0.1:3000'],
  ];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    let text = node.data;
    for (const [pattern, one] of same) text = text.replace(pattern, one);
    if (text !== node.data) node.data = text;
  }
  for (const field of document.querySelectorAll('input')) {
    if (/\d{4}-\d\d-\d\d|[0-9a-f]{12}/.test(field.value)) field.style.color = 'transparent';
  }
}

const without = (places, names) => Object.fromEntries(Object.entries(places).filter(([name]) => !names.includes(name)));

/** Runs in the page: the height at which nothing of it is left to be scrolled to. What is open over a page is seen as it opens. */
function whole() {
  if (document.querySelector('dialog[open]')) return innerHeight;
  const places = [document.documentElement, ...document.querySelectorAll('.frame__main, .scroller__view, .chat-page__list')];
  return innerHeight + Math.max(...places.map((place) => place.scrollHeight - place.clientHeight));
}

async function shoot(page, width, colorScheme) {
  await page.setViewportSize({ width, height: SIZES[width] });
  await page.emulateMedia({ colorScheme });
  await page.evaluate(still);
  await page.setViewportSize({ width, height: Math.min(await page.evaluate(whole), TALLEST[width]) });
  await page.mouse.move(0, 0);
  return page.screenshot({ animations: 'disabled', caret: 'hide' });
}

/** Every picture by its name. */
async function take(docket, keep) {
  const contexts = { in: await docket.enter(), out: await docket.open() };
  const looks = async (page, name) => {
    for (const width of WIDTHS) {
      for (const colorScheme of SCHEMES) await keep(`${name}-${width}-${colorScheme}`, await shoot(page, width, colorScheme));
    }
  };
  const all = async (places, prefix, context) => {
    for (const [name, path] of Object.entries(places)) {
      const page = await context.newPage();
      await shown(page, docket.origin + path);
      await looks(page, `${prefix}${name}`);
      await page.close();
    }
  };
  await all(without(EMPTY, SAME), 'empty-', contexts.in);
  await all(pages(await fill(docket, contexts.in)), '', contexts.in);
  await all(DOORS, '', contexts.out);
  await eachState(docket, (page, name) => looks(page, name.replaceAll(' ', '-')));
}

const raw = async (picture) => sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });

/** How many pixels differ from the kept picture; all where it has another size, `undefined` where there is none. */
async function difference(name, picture) {
  const before = await readFile(kept(name)).catch(() => undefined);
  if (!before) return undefined;
  const [was, is] = await Promise.all([raw(before), raw(picture)]);
  const { width, height } = is.info;
  const same = was.info.width === width && was.info.height === height;
  const marked = Buffer.alloc(is.data.length);
  const different = same ? pixelmatch(was.data, is.data, marked, width, height, { threshold: 0.15, includeAA: true }) : width * height;
  if (different > TOLERANCE) {
    await sharp(before).png().toFile(new URL(`${name}-wanted.png`, RESULTS).pathname);
    if (same) await sharp(marked, { raw: { width, height, channels: 4 } }).png().toFile(new URL(`${name}-difference.png`, RESULTS).pathname);
  }
  return different;
}

export async function shots() {
  const keeping = process.env.DOCKET_SHOTS === 'keep';
  await rm(RESULTS, { recursive: true, force: true });
  await mkdir(RESULTS, { recursive: true });
  for (const folder of [REPOSITORY, ELSEWHERE]) {
    if (keeping) await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
  }
  const taken = new Set();
  const other = [];
  let compared = 0;
  await onDocket({}, (docket) => take(docket, async (name, picture) => {
    taken.add(`${name}.webp`);
    await writeFile(new URL(`${name}.png`, RESULTS), picture);
    if (keeping) return sharp(picture).webp({ nearLossless: true, quality: 40, effort: 6 }).toFile(kept(name).pathname);
    const different = await difference(name, picture);
    if (different === undefined) {
      if (COMMITTED.includes(name)) other.push(`${name} (nothing is kept)`);
      return undefined;
    }
    compared += 1;
    if (different > TOLERANCE) other.push(`${name} (${different} px)`);
    return undefined;
  }));
  // Of pages and states that there are no more.
  for (const folder of [REPOSITORY, ELSEWHERE]) {
    for (const name of await readdir(folder)) if (!taken.has(name)) other.push(`${name} (nothing looks like it)`);
  }
  for (const name of other) tell(`shots: otherwise than kept: ${name}`);
  const goal = `${taken.size} pictures: pages and states × light/dark × 390/1280; of ${compared} compared, otherwise than kept`;
  return [row(goal, keeping ? 'kept anew' : `${other.length}`, '0', other.length === 0)];
}
