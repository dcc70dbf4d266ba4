// TypeScript types of the schema files. The build writes them: `tsx scripts/data/schema-types.ts FILE`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript';
import { type JsonSchema, resolveRef, schema, schemaNames } from '../../schemas/index.ts';
import { isObject } from '../../schemas/json.ts';
import { schemaFile } from '../../schemas/load.ts';

const BANNER = '// Generated from the schema files of the package.';
/** Type names for files whose name is taken in TypeScript. */
const TYPE_NAMES: Readonly<Record<string, string>> = { file: 'FileObject', function: 'FunctionDefinition' };

const TYPE_SUFFIXES: Readonly<Record<string, string>> = {
  requests: 'Request',
  events: 'Event',
  lines: 'Line',
};

/** The comment that the generator adds to say where a definition is referenced. */
const REFERENCE_COMMENT =
  / \*\n \* This interface was referenced by `Schemas`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/g;

/** A comment that the generator spreads over three lines. */
const ONE_LINE_COMMENT = /\/\*\*\n *\* (.*)\n *\*\//g;

/** Keywords that types cannot express or that are converted elsewhere, and `title`, which would name a type. */
const DROPPED_KEYWORDS: ReadonlySet<string> = new Set(
  '$schema title allOf not discriminator default $defs'.split(' '),
);

const TYPE_KEYWORDS = ['type', 'const', 'enum', 'oneOf', 'properties'];

export async function renderTypes(): Promise<string> {
  const names = schemaNames();
  const combinedSchema = {
    description: 'The type of each schema, by its name.',
    properties: Object.fromEntries(names.map((name) => [name, { tsType: typeName(name) }])),
    required: [...names],
    definitions: Object.fromEntries(names.flatMap(definitions)),
  };
  const text = await compile(combinedSchema, 'Schemas', {
    additionalProperties: false,
    bannerComment: BANNER,
    // Tuples of every allowed length would make the types unreadable.
    ignoreMinAndMaxItems: true,
    style: { singleQuote: true, printWidth: 110 },
    unreachableDefinitions: true,
  });
  return text.replace(REFERENCE_COMMENT, '').replace(ONE_LINE_COMMENT, '/** $1 */');
}

function definitions(name: string): readonly (readonly [string, JsonSchema])[] {
  const root = schema(name);
  const inner = Object.entries(Object(root['$defs'])).filter(isSchemaEntry);
  return [
    [typeName(name), { ...withReadableTypes(name, root), title: typeName(name) }],
    ...inner.map(([key, each]) => {
      const title = typeName(name, `/$defs/${key}`);
      return [title, { ...withReadableTypes(name, each), title }] as const;
    }),
  ];
}

/** `chat.completion.chunk` → `ChatCompletionChunk`; a definition inside adds its own name. */
function typeName(name: string, pointer = ''): string {
  const folder = schemaFile(name).path.split('/')[0] ?? '';
  const inner = pointer.split('/').at(-1) ?? '';
  return `${TYPE_NAMES[name] ?? toPascalCase(name)}${TYPE_SUFFIXES[folder] ?? ''}${toPascalCase(inner)}`;
}

/** `file_search` → `FileSearch`; dots, hyphens and underscores separate words. */
function toPascalCase(name: string): string {
  const words = name.split(/[._-]/).filter((word) => word !== '');
  return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
}

function withReadableTypes(name: string, original: JsonSchema): JsonSchema {
  const { $ref, type, description, properties, additionalProperties } = original;
  if (typeof $ref === 'string') {
    const target = resolveRef(name, $ref);
    return {
      description: description ?? target.schema['description'],
      tsType: typeName(target.name, target.pointer),
    };
  }
  const listedValues = original['x-open-enum'];
  if (Array.isArray(listedValues))
    return { description, tsType: renderOpenEnum(listedValues, [type].flat()) };
  const bases = [original['allOf']]
    .flat()
    .filter(isObject)
    .filter((each) => '$ref' in each);
  if (bases.length > 0) {
    const extension =
      properties === undefined ? [] : [withReadableTypes(name, { ...original, type: 'object', allOf: [] })];
    return { description, allOf: [...bases.map((each) => withReadableTypes(name, each)), ...extension] };
  }
  if (!TYPE_KEYWORDS.some((keyword) => keyword in original)) return { description, tsType: 'unknown' };
  const keptEntries = Object.entries(original).filter(
    ([keyword]) => !DROPPED_KEYWORDS.has(keyword) && !keyword.startsWith('x-'),
  );
  const result = Object.fromEntries(
    keptEntries.map(([keyword, value]) => [keyword, convertKeyword(name, keyword, value)]),
  );
  const isOpen = type === 'object' && properties === undefined && additionalProperties === undefined;
  return isOpen ? { ...result, additionalProperties: true } : result;
}

function convertKeyword(name: string, keyword: string, value: unknown): unknown {
  if (keyword === 'properties') {
    return Object.fromEntries(
      Object.entries(Object(value))
        .filter(isSchemaEntry)
        .map(([key, each]) => [key, withReadableTypes(name, each)]),
    );
  }
  if (keyword === 'oneOf' && Array.isArray(value))
    return value.filter(isObject).map((each) => withReadableTypes(name, each));
  return ['items', 'additionalProperties'].includes(keyword) && isObject(value)
    ? withReadableTypes(name, value)
    : value;
}

/** The listed values as suggestions: the type accepts any string, and null if the JSON types contain it. */
function renderOpenEnum(listed: readonly unknown[], types: readonly unknown[]): string {
  const values = listed.map((value) => `'${String(value)}'`);
  return [...values, '(string & {})', ...(types.includes('null') ? ['null'] : [])].join(' | ');
}

function isSchemaEntry(entry: [string, unknown]): entry is [string, JsonSchema] {
  return isObject(entry[1]);
}

const [, program, file] = process.argv;
if (program === fileURLToPath(import.meta.url) && file !== undefined) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await renderTypes());
}
