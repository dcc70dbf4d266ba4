// The bare platform for `assay check`: reads and parses the same lines, and validates each body once with ajv.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  compileSchema,
  createAjv,
  matchOperation,
  type ResponseShape,
  type Variant,
} from '../../schemas/index.ts';

/** Usage: bare-check.ts FILE TIMES: reads a `cassette.jsonl` TIMES times and prints counts. */
const [file = '', times = '1'] = process.argv.slice(2);
const ajv = createAjv({ ajv: { allErrors: false, code: { optimize: true } } });
const counts = { exchanges: 0, bodies: 0, complaints: 0 };

function validate(schema: string, value: unknown): void {
  counts.bodies += 1;
  if (!compileSchema(ajv, schema)(value)) counts.complaints += 1;
}

for (let n = 0; n < Number(times); n += 1) {
  let variant: Variant | null = null;
  let isStreamed = false;
  let answer: ResponseShape | null = null;
  for await (const text of createInterface({ input: createReadStream(file) })) {
    const line: Line = JSON.parse(text);
    switch (line.e) {
      case 'request':
        counts.exchanges += 1;
        variant = variantOf(line);
        isStreamed = false;
        answer = null;
        break;
      case 'response':
        if (line.status < 300) answer = variant?.answers.find(fits(isStreamed)) ?? null;
        break;
      case 'body':
        if (!('json' in line)) break;
        if (line.of === 'response') {
          if (answer?.schema != null) validate(answer.schema, line.json);
        } else {
          isStreamed = line.json.stream === true;
          if (variant?.body?.carrier === 'json') validate(variant.body.schema, line.json);
        }
        break;
      case 'event': {
        const schema = answer?.events?.[line.event ?? ''];
        if (schema != null && 'data' in line) validate(schema, line.data);
      }
    }
  }
}
console.log(JSON.stringify(counts));

function variantOf({ method, target, headers }: Extract<Line, { e: 'request' }>): Variant | null {
  const variants = matchOperation(method, target.split('?', 1)[0] ?? '')?.operation.variants ?? [];
  const named = variants.find(({ beta }) => headers.some(([, value]) => value === beta));
  return named ?? variants[0] ?? null;
}

function fits(isStreamed: boolean): (shape: ResponseShape) => boolean {
  return (shape) => (shape.events !== null) === isStreamed;
}

type Line =
  | {
      readonly e: 'request';
      readonly method: string;
      readonly target: string;
      readonly headers: readonly (readonly [string, string | null])[];
    }
  | { readonly e: 'response'; readonly status: number }
  | { readonly e: 'body'; readonly of: 'request' | 'response'; readonly json: { readonly stream?: boolean } }
  | { readonly e: 'event'; readonly event?: string; readonly data?: unknown }
  | { readonly e: 'other' };
