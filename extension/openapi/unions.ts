// Decides which unions of a document can be judged: those whose branch a value names by its JSON type or by a tag.
import { isObject } from '../../schemas/json.ts';
import type { OpenApiDocument } from './document.ts';

/** An object of the document. */
type JsonObject = Readonly<Record<string, unknown>>;

/** How a union is judged: by the types of its branches, by a property, or not at all. */
export type UnionForm = { readonly by: 'type' } | { readonly by: 'tag'; readonly property: string } | null;

/** The form of a union. `place`: for messages. */
export function unionForm(
  document: OpenApiDocument,
  schema: JsonObject,
  branches: readonly unknown[],
  place: string,
): UnionForm {
  const property = isObject(schema['discriminator']) ? schema['discriminator']['propertyName'] : undefined;
  if (typeof property === 'string')
    return branches.every((one) => isTagged(document.object(one, place), property, document))
      ? { by: 'tag', property }
      : null;
  const types = branches.map((one) => allowedTypes(document, one, place));
  const all = types.flatMap((some) => some ?? []);
  // A whole number is both an integer and a number.
  const counted = all.map((type) => (type === 'integer' ? 'number' : type));
  const isClear = types.every((some) => some !== null) && new Set(counted).size === counted.length;
  return isClear ? { by: 'type' } : null;
}

/** The JSON types that a schema allows; null where it does not say. */
function allowedTypes(document: OpenApiDocument, value: unknown, place: string): readonly string[] | null {
  const schema = document.object(value, place);
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.map(String);
  const listed = 'const' in schema ? [schema['const']] : schema['enum'];
  // Listed values have a type, whether or not it is written.
  if (Array.isArray(listed)) return [...new Set(listed.map(typeOfValue))];
  // All parts hold, so that one that names the type is enough.
  const parts = schema['allOf'];
  if (Array.isArray(parts))
    return parts.map((part) => allowedTypes(document, part, place)).find((some) => some !== null) ?? null;
  const branches = schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(branches)) return isObject(schema['properties']) ? ['object'] : null;
  const all = branches.map((branch) => allowedTypes(document, branch, place));
  return all.every((some) => some !== null) ? all.flatMap((some) => some ?? []) : null;
}

/** The JSON type of a value. */
export function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Whether a branch fixes the value of a property. */
function isTagged(branch: JsonObject, property: string, document: OpenApiDocument): boolean {
  const { properties } = branch;
  const written = isObject(properties) ? properties[property] : undefined;
  if (!isObject(written)) return false;
  const tag = document.object(written, property);
  return typeof tag['const'] === 'string' || (Array.isArray(tag['enum']) && tag['enum'].length > 0);
}
