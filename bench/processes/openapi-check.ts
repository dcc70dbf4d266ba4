// A published validator of OpenAPI traffic as a peer of `assay check`. It judges the JSON bodies of responses against
// the same description, each on its own, and reads no streams.
// Usage: openapi-check.ts FILE TIMES: reads a `cassette.jsonl` TIMES times and prints counts.
import validatorModule from 'openapi-response-validator';
import { matchOperation, operations } from '../../schemas/index.ts';
import { schema, schemaFile, schemaNames } from '../../schemas/load.ts';
import { counts, processRecordedLines } from '../recorded-lines.ts';

const BASE = 'schema:///';
// The package is CommonJS, whose default export Node does not unwrap.
const { default: Validator } = validatorModule;

// The validator knows only JSON Schema up to draft 7, and rejects a schema that names a later one.
const externalSchemas = Object.fromEntries(
  schemaNames().map((name) => {
    const { $schema: _, ...draft7Schema } = schema(name);
    return [`${BASE}${schemaFile(name).path}`, draft7Schema];
  }),
);
const validators = createValidators();

let operation = '';
let status = 0;
await processRecordedLines((line) => {
  if (line.e === 'request') {
    counts.exchanges += 1;
    operation = matchOperation(line.method, line.target.split('?', 1)[0] ?? '')?.operation.id ?? '';
  } else if (line.e === 'response') status = line.status;
  else if (line.e === 'body' && line.of === 'response' && line.json !== undefined) {
    counts.bodies += 1;
    if (validators.get(operation)?.validateResponse(status, line.json) !== undefined) counts.complaints += 1;
  }
});

function createValidators() {
  return new Map(
    operations().map(({ id, variants }) => {
      const shapes = variants.flatMap(({ answers }) => answers);
      const names = shapes.flatMap(({ contentType, schema: name }) =>
        contentType === 'application/json' && name !== null ? [name] : [],
      );
      const anyOf = [...new Set(names)].map((name) => ({ $ref: `${BASE}${schemaFile(name).path}` }));
      // The specification does not show the shape of error responses.
      const responses = { 200: { schema: anyOf.length === 0 ? {} : { anyOf } }, default: { schema: {} } };
      return [id, new Validator({ responses, externalSchemas })] as const;
    }),
  );
}
