import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { parseJsonFile } from '../exchange/json-file.ts';
import { readRegularFile } from '../exchange/regular-file.ts';
import { describeSchemaError, messageOf } from '../schemas/error-message.ts';
import { createAjv, extensions, ownOperations, perSpecification, schemaNames } from '../schemas/index.ts';

export class ExtensionError extends Error {
  override readonly name = 'ExtensionError';
}

interface ExtensionFileContent {
  readonly format: 1;
  readonly name: string;
  readonly openapi?: string;
  readonly suites?: readonly string[];
  readonly models?: Readonly<Record<string, string>>;
  readonly scenarioSeconds?: number;
}

export interface ExtensionFile {
  /** The path of the file, or `assay:` and a name, as the user gave it. */
  readonly where: string;
  /** Family of the operations, and first word of all ids. */
  readonly name: string;
  /** Null if the extension has only suites. */
  readonly openapi: string | null;
  readonly suites: readonly string[];
  /** Model ids by role; the roles do not include the name of the extension. */
  readonly models: Readonly<Record<string, string>>;
  readonly scenarioSeconds: number;
  /** Digest of the extension file and the files that it names, without modules that suites import. */
  readonly digest: string;
}

/** Default timeout of a scenario: five times the default timeout of an exchange. */
const DEFAULT_SCENARIO_SECONDS = 300;

/** Prefix of the extensions of the package: `--extension assay:embeddings`. */
const SHIPPED_PREFIX = 'assay:';
const SHIPPED_EXTENSIONS = ['embeddings', 'rerank'];

function locateShipped(where: string): string {
  const name = where.slice(SHIPPED_PREFIX.length);
  if (!SHIPPED_EXTENSIONS.includes(name))
    throw new ExtensionError(
      `${where} is not an extension of assay, which has ${SHIPPED_EXTENSIONS.map((shipped) => SHIPPED_PREFIX + shipped).join(', ')}: name one of these, or a file.`,
    );
  return createRequire(import.meta.url).resolve(`#extension/shipped/${name}/extension.json`);
}

export function readExtensionFile(where: string): ExtensionFile {
  const path = where.startsWith(SHIPPED_PREFIX) ? locateShipped(where) : where;
  // `statSync` throws for a path that leads through a file.
  if (existsSync(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new ExtensionError(`${where} is a folder. Name the extension.json in it.`);
  const text = readFileNamedBy(path, where);
  const content: unknown = parseJsonFile(text, where, ExtensionError);
  const validate = fileValidator();
  if (!validate(content))
    throw new ExtensionError(`${where} is not a valid extension: ${describeSchemaError(validate.errors)}.`);
  const { name, openapi, suites = [], models = {}, scenarioSeconds = DEFAULT_SCENARIO_SECONDS } = content;
  if (reservedNames().has(name))
    throw new ExtensionError(`${where}: the name ${name} is taken by assay itself; choose another one.`);
  const folder = dirname(resolve(path));
  const resolvePath = (relative: string): string => resolve(folder, relative);
  // Modules that suites import are unknown until a suite runs.
  const files = [...(openapi === undefined ? [] : [openapi]), ...suites];
  const hash = createHash('sha256').update(text);
  for (const file of files) hash.update(`\n${file}\n`).update(readFileNamedBy(resolvePath(file), where));
  return {
    where,
    name,
    openapi: openapi === undefined ? null : resolvePath(openapi),
    suites: suites.map(resolvePath),
    models,
    scenarioSeconds,
    digest: hash.digest('hex').slice(0, 16),
  };
}

export function readFileNamedBy(path: string, where: string): string {
  try {
    return readRegularFile(path);
  } catch (error) {
    const problem =
      path === where ? `${where} cannot be read` : `${where} names ${path}, which cannot be read`;
    throw new ExtensionError(`${problem}: ${messageOf(error)}`);
  }
}

const fileValidator = perSpecification(() => {
  const path = createRequire(import.meta.url).resolve('#extension/extension.schema.json');
  const ajv = createAjv({ ajv: { allErrors: false, strict: false } });
  return ajv.compile<ExtensionFileContent>(JSON.parse(readFileSync(path, 'utf8')));
});

const reservedNames = perSpecification((): ReadonlySet<string> => {
  // The schemas of an active extension have its name, and it may be loaded again.
  const activeNames = new Set(extensions().map(({ name }) => name));
  const families = ownOperations().flatMap(({ variants }) => variants.map(({ family }) => family));
  return new Set([
    'client',
    'all',
    'auto',
    ...families.flatMap((family) => [family, family.replace(/-v\d$/, '')]),
    ...schemaNames()
      .map((name) => name.split('.')[0] ?? '')
      .filter((name) => !activeNames.has(name)),
  ]);
});
