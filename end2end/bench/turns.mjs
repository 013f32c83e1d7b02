// Messages over HTTP, as another program sends them.
import { send } from './http.mjs';

/** Sends a message and waits for the turn's end; the milliseconds that it took. Throws where the turn did not succeed. */
export async function turn(base, token, message) {
  const sent = performance.now();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' };
  const { status, text } = await send('POST', `${base}/api/v1/chat`, headers, new URLSearchParams({ message }).toString());
  if (!text.includes('SUCCESS:TASK_COMPLETED')) throw new Error(`${status} ${text}`);
  return performance.now() - sent;
}
