import { resolve } from 'node:path';
import { extensions, type SpecificationExtension, useExtensions } from '../schemas/index.ts';
import { probeScenarios } from '../suites/generate/probe-scenarios.ts';
import { isBaseRequest } from '../suites/generate/requests.ts';
import { makeExampleRequest } from './example-requests.ts';
import { ExtensionError, type ExtensionFile, readExtensionFile, readFileNamedBy } from './extension-file.ts';
import { parseOpenApiDocument } from './openapi-document.ts';
import { pathNotices, readOperations } from './openapi-operations.ts';
import { SchemaCollector } from './openapi-schemas.ts';
import { importSuites } from './suites.ts';

/** Loaded extensions by path and digest, because a process imports each suite only once. */
const extensionCache = new Map<string, SpecificationExtension>();

/** Activates exactly these extensions for the calling thread. Rejects with ExtensionError or MissingPeer. */
export async function loadExtensions(paths: readonly string[]): Promise<void> {
  const extensionFiles = paths.map(readExtensionFile);
  const duplicate = extensionFiles.find(
    ({ name }, i) => extensionFiles.findIndex((other) => other.name === name) !== i,
  );
  if (duplicate !== undefined)
    throw new ExtensionError(
      `Two extensions are named ${duplicate.name}: rename the second one, ${duplicate.where}, or leave it out.`,
    );
  // If an extension cannot be loaded, those loaded before this call stay in effect.
  const before = extensions();
  const active: SpecificationExtension[] = [];
  try {
    for (const extensionFile of extensionFiles) {
      const key = `${resolve(extensionFile.where)} ${extensionFile.digest}`;
      const extension = extensionCache.get(key) ?? (await loadExtension(extensionFile, active));
      extensionCache.set(key, extension);
      active.push(extension);
    }
    useExtensions(active);
  } catch (error) {
    useExtensions(before);
    throw error;
  }
}

/** Imports the suites of an extension while its operations and the `earlier` extensions are active. */
async function loadExtension(
  extensionFile: ExtensionFile,
  earlier: readonly SpecificationExtension[],
): Promise<SpecificationExtension> {
  const { documentOperations, document, schemas, patterns, unjudged } = await readOpenApi(extensionFile);
  const { name, digest, suites, where: file } = extensionFile;
  const models = Object.fromEntries(
    Object.entries(extensionFile.models).map(([role, id]) => [`${name}.${role}`, id]),
  );
  const operations = documentOperations.map(({ operation }) => operation);
  const notices = document === null ? [] : pathNotices(document, operations);
  const facts = { name, file, suites, digest, operations, schemas, patterns, models, notices };
  useExtensions([...earlier, { ...facts, exports: [] }]);
  const exports = await importSuites(extensionFile);
  // A base request of a suite takes precedence over examples, because it also has companions and prerequisites.
  const baseRequests = exports.filter(isBaseRequest);
  const examples = documentOperations
    .filter(({ operation }) => !baseRequests.some((base) => base.operation === operation.id))
    .flatMap((documentOperation) =>
      document === null ? [] : (makeExampleRequest(document, documentOperation, schemas) ?? []),
    );
  const probes = probeScenarios([...baseRequests, ...examples]);
  return { ...facts, exports: [...exports, ...probes, ...unjudged] };
}

/** Without a document there are no operations, and the suites judge built-in ones. */
async function readOpenApi(extensionFile: ExtensionFile) {
  const { openapi, name, models, where } = extensionFile;
  if (openapi === null)
    return { documentOperations: [], document: null, schemas: [], patterns: new Map(), unjudged: [] };
  const document = await parseOpenApiDocument(readFileNamedBy(openapi, where), openapi);
  const collector = new SchemaCollector(document, name, Object.keys(models));
  const documentOperations = readOperations({ document, extension: name, schemas: collector });
  return { documentOperations, document, ...collector.finish() };
}
