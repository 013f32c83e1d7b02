// The first load: what comes over the wire, and when it can be read, used and is taken over by the script on a slow connection.
import { get } from 'node:http';
import { figure, onDocket, row, tell } from './common.mjs';
import { fill, pages } from './seed.mjs';

const RUNS = 5;
/** 1.6 Mbit/s, a round trip of 150 ms. */
const SLOW = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };

/** How many bytes a file or page has as it comes to who takes brotli. */
function bytes(url, cookie) {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'br', accept: 'text/html,*/*', cookie } }, (answer) => {
      let size = 0;
      answer.on('data', (piece) => { size += piece.length; });
      answer.on('end', () => resolve(size));
    }).on('error', reject);
  });
}

/** Runs in the page from its beginning: notes when the script took over and what moved. */
function watch() {
  window.moved = 0;
  window.movers = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      window.moved += entry.value;
      window.movers.push(...entry.sources.map((source) => `${source.node?.nodeName}.${source.node?.className ?? ''}`));
    }
  }).observe({ type: 'layout-shift', buffered: true });
  new MutationObserver((_, observer) => {
    if (!document.documentElement?.hasAttribute('data-live')) return;
    window.hydrated = performance.now();
    observer.disconnect();
  }).observe(document, { attributes: true, subtree: true, childList: true });
}

/** One first visit on a slow connection. */
async function visit(docket, path) {
  const context = await docket.enter();
  const page = await context.newPage();
  await page.addInitScript(watch);
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', SLOW);
  await page.goto(docket.origin + path);
  await page.locator('html[data-live]').waitFor({ timeout: 60_000 });
  await page.waitForTimeout(300);
  const seen = await page.evaluate(() => {
    const painted = performance.getEntriesByName('first-contentful-paint')[0].startTime;
    const { domInteractive } = performance.getEntriesByType('navigation')[0];
    return { usable: Math.max(painted, domInteractive), hydrated: window.hydrated, moved: window.moved, movers: window.movers };
  });
  await context.close();
  if (seen.moved > 0.02) tell(`load: ${path} moved by ${seen.moved.toFixed(3)}: ${seen.movers.join(', ')}`);
  return seen;
}

export async function load() {
  return onDocket({}, async (docket) => {
    const context = await docket.enter();
    const filled = pages(await fill(docket, context));
    const cookie = docket.state.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const size = async (path) => (await bytes(docket.origin + path, cookie)) / 1024;
    const html = [];
    for (const [name, path] of Object.entries(filled)) html.push([name, await size(path)]);
    const [heaviest, most] = html.sort((a, b) => b[1] - a[1])[0];
    const first = Math.max(await size('/'), await size('/tasks'));
    const script = await size('/pkg/docket.wasm') + await size('/pkg/docket.js');
    const rows = [
      row('HTML of the first load (/ or /tasks) as it is sent', `${first.toFixed(1)} KB`, '≤ 30 KB', first <= 30),
      row(`HTML of the heaviest page (${heaviest}) as it is sent`, `${most.toFixed(1)} KB`, '≤ 30 KB', most <= 30),
      figure('CSS, brotli', [await size('/pkg/docket.css')], ' KB', 20, { digits: 1 }),
      figure('wasm + JavaScript, brotli', [script], ' KB', 350, { digits: 1 }),
    ];
    for (const path of ['/', '/tasks']) {
      const visits = [];
      for (let run = 0; run < RUNS; run += 1) visits.push(await visit(docket, path));
      const of = (key) => visits.map((it) => it[key] / (key === 'moved' ? 1 : 1000));
      rows.push(figure(`${path}: usable at 1.6 Mbit/s and 150 ms`, of('usable'), ' s', 1.2, { digits: 2 }));
      rows.push(figure(`${path}: hydrated`, of('hydrated'), ' s', 3.5, { digits: 2 }));
      rows.push(figure(`${path}: layout shift`, of('moved'), '', 0.02, { digits: 3 }));
    }
    return rows;
  });
}
