import { request } from 'node:http';

const CONCURRENT_STREAMS = 4;

/** Measures by how many ms each event misses its stated time: Unix time (`common`), or since the request (`stream`). */
export async function measureTimingErrors(url: string, clock: 'common' | 'stream'): Promise<number[]> {
  const errors: number[] = [];
  const readStream = () =>
    new Promise<void>((resolve, reject) => {
      const start = performance.now();
      request(url, (res) => {
        res.setEncoding('utf8');
        res.on('data', (text: string) => {
          const now = performance.now() + (clock === 'common' ? performance.timeOrigin : -start);
          for (const [, at] of text.matchAll(/"at":([\d.]+)/g)) errors.push(Math.abs(now - Number(at)));
        });
        res.on('end', resolve);
      })
        .on('error', reject)
        .end();
    });
  await Promise.all(Array.from({ length: CONCURRENT_STREAMS }, readStream));
  return errors;
}
