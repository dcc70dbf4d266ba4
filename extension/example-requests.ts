// Makes base requests from the examples of a document, for operations without a base request in a suite.
import type { RoleName } from '../drive/scenario/model-roles.ts';
import type { ScenarioContext } from '../drive/scenario/scenario.ts';
import type { Json } from '../exchange/http/body.ts';
import type { JsonSchema, SchemaFile } from '../schemas/index.ts';
import { isObject } from '../schemas/json.ts';
import { type BaseRequest, baseRequest, type RequestFields } from '../suites/generate/requests.ts';
import type { DocumentObject, OpenApiDocument } from './openapi-document.ts';
import type { DocumentOperation } from './openapi-operations.ts';

type Fields = Readonly<Record<string, Json>>;

/** Header fields that OpenAPI does not count as parameters ("Parameter Object"). */
const STANDARD_HEADERS = /^(?:accept|authorization|content-type)$/i;

/**
 * Null if the body is a form, if its example is not an object, if a path parameter or required parameter has no
 * example that is a string, number or boolean, or if a cookie or a header field is required that assay does not send.
 */
export function makeExampleRequest(
  document: OpenApiDocument,
  { operation, definition, parameters }: DocumentOperation,
  schemas: readonly SchemaFile[],
): BaseRequest | null {
  const body = operation.variants[0]?.body ?? null;
  // Examples cannot contain files.
  if (body?.carrier === 'multipart') return null;
  const sentParameters = parameters.filter(
    ({ in: place, name, required }) =>
      place === 'path' || (required === true && !(place === 'header' && STANDARD_HEADERS.test(String(name)))),
  );
  // A service may refuse an invented value or the lack of a header field, and this would count against it.
  if (sentParameters.some(({ in: place }) => place !== 'path' && place !== 'query')) return null;
  const values = sentParameters.map(
    (parameter) => [String(parameter['name']), exampleOf(document, parameter), parameter['in']] as const,
  );
  // The parameter's style decides how lists and objects are written.
  if (!values.every(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))) return null;
  const valuesIn = (place: string): Readonly<Record<string, string>> =>
    Object.fromEntries(values.flatMap(([name, value, at]) => (at === place ? [[name, String(value)]] : [])));
  const fields = body === null ? {} : bodyExample(document, definition);
  if (fields === null) return null;
  const schema = schemas.find(({ name }) => name === body?.schema)?.schema ?? {};
  return baseRequest({
    operation: operation.id,
    roles: Object.values(modelFields(schema)) as RoleName[], // as: the loader has checked that the extension has the role
    ready: (context) => ({
      path: valuesIn('path'),
      query: valuesIn('query'),
      fields: requiredOf(withModels(fields, schema, context), schema),
      samples: samplesOf(fields),
    }),
  });
}

function bodyExample(document: OpenApiDocument, definition: DocumentObject): Fields | null {
  const body = document.resolve(definition['requestBody'], 'requestBody');
  const content = document.resolve(body['content'] ?? {}, 'requestBody');
  const value = exampleOf(document, document.resolve(content['application/json'] ?? {}, 'requestBody'));
  return isObject(value) ? (value as Fields) : null; // as: a document is JSON
}

/**
 * The example of a parameter or body: `example`, else the first of `examples`, else the example or default of
 * the schema.
 */
function exampleOf(document: OpenApiDocument, { example, examples, schema }: DocumentObject): unknown {
  if (example !== undefined) return example;
  const [first] = isObject(examples) ? Object.values(examples) : [];
  const { value } = resolveOptional(document, first);
  if (value !== undefined) return value;
  if (!isObject(schema)) return undefined;
  const { examples: list, ...more } = { ...resolveOptional(document, schema), ...schema };
  const [listed] = Array.isArray(list) ? list : [];
  return more['example'] ?? listed ?? more['default'];
}

/** The object behind local references; empty if there is none, because an example is optional. */
function resolveOptional(document: OpenApiDocument, value: unknown): DocumentObject {
  try {
    return document.resolve(value, 'examples');
  } catch {
    return {}; // `resolve` throws only ExtensionError.
  }
}

function modelFields(schema: JsonSchema): Readonly<Record<string, string>> {
  const names = requiredNames(schema);
  const properties = partsOf(schema).flatMap((part) =>
    isObject(part['properties']) ? Object.entries(part['properties']) : [],
  );
  return Object.fromEntries(
    properties.flatMap(([name, property]) => {
      const role = isObject(property) ? property['x-model-role'] : undefined;
      return typeof role === 'string' && names.includes(name) ? [[name, role]] : [];
    }),
  );
}

function withModels(fields: Fields, schema: JsonSchema, context: ScenarioContext): Fields {
  const models = Object.entries(modelFields(schema)).map(
    ([name, role]) => [name, context.model(role as RoleName)] as const, // as: the loader has checked the role
  );
  return { ...fields, ...Object.fromEntries(models) };
}

/** Keeps the required fields: probes vary the smallest valid request, so that a refusal has only one reason. */
function requiredOf(fields: Fields, schema: JsonSchema): RequestFields {
  const names = requiredNames(schema);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

function requiredNames(schema: JsonSchema): readonly unknown[] {
  return partsOf(schema).flatMap(({ required }) => (Array.isArray(required) ? required : []));
}

function partsOf(schema: JsonSchema): readonly JsonSchema[] {
  const { allOf } = schema;
  return [schema, ...(Array.isArray(allOf) ? allOf.filter(isObject).flatMap(partsOf) : [])];
}

function samplesOf(fields: Fields): Readonly<Record<string, (i: number) => Json>> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      const sample = [name, () => value] as const;
      if (!Array.isArray(value) || value.length === 0) return [sample];
      return [sample, [`${name}[]`, (i: number) => value[i % value.length] ?? null] as const];
    }),
  );
}
