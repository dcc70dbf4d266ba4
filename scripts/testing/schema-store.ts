import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';

const require = createRequire(import.meta.url);

/** Reads a schema of SchemaStore without its draft and id, so that Ajv treats an old draft like a newer one. */
export function readStoredSchema(name: string): object {
  const path = require.resolve(`schemastore/schemas/json/${name}`);
  const { $schema: _, id: __, $id: ___, ...schema } = JSON.parse(readFileSync(path, 'utf8'));
  return schema;
}

/** The errors of a value by a schema of other tools; Ajv does not know their keywords, formats and patterns. */
export function listSchemaErrors(value: unknown, schema: object): readonly object[] {
  const check = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);
  return check(value) ? [] : (check.errors ?? []);
}
