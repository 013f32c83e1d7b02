// The page policy (CSP): no page breaks it, with a script or without, and one that would is found out.
import { readFileSync } from 'node:fs';
import { expect, live, say, setUp, setUpLive, test, visit } from './docket.js';

// The table of routes that the tests of the server hold against its router: a new page is visited without being named here.
const ROUTES = [...readFileSync('../server/foreign.rs', 'utf8').matchAll(/\("GET", "(\/[^"]*)"/g)].map(([, path]) => path);
const NO_PAGES = /^\/(api\/(v1\/|openapi)|\.well-known\/|healthz|readyz|metrics)/;
const PAGES = [...new Set(ROUTES.filter((path) => !NO_PAGES.test(path)))];
// Those that a script takes over; the API's page has none.
const WITHOUT_SCRIPT = ['/api'];

/** Notes what the policy forbids on every page of the context, as the browser tells of it. */
async function watch(context) {
  const broken = [];
  await context.exposeBinding('policyBroken', ({ page }, what) => broken.push(`${page.url()}: ${what}`));
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => window.policyBroken(`${event.effectiveDirective} ${event.blockedURI}`));
  });
  return broken;
}

/** Holds a page's policy to what it must not allow. */
function strict(policy, path) {
  for (const needed of ["default-src 'none'", "script-src 'nonce-", "'strict-dynamic'", "'wasm-unsafe-eval'", "frame-ancestors 'none'", "base-uri 'none'"]) {
    expect(policy, path).toContain(needed);
  }
  expect(policy, path).not.toMatch(/unsafe-inline|'unsafe-eval'|\*/);
}

/** The pages with something to show: addresses with their names filled in. */
async function addresses(page, docket) {
  await say(page, 'add buy milk tomorrow');
  await say(page, 'delete task 1');
  await page.getByRole('button', { name: 'Decide later' }).click();
  const found = async (path, link) => {
    await page.goto(docket.origin + path);
    return (await page.locator(`a[href^="${path}/"]`).first().getAttribute('href')) ?? link;
  };
  const filled = { '/tasks/{number}': '/tasks/1', '/approvals/{id}': await found('/approvals'), '/audit/{id}': await found('/audit'), '/{*any}': '/nowhere' };
  return PAGES.map((path) => filled[path] ?? path);
}

test.describe('with a script', () => {
  // One of the addresses is no page.
  test.use({ expected: [/status of 404/] });

  test('no page breaks the policy, whatever is opened on it', async ({ page, context, docket }) => {
    test.setTimeout(180_000);
    const broken = await watch(context);
    await setUpLive(page, docket);
    const visited = await addresses(page, docket);
    for (const needed of ['/', '/tasks', '/tasks/import', '/api', '/admin/users', '/settings/memory']) expect(visited).toContain(needed);
    expect(visited.filter((path) => path.includes('{'))).toEqual([]);
    for (const path of visited) {
      const response = await page.goto(docket.origin + path);
      strict(response.headers()['content-security-policy'], path);
      if (WITHOUT_SCRIPT.includes(path)) continue;
      await live(page);
      // Made by a script: the palette.
      await page.keyboard.press('ControlOrMeta+k');
      const palette = page.getByRole('dialog', { name: 'Command palette' });
      if (await page.getByRole('navigation', { name: 'Main' }).count()) {
        await expect(palette).toBeVisible();
        await page.keyboard.press('Escape');
        await expect(palette).toHaveCount(0);
      }
    }
    await visit(page, `${docket.origin}/tasks/import`);
    await page.locator('input[type=file]').setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('title\nCall mum\n') });
    await page.getByRole('button', { name: 'Preview' }).click();
    await expect(page.getByRole('heading', { name: '1 task will be added' })).toBeVisible();
    expect(broken).toEqual([]);
  });
});

test.describe('without a script', () => {
  test.use({ javaScriptEnabled: false });

  test('no page breaks the policy', async ({ page, docket }) => {
    await setUp(page, docket);
    // Where no script runs none can tell: the browser's own complaints fail the test.
    for (const path of ['/', '/tasks', '/tasks/import', '/approvals', '/audit', '/settings', '/admin/users', '/api']) {
      strict((await page.goto(docket.origin + path)).headers()['content-security-policy'], path);
    }
  });
});

test.describe('a script and a style that are not ours', () => {
  test.use({ expected: [/Content Security Policy/] });

  test('are found out', async ({ page, context, docket }) => {
    const broken = await watch(context);
    await setUpLive(page, docket);
    await page.evaluate(() => {
      document.body.insertAdjacentHTML('beforeend', '<p style="color: red">x</p><img src="https://elsewhere.example/x.png" onerror="window.ran = true">');
    });
    await expect.poll(() => [...new Set(broken.map((what) => what.split(' ').at(-2)))].sort()).toEqual(['img-src', 'script-src-attr', 'style-src-attr']);
    expect(await page.evaluate(() => window.ran)).toBe(undefined);
  });
});
