// What people with other eyes, ears and hands meet: one announcement a turn, no motion, forced colours, large text, narrow screens.
import { cut, expect, onDocket, row, SCHEMES, script, SIZES, tell } from './common.mjs';
import { DOORS, fill, pages, shown } from './seed.mjs';

const TURNS = 5;
/** How many faults of a kind are named. */
const SHOWN = 15;

/** Runs in the page: notes what a live region says. Words that are put into it count, those that go do not. */
function hear() {
  window.heard = [];
  const regions = '[aria-live], [role=status], [role=alert], [role=log]';
  const region = (node) => (node.nodeType === 1 ? node : node.parentElement)?.closest(regions);
  new MutationObserver((changes) => {
    const said = new Map();
    for (const { target, addedNodes, type } of changes) {
      const place = region(target);
      if (!place || place.getAttribute('aria-live') === 'off' || place.getAttribute('aria-busy') === 'true') continue;
      const words = type === 'characterData' ? target.textContent : [...addedNodes].map((node) => node.textContent).join(' ');
      if (words.trim()) said.set(place, words.trim());
    }
    window.heard.push(...said.values());
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}

/** How often something is said in each turn of a model that streams its words. */
async function announcements() {
  return onDocket({ model: 60 }, async (docket) => {
    const page = await (await docket.enter()).newPage();
    await shown(page, `${docket.origin}/?c=new`);
    await page.evaluate(hear);
    const counts = [];
    for (let n = 0; n < TURNS; n += 1) {
      await page.evaluate(() => { window.heard = []; });
      await page.getByLabel('Message', { exact: true }).fill(n % 2 ? 'hello' : `add errand ${n}`);
      await page.getByRole('button', { name: 'Send' }).click();
      await expect(page.locator('.message-item:not(.message-item--mine)')).toHaveCount(n + 1);
      await page.waitForTimeout(400);
      const heard = await page.evaluate(() => window.heard);
      if (heard.length !== 1) tell(`access: announced in a turn: ${JSON.stringify(heard)}`);
      counts.push(heard.length);
    }
    const right = counts.filter((count) => count === 1).length;
    return row('turns of a streaming model with exactly one announcement', `${right} of ${TURNS}`, `${TURNS} of ${TURNS}`, right === TURNS);
  });
}

/** Runs in the page: what moves for longer than a moment, by itself or as it changes. */
function moving() {
  const longest = (times) => Math.max(...times.split(',').map((time) => parseFloat(time) * (time.trim().endsWith('ms') ? 1 : 1000)));
  const found = new Set();
  for (const element of document.querySelectorAll('body *')) {
    for (const part of ['', '::before', '::after']) {
      const style = getComputedStyle(element, part || null);
      const endless = longest(style.animationDuration) > 1 || style.animationIterationCount.includes('infinite');
      const moves = (style.animationName !== 'none' && endless) || longest(style.transitionDuration) > 1;
      if (moves) found.add(`.${element.getAttribute('class')}${part}`);
    }
  }
  return [...found];
}

/** What moves while an answer comes word by word, for who wants no motion and for who has nothing against it. */
async function movingInATurn() {
  return onDocket({ model: 60 }, async (docket) => {
    await script(docket, [{ match: '^tell me everything$', text: 'one more word '.repeat(400) }]);
    const found = {};
    for (const reducedMotion of ['reduce', 'no-preference']) {
      const context = await docket.enter({ reducedMotion });
      const page = await context.newPage();
      await shown(page, `${docket.origin}/?c=new`);
      await page.getByLabel('Message', { exact: true }).fill('tell me everything');
      await page.getByRole('button', { name: 'Send' }).click();
      const stop = page.getByRole('button', { name: 'Stop' });
      await stop.waitFor();
      await page.locator('.working__said').waitFor();
      found[reducedMotion] = await page.evaluate(moving);
      await stop.click();
      await expect(page.locator('.working')).toHaveCount(0);
      await context.close();
    }
    return found;
  });
}

/** Runs in the page: controls that neither a border nor an outline nor words and drawings tell from what is around them. */
function faint() {
  const found = [];
  for (const element of document.querySelectorAll('button, input:not([type=hidden]), select, textarea, a[href], summary')) {
    const box = element.getBoundingClientRect();
    if (box.width < 2 || !element.checkVisibility() || element.closest('.visually-hidden, .skip')) continue;
    const style = getComputedStyle(element);
    const edge = ['Top', 'Bottom'].some((side) => parseFloat(style[`border${side}Width`]) >= 1 && style[`border${side}Style`] !== 'none');
    const own = ['checkbox', 'radio'].includes(element.type) && style.appearance !== 'none';
    const told = element.textContent.trim() || element.querySelector('svg');
    const around = element.parentElement.closest('label, .composer__box, .quick-add, form') ?? element;
    const boxed = parseFloat(getComputedStyle(around).borderTopWidth) >= 1;
    if (!edge && !own && !told && !boxed) found.push(`${element.tagName.toLowerCase()}.${element.getAttribute('class')}`);
  }
  return found;
}

/** Runs in the page: what is current, chosen or done, and looks the same as what is not. */
function alike() {
  const look = (element) => {
    const of = (it, part) => {
      const { color, backgroundColor, borderColor, borderWidth, textDecorationLine } = getComputedStyle(it, part);
      // What lets the ground through looks like the ground.
      const ground = backgroundColor === 'rgba(0, 0, 0, 0)' ? getComputedStyle(document.body).backgroundColor : backgroundColor;
      return [color, ground, borderColor, borderWidth, textDecorationLine];
    };
    return JSON.stringify([of(element), of(element, '::before')]);
  };
  const shown = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 2;
  const found = [];
  for (const element of document.querySelectorAll('[aria-current]')) {
    const others = [...document.querySelectorAll(`.${element.classList[0]}:not([aria-current])`)].filter(shown);
    if (shown(element) && others.some((other) => look(other) === look(element))) found.push(`current, and not to be told: .${element.classList[0]}`);
  }
  for (const icon of document.querySelectorAll('[aria-checked="true"] .icon')) {
    const ring = getComputedStyle(icon.parentElement);
    if (shown(icon) && getComputedStyle(icon).color === ring.backgroundColor) found.push('a check that cannot be seen');
  }
  return found;
}

/** Opens every page in one look and tells what `test` finds there. */
async function each(docket, places, look, test, prepare = async () => {}) {
  const found = [];
  for (const [name, path] of Object.entries(places)) {
    const context = await (name in DOORS ? docket.open(look) : docket.enter(look));
    const page = await context.newPage();
    await shown(page, docket.origin + path);
    await prepare(page);
    const wrong = await test(page);
    found.push(...wrong.map((what) => `${name}: ${what}`));
    await context.close();
  }
  return found;
}

const large = (page) => page.addStyleTag({ content: 'html { font-size: 200% }' }).catch(() => page.evaluate(() => {
  document.documentElement.style.fontSize = '200%';
}));

/** Runs in the page: what is pressed and is lower than that, but for links within a text. A box is as large as its label. */
function low(least) {
  const pressed = [...document.querySelectorAll('a[href], button, summary, select, textarea, input:not([type=hidden])')];
  const found = [];
  for (const element of pressed.filter((it) => it.checkVisibility({ visibilityProperty: true }))) {
    const box = ((element.matches('input') && element.closest('label')) || element).getBoundingClientRect();
    const inText = getComputedStyle(element).display === 'inline' || element.matches('.task-chip');
    if (!inText && box.width > 1 && Math.round(box.height) < least) found.push(`${element.localName}.${element.className} ${Math.round(box.height)} px`);
  }
  return found;
}

export async function access() {
  const once = await announcements();
  const turn = await movingInATurn();
  return onDocket({}, async (docket) => {
    const places = { ...pages(await fill(docket, await docket.enter())), ...DOORS };
    const count = Object.keys(places).length;
    const rows = [once];
    const note = (goal, found) => {
      for (const what of [...new Set(found)].slice(0, SHOWN)) tell(`access: ${goal}: ${what}`);
      rows.push(row(`${goal}, ${count} pages`, `${new Set(found).size}`, '0', found.length === 0));
    };
    const still = await each(docket, places, { reducedMotion: 'reduce' }, (page) => page.evaluate(moving));
    note('reduced motion: what still moves, in a running turn and on', [...turn.reduce, ...still]);
    const dots = turn['no-preference'].length;
    rows.push(row('motion allowed: what moves in a running turn', `${dots}`, '≥ 1', dots >= 1));
    const forced = [];
    for (const colorScheme of SCHEMES) {
      const test = async (page) => [...await page.evaluate(faint), ...await page.evaluate(alike)];
      forced.push(...await each(docket, places, { forcedColors: 'active', colorScheme }, test));
    }
    note('forced colours: controls without an edge, states not to be told', forced);
    const [small, phone] = [320, 390].map((width) => ({ viewport: { width, height: SIZES[width] }, hasTouch: true }));
    const finger = { viewport: phone.viewport, hasTouch: true, isMobile: true };
    note('lower than 44 px under a finger', await each(docket, places, finger, (page) => page.evaluate(low, 44)));
    note('lower than 36 px under a pointer', await each(docket, places, {}, (page) => page.evaluate(low, 36)));
    note('320 px wide: cut or beyond the edge', await each(docket, places, small, cut));
    note('text at 200 %, 1280 px: cut or beyond the edge', await each(docket, places, {}, cut, large));
    note('text at 200 %, 390 px: cut or beyond the edge', await each(docket, places, phone, cut, large));
    return rows;
  });
}
