// conformance.mjs SUITE URL: runs the conformance suite against the MCP server at URL, and fails on every check that fails but for
// those that ask for a fixture of the suite's own. The suite sends no token, so that a proxy adds DOCKET_TOKEN to what it asks.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const REVISIONS = ['2026-07-28', '2025-11-25'];

/** Checks that call by name what the suite's own server has and no product does, by what that is. */
const FIXTURES = {
  'test_* tools': [
    'tools-call-image', 'tools-call-audio', 'tools-call-embedded-resource', 'tools-call-mixed-content', 'tools-call-with-logging',
    'tools-call-with-progress', 'tools-call-sampling', 'tools-call-elicitation', 'elicitation-sep1034-general',
    'elicitation-sep1330-general', 'json-schema-2020-12-tool-found', 'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
  ],
  'tools that ask for input': [
    'sep-2322-elicitation-incomplete', 'sep-2322-sampling-incomplete', 'sep-2322-list-roots-incomplete',
    'sep-2322-request-state-incomplete', 'sep-2322-multiple-inputs-incomplete', 'sep-2322-multi-round-r1',
    'sep-2322-non-tool-incomplete', 'sep-2322-result-type-included', 'sep-2322-reject-tampered-state',
    'sep-2322-respect-client-capabilities',
  ],
  'test:// resources': ['resources-read-text', 'resources-read-binary', 'resources-templates-read', 'resources-subscribe', 'resources-unsubscribe'],
  'test_* prompts': ['prompts-get-simple', 'prompts-get-with-args', 'prompts-get-embedded-resource', 'prompts-get-with-image'],
  'a tool whose arguments are headers': [
    'sep-2243-server-no-xmcp-tool', 'sep-2243-server-decode-base64', 'sep-2243-server-validate-param-match',
    'sep-2243-server-reject-invalid-param-chars', 'sep-2243-server-reject-param-mismatch',
  ],
};
/** Of an extension that is not offered, and not scored: tools that run as tasks of the protocol. */
const EXTENSION = /^tasks-/;

const [suite, url] = process.argv.slice(2);
const fixtures = new Set(Object.values(FIXTURES).flat());

/** Passes everything on to the server, with the token. */
function proxy(to) {
  const server = http.createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${process.env.DOCKET_TOKEN}` };
    const on = http.request({ hostname: to.hostname, port: to.port, path: asked.url, method: asked.method, headers, setHost: false }, (given) => {
      answer.writeHead(given.statusCode, given.rawHeaders);
      given.pipe(answer);
    });
    on.on('error', (error) => answer.writeHead(502).end(String(error)));
    answer.on('close', () => on.destroy());
    asked.pipe(on);
  });
  return new Promise((ready) => server.listen(0, '127.0.0.1', () => ready(server)));
}

/** Runs the suite by a revision's requirements; its checks, each with the scenario that it is of. */
async function checks(target, revision) {
  const folder = mkdtempSync(join(tmpdir(), 'docket-conformance-'));
  try {
    const run = spawn(process.execPath, [suite, 'server', '--url', target, '--requirements', revision, '-o', folder], { stdio: 'ignore' });
    await new Promise((done) => run.once('exit', done));
    return readdirSync(folder).flatMap((name) => {
      // server-SCENARIO-2026-07-28T07-30-56-508Z
      const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
      return JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')).map((check) => ({ ...check, scenario }));
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const server = await proxy(new URL(url));
const target = `http://127.0.0.1:${server.address().port}${new URL(url).pathname}`;
let failed = false;
for (const revision of REVISIONS) {
  const scored = (await checks(target, revision)).filter((check) => !EXTENSION.test(check.scenario));
  const passed = scored.filter((check) => check.status === 'SUCCESS').length;
  const failures = scored.filter((check) => check.status === 'FAILURE');
  const own = failures.filter((check) => !fixtures.has(check.id));
  for (const { scenario, id, errorMessage } of own) console.error(`${revision} ${scenario}: ${id}: ${errorMessage}`);
  console.log(`requirements ${revision}: ${passed} passed, ${own.length} failed, ${failures.length - own.length} ask for fixtures of the suite`);
  failed ||= own.length > 0 || passed === 0;
}
server.close();
server.closeAllConnections();
process.exit(failed ? 1 : 0);
