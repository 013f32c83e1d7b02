// costs.mjs BINARY: what the most adverse requests cost the server, each alone (R-1106): for every route and every tool its worst body's CPU time
// and memory. Bulk work is listed apart: it runs off the threads that serve, two pieces at a time.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { start } from './server.mjs';

/** Bytes of a body, just below what the server takes. */
const BODY = 250 * 1024;
const FILE = 4_100_000;
const FORM = 'application/x-www-form-urlencoded';
/** First bytes of a file of each kind. */
const FILES = ['', 'title%0A', 'TYPE%2CCONTENT%0Atask%2C', '%5B%7B%22title%22%3A%22', '%5B1%2C'];
/** Work that takes as long as there is data. */
const BULK = ['/api/v1/tasks/import', '/api/v1/export', '/api/v1/audit/export', '/api/v1/audit/verify', '/api/v1/settings/erase', '/api/v1/admin/users/erase',
  '/api/v1/tasks/as_of', '/api/v1/session/', '/api/v1/settings/password'];
const isBulk = (path) => BULK.some((start) => path.startsWith(start));

/** CPU time of the process's threads so far, in milliseconds. */
function cpu(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]), 0) / 1e6;
}

/** Resident memory, or its peak since the mark, in MB. */
const memory = (pid, field) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

/** Cost of one request beyond its own body. */
async function cost(docket, request, bytes) {
  writeFileSync(`/proc/${docket.pid}/clear_refs`, '5');
  const [time, resident] = [cpu(docket.pid), memory(docket.pid, 'VmRSS')];
  const answer = await request();
  const text = await answer.text();
  return { ms: cpu(docket.pid) - time, mb: Math.max(0, memory(docket.pid, 'VmHWM') - resident - bytes / 1e6), status: answer.status, sent: text.length };
}

const words = (word, bytes) => word.repeat(Math.floor(bytes / word.length));
/** Words of which texts are long in one way each. */
const WORDS = ['a', 'a ', ',', '&', 'x\n', '2moro ', 'every ', '@a ', '#a ', '💥', '\u0301', '1', '12:30 ', '[', '"', 'delete 1, ', 'and '];

/** Bodies of a form with these fields. */
function* bodies(fields, bytes, starts) {
  yield '&'.repeat(bytes);
  yield '='.repeat(bytes);
  yield Array.from({ length: 499 }, (_, at) => `${at}${words('a', bytes / 500 - 8)}`).join('&');
  for (const field of fields.length ? fields : ['x']) {
    const rest = fields.filter((other) => other !== field).map((other) => `&${other}=1`).join('');
    for (const word of WORDS) {
      for (const start of starts) {
        const long = `${field}=${start}${words(encodeURIComponent(word), bytes - rest.length - field.length - start.length - 2)}`;
        yield long;
        if (rest) yield long + rest;
      }
    }
    yield Array.from({ length: 499 }, () => `${field}=${words('a', bytes / 500 - field.length - 3)}`).join('&');
  }
}

/** Arguments of a tool. */
function* calls(schema) {
  for (const field of Object.keys(schema.properties ?? { x: {} })) {
    for (const word of WORDS) yield { title: 'x', task_id: 1, [field]: words(word, (BODY - 200) / JSON.stringify(word).length) };
    yield { title: 'x', task_id: 1, [field]: Array.from({ length: 500 }, (_, at) => at) };
    yield { title: 'x', task_id: 1, [field]: Array.from({ length: 500 }, (_, at) => `t${at}${words('a', 400)}`) };
  }
}

/** The worst of each route and tool: `{ what, ms, mb, bulk }`, the worst by CPU time first. */
export async function costs(binary) {
  const scopes = 'chat,tasks:read,tasks:write,tasks:delete,audit';
  const docket = await start(binary, ['ada'], { DOCKET_ADDRESS_RATE_LIMIT_PER_MINUTE: '0' }, scopes);
  const worst = new Map();
  const note = (what, { ms, mb, status }, bulk) => {
    if (status >= 500) console.error(`${what} answered ${status}`);
    const known = worst.get(what) ?? { what, ms: 0, mb: 0, bulk };
    worst.set(what, { ...known, ms: Math.max(known.ms, ms), mb: Math.max(known.mb, mb) });
  };
  try {
    const headers = { authorization: `Bearer ${docket.tokens[0]}` };
    const described = await (await fetch(`${docket.base}/api/openapi.json`)).json();
    for (const [path, methods] of Object.entries(described.paths)) {
      for (const [method, route] of Object.entries(methods)) {
        if (path.endsWith('/events') || path === '/mcp') continue;
        const schema = route.requestBody?.content?.[FORM]?.schema ?? {};
        const fields = [...Object.keys(schema.properties ?? {}), ...(route.parameters ?? []).filter((it) => it.in === 'query').map((it) => it.name)];
        const bytes = method === 'get' ? 60_000 : path.startsWith('/api/v1/tasks/import') ? FILE : path.startsWith('/api/v1/session/') ? 64_000 : BODY;
        for (const body of bodies(fields, bytes, path.startsWith('/api/v1/tasks/import') ? FILES : [''])) {
          const url = docket.base + path.replaceAll(/\{[^}]*\}/g, '1');
          const request = method === 'get' ? () => fetch(`${url}?${body}`, { headers })
            : () => fetch(url, { method: method.toUpperCase(), headers: { ...headers, 'content-type': FORM }, body });
          note(`${method.toUpperCase()} ${path}`, await cost(docket, request, body.length), isBulk(path));
        }
      }
    }
    const rpc = (method, params) => () => fetch(`${docket.base}/mcp`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result } = await (await rpc('tools/list')()).json().catch(() => ({ result: { tools: [] } }));
    for (const tool of result.tools) {
      for (const arguments_ of calls(tool.inputSchema)) note(`tool ${tool.name}`, await cost(docket, rpc('tools/call', { name: tool.name, arguments: arguments_ }), BODY), false);
    }
    return [...worst.values()].sort((a, b) => b.ms - a.ms);
  } finally {
    await docket.stop();
  }
}

/** The table of the worst: those that serve and bulk work apart. */
export function table(found, count = 12) {
  const rows = (bulk) => found.filter((it) => it.bulk === bulk).slice(0, count).map((it) => `| ${it.what} | ${it.ms.toFixed(0)} ms | ${it.mb.toFixed(1)} MB |`);
  const most = (bulk, key) => Math.max(0, ...found.filter((it) => it.bulk === bulk).map((it) => it[key]));
  return [`| worst body of ${found.length} routes and tools | CPU | memory |`, '| --- | --- | --- |',
    `| **all but bulk work** (limits: 100 ms, 16 MB) | **${most(false, 'ms').toFixed(0)} ms** | **${most(false, 'mb').toFixed(1)} MB** |`, ...rows(false),
    `| **bulk work** | **${most(true, 'ms').toFixed(0)} ms** | **${most(true, 'mb').toFixed(1)} MB** |`, ...rows(true)].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) console.log(table(await costs(process.argv[2])));
