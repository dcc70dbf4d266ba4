// Turns the paths of a document into operations. Every id begins with the name of the extension.
import { COST_CLASSES } from '../drive/configuration/settings.ts';
import { parseMediaType } from '../exchange/http/content.ts';
import {
  type CostClass,
  type Operation,
  ownOperations,
  type Parameter,
  type ResponseShape,
  type Variant,
} from '../schemas/index.ts';
import { isObject } from '../schemas/json.ts';
import type { DocumentObject, OpenApiDocument } from './openapi-document.ts';
import type { SchemaCollector } from './openapi-schemas.ts';

/** Methods that assay drives. Documents with others are rejected, as their operations would silently be missing. */
const METHODS = { get: 'GET', post: 'POST', delete: 'DELETE' } as const;
const OTHER_METHODS = ['put', 'patch', 'head', 'options', 'trace'];

export interface DocumentOperation {
  readonly operation: Operation;
  readonly definition: DocumentObject;
  readonly parameters: readonly DocumentObject[];
}

interface ReadContext {
  readonly document: OpenApiDocument;
  readonly extension: string;
  readonly schemas: SchemaCollector;
}

export function readOperations(context: ReadContext): readonly DocumentOperation[] {
  const { document } = context;
  const paths = document.resolve(document.root['paths'] ?? {}, '/paths');
  // Paths of a document are relative to its server, built-in paths to the base URL without `/v1`.
  const prefix = pathPrefixOf(document);
  const operations = Object.entries(paths).flatMap(([path, unresolved]) => {
    // OpenAPI permits extensions next to paths.
    if (path.startsWith('x-')) return [];
    rejectUnmatchablePath(document, path);
    const item = document.resolve(unresolved, path);
    const other = OTHER_METHODS.find((method) => item[method] !== undefined);
    if (other !== undefined)
      throw document.errorAt(`${other.toUpperCase()} ${path}`, 'assay sends only GET, POST and DELETE');
    return Object.entries(METHODS).flatMap(([verb, method]) =>
      item[verb] === undefined
        ? []
        : [readOperation(context, item, { verb, method, path: `${prefix}${path}` })],
    );
  });
  rejectDuplicates(document, operations);
  return operations;
}

