import { buildTree } from '../judge/schema/build-tree.ts';
import { constraintId, constraintsOf } from '../judge/schema/constraints.ts';
import type { SchemaNode } from '../judge/schema/node.ts';
import { describeSchemaError, messageOf } from '../schemas/error-message.ts';
import { createAjv, type JsonSchema, perSpecification, type SchemaFile } from '../schemas/index.ts';
import { isObject } from '../schemas/json.ts';
import { ExtensionError } from './extension-file.ts';
import type { OpenApiDocument } from './openapi-document.ts';

const schemaChecker = perSpecification(() => createAjv({ ajv: { strict: false } }));

type Files = ReadonlyMap<string, SchemaFile>;

/** Throws ExtensionError if a schema is invalid, applies itself endlessly, cannot be judged or yields equal ids. */
export function rejectUnusableSchemas(document: OpenApiDocument, files: Files): void {
  rejectLoops(document, files);
  const library = libraryOf(files);
  for (const { name, schema } of files.values()) {
    rejectInvalidSchema(document, name, schema);
    let tree: SchemaNode;
    try {
      // Requirements are derived from such a tree later, so what it cannot express is rejected here.
      tree = buildTree(library, name, 'apart');
    } catch (error) {
      throw new ExtensionError(`${document.fileName}, ${messageOf(error)}.`);
    }
    rejectEqualIds(document, name, tree);
  }
}

export function rejectInvalidSchema(document: OpenApiDocument, name: string, schema: JsonSchema): void {
  const ajv = schemaChecker();
  if (ajv.validateSchema(schema) !== true)
    throw document.errorAt(name, `the schema is not valid: ${describeSchemaError(ajv.errors)}`);
}

/** Rejects places whose constraints would share an id, such as the property `a.b` and the property `b` of `a`. */
function rejectEqualIds(document: OpenApiDocument, name: string, tree: SchemaNode): void {
  const stepsById = new Map<string, string>();
  for (const { path, keyword, steps } of constraintsOf(tree)) {
    const [id, own] = [constraintId(name, path, keyword), JSON.stringify(steps)];
    if ((stepsById.get(id) ?? own) !== own)
      throw document.errorAt(name, `two properties have the path ${path}; rename one of them`);
    stepsById.set(id, own);
  }
}

/** Rejects schemas that apply themselves to the same value, because evaluating them would never end. */
function rejectLoops(document: OpenApiDocument, files: Files): void {
  const done = new Set<string>();
  const follow = (name: string, trail: readonly string[]): void => {
    if (trail.includes(name))
      throw document.errorAt(name, 'the schema refers to itself without going into a property');
    if (done.has(name)) return;
    for (const other of schemasAppliedBy(files.get(name)?.schema ?? {})) follow(other, [...trail, name]);
    done.add(name);
  };
  for (const name of files.keys()) follow(name, []);
}

/** Names of the schemas that a schema applies to the same value. */
function schemasAppliedBy(schema: JsonSchema): readonly string[] {
  const parts = [schema['allOf'], schema['oneOf']].flatMap((list) => (Array.isArray(list) ? list : []));
  const { $ref } = schema;
  const own = typeof $ref === 'string' ? [decodeURIComponent($ref.slice('./'.length, -'.json'.length))] : [];
  return [...own, ...parts.filter(isObject).flatMap(schemasAppliedBy)];
}

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
