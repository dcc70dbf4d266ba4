// Finds and reads openapi.json and the schema files. Each schema file is read once and never changes afterwards.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import type { JsonSchema } from './contract.ts';
import { isObject } from './json.ts';
import { valueAtPointer } from './pointer.ts';
import { extensions, perSpecification, type SchemaFile } from './specification.ts';

const EXAMPLES_FOLDER = 'examples';

let folder: string | undefined;
let builtInFiles: readonly SchemaFile[] | undefined;

/** The folder of openapi.json and the schema files, located on first use: bundles that read no schemas may lack it. */
export function schemasFolder(): string {
  folder ??= dirname(createRequire(import.meta.url).resolve('#schemas/openapi.json'));
  return folder;
}

/** Thrown for a name that no schema file has, and for a `$ref` without a target. */
export class UnknownSchema extends Error {
  override name = 'UnknownSchema';
}

export interface Resolved {
  /** Name of the schema file that contains the target. */
  readonly name: string;
  /** JSON pointer within the file; `''` for the whole file. */
  readonly pointer: string;
  /** The schema at the pointer; its own references are relative to the file. */
  readonly schema: JsonSchema;
}

/** The names of all schemas, in the order of `schemaFiles`. A schema's name is its file name without `.json`. */
export function schemaNames(): readonly string[] {
  return [...schemaFiles().keys()];
}

export function schema(name: string): JsonSchema {
  return schemaFile(name).schema;
}

/** Resolves a `$ref` in the file of `fromName`. Throws UnknownSchema if it has no target. */
export function resolveRef(fromName: string, ref: string): Resolved {
  const [path = '', fragment = ''] = ref.split('#');
  const pointer = decodeURIComponent(fragment);
  const from = schemaFile(fromName);
  const target = path === '' ? from : fileAt(posix.join(posix.dirname(from.path), decodeURIComponent(path)));
  const schema = target && valueAtPointer(target.schema, pointer);
  if (target === undefined || !isObject(schema)) {
    throw new UnknownSchema(`$ref "${ref}" in schema ${fromName} leads nowhere.`);
  }
  return { name: target.name, pointer, schema };
}

export function schemaFile(name: string): SchemaFile {
  const file = schemaFiles().get(name);
  if (file === undefined) {
    throw new UnknownSchema(`Unknown schema ${name}. Known schemas: ${schemaNames().join(', ')}.`);
  }
  return file;
}

export function readOpenApi(): unknown {
  return JSON.parse(readFileSync(join(schemasFolder(), 'openapi.json'), 'utf8'));
}

function fileAt(path: string): SchemaFile | undefined {
  const file = schemaFiles().get(posix.basename(path, '.json'));
  return file?.path === path ? file : undefined;
}

/** All schemas by name: the built-in ones, sorted, then those of each extension. */
const schemaFiles = perSpecification((): ReadonlyMap<string, SchemaFile> => {
  builtInFiles ??= readSchemaFiles();
  return new Map(
    [...builtInFiles, ...extensions().flatMap(({ schemas }) => schemas)].map((file) => [file.name, file]),
  );
});

function readSchemaFiles(): readonly SchemaFile[] {
  const files = readdirSync(schemasFolder(), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== EXAMPLES_FOLDER)
    .flatMap(({ name: family }) =>
      readdirSync(join(schemasFolder(), family))
        .filter((file) => file.endsWith('.json'))
        .map((file) => readSchemaFile(`${family}/${file}`)),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const paths = new Map(files.map(({ name, path }) => [name, path]));
  for (const { name, path } of files)
    if (paths.get(name) !== path)
      throw new Error(`Two schemas are named ${name}: ${path} and ${paths.get(name)}. Rename one.`);
  return files;
}

function readSchemaFile(path: string): SchemaFile {
  const text = readFileSync(join(schemasFolder(), path), 'utf8');
  // as: a test compiles every file
  return { name: posix.basename(path, '.json'), path, schema: JSON.parse(text) as JsonSchema };
}
