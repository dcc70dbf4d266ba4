// Loads extensions and puts them into effect, for the thread that calls it.
import { resolve } from 'node:path';
import { extensions, type SpecificationExtension, useExtensions } from '../schemas/index.ts';
import { probeScenarios } from '../suites/generate/probe-scenarios.ts';
import { isBaseRequest } from '../suites/generate/requests.ts';
import { exampleRequest } from './example-requests.ts';
import { ExtensionError, type ExtensionFile, readExtensionFile, textOf } from './manifest.ts';
import { readOpenApiDocument } from './openapi-document.ts';
import { pathNotices, readOperations } from './openapi-operations.ts';
import { SchemaCollector } from './openapi-schemas.ts';

import { suiteExports } from './suites.ts';

/** Extensions that were loaded, by path and digest: suites are imported once for each process. */
const loaded = new Map<string, SpecificationExtension>();

/** Puts the extensions of these files, and no others, into effect. Throws ExtensionError, and MissingPeer. */
export async function loadExtensions(paths: readonly string[]): Promise<void> {
  const manifests = paths.map(readExtensionFile);
  const twice = manifests.find(({ name }, i) => manifests.findIndex((one) => one.name === name) !== i);
  if (twice !== undefined)
    throw new ExtensionError(`Two extensions are named ${twice.name}: ${twice.where} is the second.`);
  // An extension that cannot be loaded leaves the others in effect.
  const before = extensions();
  const wanted: SpecificationExtension[] = [];
  try {
    for (const manifest of manifests) {
      const key = `${resolve(manifest.where)} ${manifest.digest}`;
      const extension = loaded.get(key) ?? (await load(manifest, wanted));
      loaded.set(key, extension);
      wanted.push(extension);
      // The next one may not use its names.
      useExtensions([...wanted]);
    }
    useExtensions(wanted);
  } catch (error) {
    useExtensions(before);
    throw error;
  }
}

/** One extension. Its operations are in effect while its suites are imported, as these look for them. */
async function load(
  manifest: ExtensionFile,
  others: readonly SpecificationExtension[],
): Promise<SpecificationExtension> {
  const { read, document, schemas, patterns, unjudged } = await readOpenApi(manifest);
  const { name, digest, where: file } = manifest;
  const models = Object.fromEntries(
    Object.entries(manifest.models).map(([role, id]) => [`${name}.${role}`, id]),
  );
  const operations = read.map(({ operation }) => operation);
  const notices = document === null ? [] : pathNotices(document, operations);
  const bare = { name, file, digest, operations, schemas, patterns, models, notices, exports: [] };
  useExtensions([...others, bare]);
  // Scenarios and base requests are recognised among the exports; probes follow from the base requests.
  const exported = await suiteExports(manifest);
  // A base request of a suite knows more than an example: companions, samples, prerequisites.
  const written = exported.filter(isBaseRequest);
  const examples = read
    .filter(({ operation }) => !written.some((base) => base.operation === operation.id))
    .flatMap((one) => (document === null ? [] : (exampleRequest(document, one, schemas) ?? [])));
  const probes = probeScenarios([...written, ...examples]);
  return { ...bare, exports: [...exported, ...probes, ...unjudged] };
}

/** The operations and schemas of an extension; none without a document, as suites may judge operations of assay, too. */
async function readOpenApi(manifest: ExtensionFile) {
  const { openapi, name, models, where } = manifest;
  if (openapi === null) return { read: [], document: null, schemas: [], patterns: new Map(), unjudged: [] };
  const document = await readOpenApiDocument(textOf(openapi, where), openapi);
  const collector = new SchemaCollector(document, name, Object.keys(models));
  const read = readOperations({ document, extension: name, schemas: collector });
  return { read, document, ...collector.finish() };
}
