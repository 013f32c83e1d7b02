// The official TypeScript client against a server: node client.mjs URL TOKEN
// Needs `npm install @modelcontextprotocol/sdk`. Lists, adds, reads, asks to delete, and reads a resource and a prompt; fails loudly.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [url, token] = process.argv.slice(2);
const client = new Client({ name: 'check', version: '1' });
await client.connect(
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
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
