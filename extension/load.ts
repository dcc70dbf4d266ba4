import { resolve } from 'node:path';
import { extensions, type SpecificationExtension, useExtensions } from '../schemas/index.ts';
import { probeScenarios } from '../suites/generate/probe-scenarios.ts';
import { isBaseRequest } from '../suites/generate/requests.ts';
import { exampleRequest } from './example-requests.ts';
import { ExtensionError, type ExtensionFile, readExtensionFile, readFileNamedBy } from './manifest.ts';
import { readOpenApiDocument } from './openapi-document.ts';
import { pathNotices, readOperations } from './openapi-operations.ts';
import { SchemaCollector } from './openapi-schemas.ts';
import { suiteExports } from './suites.ts';

/** Loaded extensions by path and digest, because a process imports each suite only once. */
const loaded = new Map<string, SpecificationExtension>();

/** Activates exactly these extensions for the calling thread. Rejects with ExtensionError or MissingPeer. */
export async function loadExtensions(paths: readonly string[]): Promise<void> {
  const manifests = paths.map(readExtensionFile);
  const twice = manifests.find(({ name }, i) => manifests.findIndex((one) => one.name === name) !== i);
  if (twice !== undefined)
    throw new ExtensionError(`Two extensions are named ${twice.name}: ${twice.where} is the second.`);
  // If an extension cannot be loaded, those loaded before this call stay in effect.
  const before = extensions();
  const wanted: SpecificationExtension[] = [];
  try {
    for (const manifest of manifests) {
      const key = `${resolve(manifest.where)} ${manifest.digest}`;
      const extension = loaded.get(key) ?? (await load(manifest, wanted));
      loaded.set(key, extension);
      wanted.push(extension);
      // Each extension sees the names of those before it.
      useExtensions([...wanted]);
    }
    useExtensions(wanted);
  } catch (error) {
    useExtensions(before);
    throw error;
  }
}

/** Loads an extension. Its operations are active while its suites are imported, because suites look them up. */
async function load(
  manifest: ExtensionFile,
  others: readonly SpecificationExtension[],
): Promise<SpecificationExtension> {
  const { read, document, schemas, patterns, unjudged } = await readOpenApi(manifest);
  const { name, digest, suites, where: file } = manifest;
  const models = Object.fromEntries(
    Object.entries(manifest.models).map(([role, id]) => [`${name}.${role}`, id]),
  );
  const operations = read.map(({ operation }) => operation);
  const notices = document === null ? [] : pathNotices(document, operations);
  const withoutExports = {
    name,
    file,
    suites,
    digest,
    operations,
    schemas,
    patterns,
    models,
    notices,
    exports: [],
  };
  useExtensions([...others, withoutExports]);
  // Probes are derived from the base requests among the exports.
  const exported = await suiteExports(manifest);
  // Base requests of a suite take precedence over examples: they also have companions, samples and prerequisites.
  const written = exported.filter(isBaseRequest);
  const examples = read
    .filter(({ operation }) => !written.some((base) => base.operation === operation.id))
    .flatMap((one) => (document === null ? [] : (exampleRequest(document, one, schemas) ?? [])));
  const probes = probeScenarios([...written, ...examples]);
  return { ...withoutExports, exports: [...exported, ...probes, ...unjudged] };
}

/** Reads the operations. Without a document there are none, and the suites judge built-in operations. */
async function readOpenApi(manifest: ExtensionFile) {
  const { openapi, name, models, where } = manifest;
  if (openapi === null) return { read: [], document: null, schemas: [], patterns: new Map(), unjudged: [] };
  const document = await readOpenApiDocument(readFileNamedBy(openapi, where), openapi);
  const collector = new SchemaCollector(document, name, Object.keys(models));
  const read = readOperations({ document, extension: name, schemas: collector });
  return { read, document, ...collector.finish() };
}
