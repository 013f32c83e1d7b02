// Lighthouse as a phone sees the pages, five times each.
import { launch } from 'chrome-launcher';
import run from 'lighthouse';
import { launchOptions } from '../browser/chromium.js';
import { figure, onDocket, tell } from './common.mjs';
import { fill } from './seed.mjs';

const RUNS = 5;
const PATHS = ['/', '/tasks', '/audit'];
const GOALS = { performance: 90, accessibility: 100, 'best-practices': 100 };

/** One run: the scores out of 100, and what took points away. */
async function visit(url, cookie) {
  const chrome = await launch({ chromePath: launchOptions.executablePath, chromeFlags: ['--headless=new', ...launchOptions.args] });
  try {
    const { lhr } = await run(url, {
      port: chrome.port, output: 'json', logLevel: 'error', onlyCategories: Object.keys(GOALS), extraHeaders: { cookie },
    });
    const lost = Object.values(lhr.categories).flatMap((category) => category.auditRefs
      .filter(({ id, weight }) => weight > 0 && (lhr.audits[id].score ?? 1) < 0.9)
      .map(({ id }) => `${id} ${lhr.audits[id].displayValue ?? lhr.audits[id].title}`));
    // How quick the machine was meanwhile: Lighthouse's own scale, on which a phone has about 400 and an idle desk computer 1,500 and more.
    const speed = lhr.environment.benchmarkIndex;
    return { speed, scores: Object.fromEntries(Object.entries(lhr.categories).map(([id, { score }]) => [id, score * 100])), lost };
  } finally {
    chrome.kill();
  }
}

export async function lighthouse() {
  return onDocket({}, async (docket) => {
    await fill(docket, await docket.enter());
    const cookie = docket.state.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const rows = [];
    for (const path of PATHS) {
      const visits = [];
      for (let n = 0; n < RUNS; n += 1) visits.push(await visit(docket.origin + path, cookie));
      const lost = [...new Set(visits.flatMap((it) => it.lost))].join('; ') || 'nothing lost';
      tell(`lighthouse: ${path}: machine ${visits.map((it) => it.speed.toFixed(0)).join(', ')}; ${lost}`);
      for (const [id, goal] of Object.entries(GOALS)) {
        const scores = visits.map((it) => it.scores[id]);
        rows.push(figure(`Lighthouse mobile on ${path}, median of ${RUNS}: ${id.replace('-', ' ')}`, scores, '', goal, { least: true }));
      }
    }
    return rows;
  });
}
