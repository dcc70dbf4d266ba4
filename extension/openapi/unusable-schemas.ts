// Refuses schemas by which no value could be judged: those that are not valid, and those that never end.
import { buildTree } from '../../judge/schema/build.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { createAjv, type JsonSchema, type SchemaFile } from '../../schemas/index.ts';
import { isObject } from '../../schemas/json.ts';
import { ExtensionError } from '../extension-error.ts';
import type { OpenApiDocument } from './document.ts';

/** Schemas by name. */
type Files = ReadonlyMap<string, SchemaFile>;

/** Throws ExtensionError for the first schema of a document that cannot be used. */
export function refuseUnusable(document: OpenApiDocument, files: Files): void {
  refuseLoops(document, files);
  const ajv = createAjv({ ajv: { strict: false } });
  const library = libraryOf(files);
  for (const { name, schema } of files.values()) {
    if (ajv.validateSchema(schema) !== true) {
      const [error] = ajv.errors ?? [];
      throw document.error(name, `the schema is not valid: ${error?.instancePath} ${error?.message}`);
    }
    try {
      // The same that makes its requirements.
      buildTree(library, name, 'apart');
    } catch (error) {
      throw new ExtensionError(`${document.where}, ${messageOf(error)}.`);
    }
  }
}

/** A schema that applies itself to the same value would never be evaluated to an end. */
function refuseLoops(document: OpenApiDocument, files: Files): void {
  const done = new Set<string>();
  const follow = (name: string, trail: readonly string[]): void => {
    if (trail.includes(name))
      throw document.error(name, 'the schema refers to itself without going into a property');
    if (done.has(name)) return;
    for (const other of appliedBy(files.get(name)?.schema ?? {})) follow(other, [...trail, name]);
    done.add(name);
  };
  for (const name of files.keys()) follow(name, []);
}

/** Names of the schemas that a schema applies to its own value. */
function appliedBy(schema: JsonSchema): readonly string[] {
  const parts = [schema['allOf'], schema['oneOf']].flatMap((list) => (Array.isArray(list) ? list : []));
  const { $ref } = schema;
  const own = typeof $ref === 'string' ? [decodeURIComponent($ref.slice('./'.length, -'.json'.length))] : [];
  return [...own, ...parts.filter(isObject).flatMap(appliedBy)];
}

/** The schemas as those of assay are found: they are not in effect yet. */
function libraryOf(files: Files): Parameters<typeof buildTree>[0] {
  const byPath = new Map(
    [...files.values()].map((file) => [`./${encodeURIComponent(file.name)}.json`, file]),
  );
  return {
    schema: (name) => files.get(name)?.schema ?? {},
    resolveRef: (_, ref) => {
      const { name, schema } = byPath.get(ref) ?? { name: ref, schema: {} };
      return { name, pointer: '', schema };
    },
  };
}
