// A turn as it is waited for: the first sign after sending, the first words or step, and a long answer that must not hold the page up.
import { expect, figure, live, onDocket, quantile, row, script, tell } from './common.mjs';

const TURNS = 20;
const TOKENS = 2_000;
const p95 = (numbers) => quantile(numbers, 0.95);
/** No run may have it: the longest task of all counts. */
const most = (numbers) => Math.max(...numbers);

/** Runs in the page: notes when something was sent, when that showed, when the first words or step came, and tasks that took long. */
function watch() {
  const answers = () => document.querySelectorAll('.message-item:not(.message-item--mine)').length;
  window.turns = [];
  window.long = [];
  new PerformanceObserver((list) => window.long.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask' });
  document.addEventListener('submit', (event) => {
    if (event.target.matches('.composer')) window.turns.push({ sent: performance.now(), before: answers() });
  }, true);
  new MutationObserver(() => {
    const turn = window.turns.at(-1);
    if (!turn) return;
    if (document.querySelector('.working')) turn.status ??= performance.now();
    const answered = answers() > turn.before;
    const named = document.querySelector('.working')?.textContent.match(/step|Adding|Looking|Completing/i);
    if (answered || named || document.querySelector('.working__said')?.textContent.trim()) turn.first ??= performance.now();
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}

async function open(docket) {
  const context = await docket.enter();
  const page = await context.newPage();
  await page.goto(`${docket.origin}/?c=new`);
  await live(page);
  await page.evaluate(watch);
  return page;
}

async function send(page, text, answers) {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.locator('.message-item:not(.message-item--mine)')).toHaveCount(answers, { timeout: 60_000 });
  await expect(page.locator('.working')).toHaveCount(0);
}

/** Milliseconds between the two; what never came took for ever. */
const taken = (at, sent) => (at ?? Infinity) - sent;

/** Several turns; the milliseconds until the first sign and until the first words or step of each. */
async function turns(docket, text) {
  const page = await open(docket);
  for (let n = 0; n < TURNS; n += 1) await send(page, text(n), n + 1);
  const noted = await page.evaluate(() => window.turns);
  await page.context().close();
  return { status: noted.map((it) => taken(it.status, it.sent)), first: noted.map((it) => taken(it.first, it.sent)) };
}

/** A long answer, word by word: the longest task of the page meanwhile, how often it changed, and whether it was followed to its end. */
async function long(docket) {
  const words = Array.from({ length: TOKENS }, (_, n) => (n % 40 === 39 ? `word${n}.\n\n` : `word${n}`)).join(' ');
  await script(docket, [{ match: '^tell me everything$', text: words }]);
  const page = await open(docket);
  await page.evaluate(() => {
    window.steps = new Set();
    new MutationObserver(() => {
      const said = document.querySelector('.working__said');
      if (said) window.steps.add(said.textContent.length);
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  const begun = Date.now();
  await send(page, 'tell me everything', 1);
  const took = Date.now() - begun;
  await page.waitForTimeout(500);
  const seen = await page.evaluate(() => ({ long: window.long, steps: window.steps.size }));
  const tasks = seen.long.map((it) => `${it.toFixed(0)} ms`).join(', ') || 'none over 50 ms';
  tell(`stream: ${TOKENS} tokens in ${took} ms, shown in ${seen.steps} steps; long tasks: ${tasks}`);
  await page.context().close();
  return { ...seen, longest: Math.max(0, ...seen.long) };
}

export async function stream() {
  const rules = await onDocket({}, (docket) => turns(docket, (n) => `add errand ${n}`));
  const asked = await onDocket({ model: 20 }, (docket) => turns(docket, () => 'hello'));
  const runs = [];
  for (let run = 0; run < 3; run += 1) runs.push(await onDocket({ model: 2 }, long));
  const steps = Math.min(...runs.map((it) => it.steps));
  return [
    figure(`first visible status after send (rules), p95 of ${TURNS}`, rules.status, ' ms', 200, { of: p95 }),
    figure(`the same with a model`, asked.status, ' ms', 200, { of: p95 }),
    figure(`first token or named step with a model, p95 of ${TURNS}`, asked.first, ' ms', 1000, { of: p95 }),
    figure(`longest task of the page during ${TOKENS} tokens, in any of 3 runs`, runs.map((it) => it.longest), ' ms', 100, { of: most }),
    row('steps in which those tokens were shown', `${steps}`, '≥ 20', steps >= 20),
  ];
}
