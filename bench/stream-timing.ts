import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

const CONCURRENT_STREAMS = 4;

/** Returns how many ms each event is off its `at`, a Unix time (`common`) or the time since the request (`stream`). */
export async function measureTimingErrors(url: string, clock: 'common' | 'stream'): Promise<number[]> {
  const errors: number[] = [];
  const readStream = async () => {
    const start = performance.now();
    const [response]: IncomingMessage[] = await once(request(url).end(), 'response');
    if (response?.statusCode !== 200) throw new Error(`${url} is answered ${response?.statusCode}`);
    let unfinishedLine = '';
    for await (const text of response.setEncoding('utf8')) {
      const now = performance.now() + (clock === 'common' ? performance.timeOrigin : -start);
      const lines = `${unfinishedLine}${text}`.split('\n');
      unfinishedLine = lines.pop() ?? '';
      for (const [, at] of lines.join('\n').matchAll(/"at":([\d.]+)/g))
        errors.push(Math.abs(now - Number(at)));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_STREAMS }, readStream));
  return errors;
}
