// The official TypeScript client against a server: node client.mjs URL TOKEN, or client.mjs --stdio DOCKET (with DOCKET_TOKEN set)
// Needs `npm install @modelcontextprotocol/sdk`. Lists, adds, reads, asks to delete, and reads a resource and a prompt; fails loudly.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [where, what] = process.argv.slice(2);
const overHttp = () =>
  new StreamableHTTPClientTransport(new URL(where), { requestInit: { headers: { Authorization: `Bearer ${what}` } } });
const overStdio = () => {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('DOCKET_')));
  return new StdioClientTransport({ command: what, args: ['mcp', '--token-env', 'DOCKET_TOKEN'], env });
};
const client = new Client({ name: 'check', version: '1' });
await client.connect(where === '--stdio' ? overStdio() : overHttp());
const call = async (name, args) => await client.callTool({ name, arguments: args });

assert.equal((await client.listTools()).tools.length, 6);
const added = (await call('add_task', { title: 'from TypeScript', due: 'today' })).structuredContent;
assert.equal(added.status, 'created');
assert.ok((await call('list_tasks', { query: 'from TypeScript' })).structuredContent.total >= 1);
const asked = await call('delete_task', { task_id: added.task_id });
assert.equal(asked.isError, true);
assert.equal(asked.structuredContent.error, 'needs_approval');
assert.equal((await call('get_task', { task_id: 999999 })).structuredContent.error, 'not_found');
const today = await client.readResource({ uri: 'docket://tasks/today' });
assert.match(today.contents[0].text, /from TypeScript/);
assert.match((await client.getPrompt({ name: 'plan_my_day' })).messages[0].content.text, /Docket/);
await client.close();
console.log('typescript: ok');
