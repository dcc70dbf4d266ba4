import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

export type RecordedLine =
  | {
      readonly e: 'request';
      readonly method: string;
      readonly target: string;
      readonly headers: readonly (readonly [string, string | null])[];
    }
  | { readonly e: 'response'; readonly status: number }
  | { readonly e: 'body'; readonly of: 'request' | 'response'; readonly json?: JsonBody }
  | { readonly e: 'event'; readonly event?: string; readonly data?: unknown }
  | { readonly e: 'other' };

/** A parsed JSON body, as far as benchmarks read it; a body that is not JSON has no `json`. */
type JsonBody = { readonly stream?: unknown } | null;

export const counts = { exchanges: 0, bodies: 0, complaints: 0 };

/** Processes each line of the file in argument 1, as many times as argument 2 says (default 1); prints `counts`. */
export async function processRecordedLines(processLine: (line: RecordedLine) => void): Promise<void> {
  const [file = '', times = '1'] = process.argv.slice(2);
  for (let n = 0; n < Number(times); n += 1)
    for await (const text of createInterface({ input: createReadStream(file) }))
      processLine(JSON.parse(text));
  console.log(JSON.stringify(counts));
}
