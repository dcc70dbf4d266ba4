import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';

export interface LoadOptions {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly seconds?: number;
  /** Requests per second; unlimited by default. */
  readonly rate?: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly count: number;
}

const CONNECTIONS = 16;
const AUTOCANNON = createRequire(import.meta.url).resolve('autocannon/autocannon.js');

/** Rejects unless it gets responses and all are 2xx. */
export async function generateLoad(options: LoadOptions): Promise<LoadResult> {
  const { url, method = 'GET', body, headers = {}, seconds = 2, rate } = options;
  const args = ['--json', '-c', `${CONNECTIONS}`, '-d', `${seconds}`, '-m', method];
  for (const [name, value] of Object.entries(headers)) args.push('-H', `${name}=${value}`);
  if (body !== undefined) args.push('-b', body);
  if (rate !== undefined) args.push('-R', `${rate}`);
  const child = spawn(process.execPath, [AUTOCANNON, ...args, url], { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  await once(child, 'close');
  const result: AutocannonResult = JSON.parse(output);
  if (result.non2xx > 0 || result.errors > 0 || result['2xx'] === 0) {
    throw new Error(
      `${url}: ${result['2xx']} responses with 2xx, ${result.non2xx} others, ${result.errors} errors`,
    );
  }
  return { perSecond: result.requests.average, count: result['2xx'] };
}

interface AutocannonResult {
  readonly '2xx': number;
  readonly non2xx: number;
  readonly errors: number;
  readonly requests: { readonly average: number };
}
