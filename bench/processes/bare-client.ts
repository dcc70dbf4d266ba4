// The bare platform for `assay run`: sends the requests of a recorded run again with plain undici.
// Usage: bare-client.ts CASSETTE URL: prints the number of requests and how many seconds they took.
import { Agent, request } from 'undici';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { isNote } from '../../exchange/trace.ts';
import { numberOf } from '../../judge/trace/timed.ts';

const [cassette = '', url = ''] = process.argv.slice(2);
const origin = new URL(url).origin;
const { items } = await readTrace(cassette);
const exchanges = items
  .filter((item): item is Exchange => !isNote(item))
  .sort((a, b) => numberOf(a.id) - numberOf(b.id));
const dispatcher = new Agent({ connections: 16 });
const ID = /\b(?:asst|thread|msg|run|step|file|vs|vsfb|vsfile|ftjob|batch|call)[-_][A-Za-z0-9]{8,}/g;
const ids = new Map<string, string>();
const translateId = (id: string): string => ids.get(id) ?? id;

let endedCount = 0;
let waiting: { readonly after: number; readonly resume: () => void }[] = [];

const began = performance.now();
await Promise.all(exchanges.map(sendAgain));
console.log(JSON.stringify({ requests: exchanges.length, seconds: (performance.now() - began) / 1000 }));
await dispatcher.close();

/** Waits until `after` exchanges have ended, to keep the recorded order and concurrency, then sends the request. */
async function sendAgain(exchange: Exchange): Promise<void> {
  if (endedCount < exchange.after)
    await new Promise<void>((resume) => waiting.push({ after: exchange.after, resume }));
  const { method, target, headers, body } = exchange.request;
  const repeatedHeaders = Object.fromEntries(
    headers.filter(
      ([name]) => !/^(host|connection|authorization|content-length|transfer-encoding)$/i.test(name),
    ),
  );
  const content = body.text === null ? body.bytes : body.text.replace(ID, translateId);
  const response = await request(origin + target.replace(ID, translateId), {
    method: method as 'GET', // as: any method of a recorded request; the type lists the usual ones
    headers: repeatedHeaders,
    body: content === null || content.length === 0 ? null : Buffer.from(content),
    dispatcher,
  });
  // The n-th id in the recorded response corresponds to the n-th id in the new one.
  const recordedIds = exchange.response?.body.text?.match(ID) ?? [];
  const newIds = (await response.body.text()).match(ID) ?? [];
  if (recordedIds.length === newIds.length)
    for (const [i, id] of recordedIds.entries()) ids.set(id, newIds[i] ?? id);
  endedCount += 1;
  const ready = waiting.filter(({ after }) => after <= endedCount);
  waiting = waiting.filter(({ after }) => after > endedCount);
  for (const { resume } of ready) resume();
}
