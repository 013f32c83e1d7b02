// What every measurement needs: a server and a browser of its own, figures, and rows of the table.
import { chromium, launchOptions, PLACE } from '../browser/chromium.js';
import { provide, setUp, start } from '../browser/docket.js';

export { check, expect, live, PASSWORD, say, setUp } from '../browser/docket.js';

export const SIZES = { 320: 720, 390: 844, 768: 1024, 1280: 800 };
export const SCHEMES = ['light', 'dark'];

const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
export const quantile = (numbers, q) => sorted(numbers)[Math.min(numbers.length - 1, Math.floor(numbers.length * q))];
export const median = (numbers) => quantile(numbers, 0.5);
export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Says how far a measurement is, beside the table. */
export const tell = (...words) => console.error('ux:', ...words);

/** A row of the table: what was measured, in words, what is wanted, and whether it is met. */
export const row = (goal, value, limit, pass) => ({ goal, value, limit, pass });

/** A row of the numbers of several runs: `of` them counts, which are all shown by their lowest and highest. */
export function figure(goal, numbers, unit, limit, { of = median, digits = 0, least = false } = {}) {
  const show = (number) => number.toFixed(digits);
  const value = of(numbers);
  const spread = numbers.length > 1 ? ` (${show(Math.min(...numbers))}–${show(Math.max(...numbers))})` : '';
  const [sign, pass] = least ? ['≥', value >= limit] : ['≤', value <= limit];
  return row(goal, `${show(value)}${unit}${spread}`, `${sign} ${limit}${unit}`, pass);
}

/** A server with an empty database, a browser, and an account that `enter` is signed in to. `model` is the delay of a model's pieces. */
export async function onDocket({ model, env } = {}, use) {
  const provider = model === undefined ? undefined : await provide(model);
  const asked = provider && { DOCKET_ENGINE: 'compatible', DOCKET_LLM_BASE_URL: provider.url, DOCKET_LLM_MODEL: 'mock' };
  const docket = await start({ ...asked, ...env });
  const browser = await chromium.launch(launchOptions);
  try {
    const open = (options) => browser.newContext({ viewport: { width: 1280, height: 800 }, ...PLACE, ...options });
    const context = await open();
    await setUp(await context.newPage(), docket);
    const state = await context.storageState();
    await context.close();
    const enter = (options) => open({ storageState: state, ...options });
    return await use({ ...docket, provider: provider?.url, browser, state, open, enter });
  } finally {
    await browser.close();
    await docket.stop();
    provider?.stop();
  }
}

/** Has the model's provider answer like this before it thinks for itself. */
export const script = (docket, rules) => fetch(docket.provider.replace('/v1', '/_rules'), { method: 'POST', body: JSON.stringify(rules) });

/** Posts a form as the account does; what was answered. */
export async function post(docket, context, path, form) {
  const headers = { origin: docket.origin, accept: 'application/json' };
  const answer = await context.request.post(`${docket.origin}/api/v1/${path}`, { form, headers });
  if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
  return answer.json();
}

/** How far a page reaches beyond its right edge, and the words that it cuts off without saying so by dots. */
export function cut(page) {
  return page.evaluate(() => {
    const beyond = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    const found = beyond > 0 ? [`the page is ${beyond} px too wide`] : [];
    const name = (element) => `${element.tagName.toLowerCase()}.${element.className} "${element.textContent.trim().slice(0, 40)}"`;
    for (const element of document.querySelectorAll('body *')) {
      const style = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      const hidden = box.width < 2 || box.height < 2 || style.visibility === 'hidden' || style.clipPath !== 'none';
      if (hidden || !element.checkVisibility() || element.closest('.visually-hidden, .skip, svg, textarea, input, select')) continue;
      const words = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
      const [wide, high] = [element.scrollWidth > element.clientWidth + 1, element.scrollHeight > element.clientHeight + 1];
      const clips = (overflow) => ['hidden', 'clip'].includes(overflow);
      if (clips(style.overflowX) && style.textOverflow !== 'ellipsis' && wide) found.push(`cut in width: ${name(element)}`);
      if (clips(style.overflowY) && high && words) found.push(`cut in height: ${name(element)}`);
      const scrolls = element.closest('.figures__scroll, pre, nav');
      if (words && !scrolls && (box.left < -1 || box.right > innerWidth + 1)) found.push(`beyond the edge: ${name(element)}`);
    }
    return found;
  });
}
