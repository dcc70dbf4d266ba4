import { readFileSync } from 'node:fs';
import { createAjv } from '../../../schemas/index.ts';

const schema = JSON.parse(readFileSync(new URL('../../report.schema.json', import.meta.url), 'utf8'));

export function compileDefinition(definition: string) {
  const { $defs } = schema;
  return createAjv().compile({ $defs, $ref: `#/$defs/${definition}` });
}
