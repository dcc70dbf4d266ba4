// The bare platform for `assay check`: reads and parses the same lines, and validates bodies and events with ajv alone.
// Usage: bare-check.ts FILE TIMES: reads a `cassette.jsonl` TIMES times and prints counts.
import {
  compileSchema,
  createAjv,
  matchOperation,
  type ResponseShape,
  type Variant,
} from '../../schemas/index.ts';
import { counts, processRecordedLines, type RecordedLine } from '../recorded-lines.ts';

const ajv = createAjv({ ajv: { allErrors: false, code: { optimize: true } } });
let variant: Variant | null = null;
let isStreamed = false;
let shape: ResponseShape | null = null;
await processRecordedLines(processLine);

function validate(schema: string, value: unknown): void {
  counts.bodies += 1;
  if (!compileSchema(ajv, schema)(value)) counts.complaints += 1;
}

function processLine(line: RecordedLine): void {
  switch (line.e) {
    case 'request':
      counts.exchanges += 1;
      variant = variantOf(line);
      isStreamed = false;
      shape = null;
      break;
    case 'response':
      if (line.status < 300)
        shape = variant?.answers.find(({ events }) => (events !== null) === isStreamed) ?? null;
      break;
    case 'body':
      if (line.json === undefined) break;
      if (line.of === 'response') {
        if (shape?.schema != null) validate(shape.schema, line.json);
      } else {
        isStreamed = line.json?.stream === true;
        if (variant?.body?.carrier === 'json') validate(variant.body.schema, line.json);
      }
      break;
    case 'event': {
      const schema = shape?.events?.[line.event ?? ''];
      if (schema != null && 'data' in line) validate(schema, line.data);
    }
  }
}

function variantOf({ method, target, headers }: Extract<RecordedLine, { e: 'request' }>): Variant | null {
  const variants = matchOperation(method, target.split('?', 1)[0] ?? '')?.operation.variants ?? [];
  const requested = variants.find(({ beta }) => headers.some(([, value]) => value === beta));
  return requested ?? variants[0] ?? null;
}