/** Rejects paths that no request can match, because their operations would silently go unjudged. */
function rejectUnmatchablePath(document: OpenApiDocument, path: string): void {
  if (!path.startsWith('/')) throw document.errorAt(path, 'a path must begin with a slash');
  if (/[?#]/.test(path))
    throw document.errorAt(path, 'a path cannot contain ? or #; declare query parameters');
  if (/[{}]/.test(path.replaceAll(/(?<=\/)\{[^{}/]+\}(?=\/|$)/g, '')))
    throw document.errorAt(path, 'braces must enclose a whole segment with a name, such as /{id}');
}

/** The path of the first server; only `/v1` if it ends in that, because the base URL contains the rest. */
function pathPrefixOf(document: OpenApiDocument): string {
  const url = serverOf(document);
  if (url === null || !URL.canParse(url, 'http://localhost')) return '';
  const path = new URL(url, 'http://localhost').pathname.replace(/\/+$/, '');
  return path.endsWith('/v1') ? '/v1' : path;
}

/** The URL of the first server, with the defaults of its variables; null if there is none. */
function serverOf(document: OpenApiDocument): string | null {
  const [first] = listOf(document.root['servers']);
  if (!isObject(first) || typeof first['url'] !== 'string') return null;
  const variables = new Map(Object.entries(isObject(first['variables']) ? first['variables'] : {}));
  return first['url'].replaceAll(/\{([^{}]+)\}/g, (placeholder, name) => {
    const variable = variables.get(name);
    return (isObject(variable) ? textOf(variable['default']) : undefined) ?? placeholder;
  });
}

export function pathNotices(document: OpenApiDocument, operations: readonly Operation[]): readonly string[] {
  const first = operations.find(({ path }) => !path.startsWith('/v1/'));
  if (serverOf(document) !== null || first === undefined) return [];
  const { method, path } = first;
  return [
    `${document.fileName} names no servers, so its paths begin at the root of the host: ${method} ${path}, not ${method} /v1${path}. ` +
      'Write "servers": [{"url": "/v1"}] if they are below /v1, or [{"url": "/"}] if they are not.',
  ];
}

function rejectDuplicates(document: OpenApiDocument, operations: readonly DocumentOperation[]): void {
  // Names of path parameters do not distinguish paths.
  const address = ({ method, path }: Operation): string => `${method} ${path.replace(/\{[^{}/]+\}/g, '{}')}`;
  const problemByAddress = new Map(
    ownOperations().map((builtIn) => [address(builtIn), `assay already has this operation: ${builtIn.id}`]),
  );
  const ids = new Set<string>();
  for (const { operation } of operations) {
    const problem = problemByAddress.get(address(operation));
    if (problem !== undefined) throw document.errorAt(`${operation.method} ${operation.path}`, problem);
    problemByAddress.set(address(operation), `${operation.id} has the same method and path`);
    if (ids.has(operation.id)) throw document.errorAt(operation.id, 'two operations have this operationId');
    ids.add(operation.id);
  }
}

function readOperation(
  context: ReadContext,
  item: DocumentObject,
  { verb, method, path }: Pick<Operation, 'method' | 'path'> & { readonly verb: string },
): DocumentOperation {
  const { document, extension } = context;
  const where = `${method} ${path}`;
  const definition = document.resolve(item[verb], where);
  const { operationId } = definition;
  if (typeof operationId !== 'string' || !/^[a-z][A-Za-z0-9]*$/.test(operationId))
    throw document.errorAt(where, 'an operationId of letters and digits is needed, such as createEmbedding');
  const id = `${extension}.${operationId}`;
  // A parameter of a path applies to its operations, except one that has its own of the same name and place.
  const unresolved = [...listOf(item['parameters']), ...listOf(definition['parameters'])];
  const resolved = unresolved.map((parameter) => document.resolve(parameter, `parameters of ${where}`));
  const parametersByPlace = new Map(
    resolved.map((parameter) => [`${parameter['in']} ${parameter['name']}`, parameter]),
  );
  const parameters = [...parametersByPlace.values()];
  const spec = `${extension} ${textOf(definition['x-spec']) ?? textOf(definition['summary']) ?? operationId}`;
  context.schemas.setSection(id, spec);
  const operation: Operation = {
    id,
    method,
    path,
    otherPath: null,
    spec,
    cost: costOf(definition, method, where, document),
    parameters: parameters.flatMap((parameter) => readParameter(context, parameter, id)),
    list: null,
    variants: [
      {
        name: 'only',
        family: extension,
        beta: null,
        counted: true,
        body: readBody(context, definition, id),
        answers: readResponseShapes(context, definition, id),
      },
    ],
  };
  return { operation, definition, parameters };
}

/** Empty for header fields and cookies, which are neither sent nor judged. */
function readParameter(
  { schemas, document }: ReadContext,
  parameter: DocumentObject,
  id: string,
): readonly Parameter[] {
  const { name, in: place, required = false, schema } = parameter;
  if (typeof name !== 'string') throw document.errorAt(id, 'a parameter has no name');
  if (place !== 'path' && place !== 'query') return [];
  const valueSchema = schemas.convertParameter(schema, `${id}:${name}`);
  return [{ name, in: place, required: required === true, schema: valueSchema }];
}

/** Null if the operation takes no body. Throws ExtensionError for a body that is neither JSON nor a form. */
function readBody(
  { document, schemas }: ReadContext,
  definition: DocumentObject,
  id: string,
): Variant['body'] {
  if (definition['requestBody'] === undefined) return null;
  const place = `requestBody of ${id}`;
  const body = document.resolve(definition['requestBody'], place);
  const content = document.resolve(body['content'] ?? {}, place);
  // JSON is sent if the body can have either media type.
  const type = ['application/json', 'multipart/form-data'].find(
    (mediaType) => content[mediaType] !== undefined,
  );
  if (type === undefined)
    throw document.errorAt(place, 'only application/json and multipart/form-data can be sent');
  const { schema } = document.resolve(content[type], place);
  const name = `${id}.request`;
  schemas.addBody(schema, name);
  const carrier = type === 'application/json' ? 'json' : 'multipart';
  return { carrier, schema: name, required: body['required'] === true };
}

/** Reads the shapes of successful responses: one for each status and media type, with its condition `x-when`. */
function readResponseShapes(
  { document, schemas }: ReadContext,
  definition: DocumentObject,
  id: string,
): readonly ResponseShape[] {
  const responses = document.resolve(definition['responses'] ?? {}, `responses of ${id}`);
  const contents = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, unresolved]) => {
      const response = document.resolve(unresolved, `response ${status} of ${id}`);
      return Object.entries(document.resolve(response['content'] ?? {}, `response ${status} of ${id}`));
    });
  return contents.map(([mediaType, unresolved], i): ResponseShape => {
    const contentType = parseMediaType(mediaType)?.essence ?? mediaType;
    const { schema, 'x-events': events, 'x-when': when } = document.resolve(unresolved, `responses of ${id}`);
    const name = `${id}.response${i === 0 ? '' : i + 1}`;
    const conditions = Object.entries(isObject(when) ? when : {}).map(([field, values]) => [
      field,
      listOf(values),
    ]);
    const shape = { contentType, when: isObject(when) ? Object.fromEntries(conditions) : null };
    // A stream without event names has one schema for all data.
    if (contentType === 'text/event-stream')
      return { ...shape, schema: null, events: readEventSchemas(schemas, events ?? { '': schema }, name) };
    // Other content is judged only by its media type.
    const isJson = /[/+]json$/.test(contentType) && schema !== undefined;
    return { ...shape, schema: isJson ? schemas.addResponse(schema, name) : null, events: null };
  });
}

function readEventSchemas(
  schemas: SchemaCollector,
  eventSchemas: unknown,
  name: string,
): Readonly<Record<string, string>> {
  const events = isObject(eventSchemas) ? Object.entries(eventSchemas) : [];
  return Object.fromEntries(
    events
      .filter(([, schema]) => schema !== undefined)
      .map(([event, schema]) => [event, schemas.addResponse(schema, `${name}.${event || 'event'}`)]),
  );
}

function costOf(
  definition: DocumentObject,
  method: string,
  where: string,
  document: OpenApiDocument,
): CostClass {
  const cost = definition['x-cost'] ?? (method === 'POST' ? 'tokens' : 'free');
  const costClass = COST_CLASSES.find((name) => name === cost);
  if (costClass === undefined)
    throw document.errorAt(where, `x-cost must be one of ${COST_CLASSES.join(', ')}`);
  return costClass;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
