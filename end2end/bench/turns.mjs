// Messages over HTTP, as another program sends them.
import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

/** Sends a message and waits for the turn's end; the milliseconds that it took. Throws where the turn did not succeed. */
export function turn(base, token, message) {
  const sent = performance.now();
  const body = new URLSearchParams({ message }).toString();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const call = request(`${base}/api/v1/chat`, { method: 'POST', headers, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece) => (text += piece));
      answer.on('end', () => {
        if (text.includes('SUCCESS:TASK_COMPLETED')) resolve(performance.now() - sent);
        else reject(new Error(`${answer.statusCode} ${text}`));
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}
