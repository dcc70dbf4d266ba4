// The bare platform beside `assay check`: reads the same lines, parses each, and validates each body once with ajv.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { matchOperation, validator } from '../schemas/index.ts';

/** Usage: bare-check.ts FILE TIMES: goes through a `cassette.jsonl` so many times; prints exchanges and complaints. */
const [file = '', times = '1'] = process.argv.slice(2);
let exchanges = 0;
let complaints = 0;
for (let n = 0; n < Number(times); n += 1) {
  let validate: ReturnType<typeof validator> | null = null;
  for await (const text of createInterface({ input: createReadStream(file) })) {
    const line: Line = JSON.parse(text);
    if (line.e === 'request') {
      exchanges += 1;
      const found = matchOperation(line.method, line.target.split('?')[0] ?? '');
      const schema = found?.operation.variants[0]?.answers[0]?.schema;
      validate = schema == null ? null : validator(schema);
    } else if (line.e === 'body' && line.of === 'response' && validate !== null && 'json' in line) {
      complaints += validate(line.json).length;
    }
  }
}
console.log(JSON.stringify({ exchanges, complaints }));

/** What we read of a cassette's lines. */
type Line =
  | { readonly e: 'request'; readonly method: string; readonly target: string }
  | { readonly e: 'body'; readonly of: string; readonly json?: unknown }
  | { readonly e: 'other' };
