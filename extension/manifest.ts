// Reads the file that describes an extension.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { jsonSyntaxError } from '../exchange/http/json-text.ts';
import { messageOf } from '../schemas/error-message.ts';
import { createAjv, extensions, ownOperations, perSpecification, schemaNames } from '../schemas/index.ts';

/** An extension that cannot be used; the message names the file, the place and the problem. */
export class ExtensionError extends Error {
  override readonly name = 'ExtensionError';
}

/** The content of an extension file; `extension.schema.json` describes it. */
interface ExtensionFileContent {
  /** Of this file; a later version may give its keys another meaning. */
  readonly format: 1;
  /** Family of the operations. */
  readonly name: string;
  /** Path below the folder of this file. */
  readonly openapi?: string;
  readonly suites?: readonly string[];
  readonly models?: Readonly<Record<string, string>>;
  readonly scenarioSeconds?: number;
}

/** An extension file that was read, with the files that it names as absolute paths. */
export interface ExtensionFile {
  /** The file as the user named it. */
  readonly where: string;
  /** Family of the operations, and first word of all ids. */
  readonly name: string;
  /** Null for suites alone. */
  readonly openapi: string | null;
  /** In the order in which they are imported. */
  readonly suites: readonly string[];
  /** Model ids by role, without the name of the extension. */
  readonly models: Readonly<Record<string, string>>;
  /** Seconds after which a scenario is given up. */
  readonly scenarioSeconds: number;
  /** Of the extension file and of the files that it names; modules that suites import are not part of it. */
  readonly digest: string;
}

/** A poll takes up to twice the timeout of an exchange, and a scenario a few of them. Seconds that a scenario may take unless the extension says otherwise. */
const SCENARIO_SECONDS = 300;

/** Reads an extension file. Throws ExtensionError. */
export function readExtensionFile(where: string): ExtensionFile {
  const text = textOf(where, where);
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new ExtensionError(`${where} is not valid JSON: ${jsonSyntaxError(error)}`);
  }
  const { fits } = shape();
  if (!fits(file)) throw new ExtensionError(`${where} is not a valid extension: ${fits.problem()}.`);
  const { name, openapi, suites = [], models = {}, scenarioSeconds = SCENARIO_SECONDS } = file;
  if (takenNames().has(name))
    throw new ExtensionError(`${where}: the name ${name} is taken by assay itself; choose another one.`);
  const folder = dirname(resolve(where));
  const path = (relative: string): string => resolve(folder, relative);
  // A digest of all that decides what is judged, as far as it is known without running it.
  const files = [...(openapi === undefined ? [] : [openapi]), ...suites];
  const digest = createHash('sha256').update(text);
  for (const one of files) digest.update(`\n${one}\n`).update(textOf(path(one), where));
  return {
    where,
    name,
    openapi: openapi === undefined ? null : path(openapi),
    suites: suites.map(path),
    models,
    scenarioSeconds,
    digest: digest.digest('hex').slice(0, 16),
  };
}

/** The text of a file. `where`: the file that names it. */
export function textOf(path: string, where: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const named = path === where ? '' : `${where} names `;
    throw new ExtensionError(`${named}${path}, which cannot be read: ${messageOf(error)}`);
  }
}

/** A check of the form of an extension file, compiled once. */
const shape = perSpecification(() => {
  const path = createRequire(import.meta.url).resolve('#extension/extension.schema.json');
  const ajv = createAjv({ ajv: { allErrors: false, strict: false } });
  const validate = ajv.compile<ExtensionFileContent>(JSON.parse(readFileSync(path, 'utf8')));
  const problem = (): string => {
    const [error] = validate.errors ?? [];
    const place = error?.instancePath === '' ? 'at its root' : `at ${error?.instancePath}`;
    // The message of ajv does not name it.
    const name: unknown = error?.params['additionalProperty'];
    return `${place} it ${error?.message}${typeof name === 'string' ? `: ${name}` : ''}`;
  };
  const fits = Object.assign((file: unknown): file is ExtensionFileContent => validate(file), { problem });
  return { fits };
});

/** First words of the ids of assay: an extension with one of them could not be distinguished from it. */
const takenNames = perSpecification((): ReadonlySet<string> => {
  // Those that are in effect now are loaded again.
  const added = new Set(extensions().map(({ name }) => name));
  const families = ownOperations().flatMap(({ variants }) => variants.map(({ family }) => family));
  return new Set([
    'client',
    'all',
    'auto',
    ...families.flatMap((family) => [family, family.replace(/-v\d$/, '')]),
    ...schemaNames()
      .map((name) => name.split('.')[0] ?? '')
      .filter((name) => !added.has(name)),
  ]);
});
