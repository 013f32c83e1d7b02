// Requests as cheap as this client can make them: what it computes, the server on the same machine cannot.
import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

/** One request, its body sent as it is; the answer's status and text. */
export function send(method, url, headers, body = '') {
  return new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
    const call = request(url, { method, headers: { ...headers, ...length }, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece) => (text += piece));
      answer.on('end', () => resolve({ status: answer.statusCode, text }));
      answer.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** One call of a tool at /mcp, as a client of the revision 2025-06-18 without a session makes it; its result. */
export async function callTool(base, token, id, name, args) {
  const headers = {
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'mcp-protocol-version': '2025-06-18',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
  const { status, text } = await send('POST', `${base}/mcp`, headers, body);
  const result = status === 200 ? JSON.parse(text).result : undefined;
  if (!result || result.isError) throw new Error(`${status} ${text}`);
  return result.structuredContent;
}
