import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type JsonSchema, resolveRef, schema, schemaNames } from './index.ts';
import { isObject } from './json.ts';
import { schemaFile, schemasFolder } from './load.ts';

const readme = readFileSync(`${schemasFolder()}/README.md`, 'utf8');

/** Schemas of parts of requests that are not in `requests/`. */
const INPUTS = ['chat.request_message', 'chat.response_format', 'stream_options', 'thread.message.input'];

test('every response field that is neither required nor expected is listed as an exception', () => {
  const listed = listExceptions();
  const missing = schemaNames()
    .filter((name) => !schemaFile(name).path.startsWith('requests/') && !INPUTS.includes(name))
    .flatMap((name) => listOptional(schema(name), name).map((field) => `${name} ${field}`))
    .filter((entry) => !listed.has(entry) && !listed.has(entry.replace(/^\S+\.list /, 'all lists ')));
  expect(missing).toEqual([]);
});

test('the readme names every keyword that assay adds to JSON Schema', () => {
  const used = new Set(
    schemaNames().flatMap((name) => JSON.stringify(schema(name)).match(/"x-[a-z-]+"(?=:)/g) ?? []),
  );
  expect([...used].filter((keyword) => !readme.includes(`\`${JSON.parse(keyword)}\``))).toEqual([]);
});

/** Lists the rows of the table of exceptions, as `schema field`. */
function listExceptions(): ReadonlySet<string> {
  const rows = readme.split('\n').map((line) => line.split('|').slice(1, 3));
  return new Set(
    rows.flatMap(([schemas = '', fields = '']) =>
      readCodes(schemas.replace('all lists', '`all lists`')).flatMap((name) =>
        readCodes(fields).map((field) => `${name} ${field}`),
      ),
    ),
  );
}

function readCodes(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** Lists the fields that may be missing; fields of a base schema belong to the base. */
function listOptional(subschema: JsonSchema, name: string): readonly string[] {
  const { properties, required = [], 'x-expected': expected = [], items, oneOf, allOf, $defs } = subschema;
  const stated = [required, expected].flat();
  const own = Object.entries(Object(properties)).filter(isEntry);
  const inherited = [allOf]
    .flat()
    .flatMap((part) => (isObject(part) && typeof part['$ref'] === 'string' ? [part['$ref']] : []))
    .flatMap((ref) => Object.keys(Object(resolveRef(name, ref).schema['properties'])));
  return [
    ...own.flatMap(([field, property]) => [
      ...(stated.includes(field) || inherited.includes(field) ? [] : [field]),
      ...listOptional(property, name),
    ]),
    ...[items, oneOf, Object.values(Object($defs))]
      .flat()
      .filter(isObject)
      .flatMap((inner) => listOptional(inner, name)),
  ];
}

function isEntry(entry: [string, unknown]): entry is [string, JsonSchema] {
  return isObject(entry[1]);
}
