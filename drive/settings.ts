import { type Cost, families } from '../schemas/index.ts';
import { BadBaseUrl, baseUrl } from './base-url.ts';
import { ConfigurationError, type Settings, USUAL_BETA_HEADER } from './configuration.ts';
import {
  duration,
  type Given,
  list,
  nearest,
  number,
  oneOf,
  pairs,
  type Reader,
  several,
  text,
  truth,
  wrong,
} from './option.ts';
import { type Role, roles } from './scenario.ts';

/** Where settings come from; a flag wins over the environment, the environment over the file. */
export interface Sources {
  /** Only what was given, by camel-case name. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `assay.config.ts|json`, loaded, and its name. */
  readonly file: { readonly name: string; readonly values: unknown } | null;
  /** Text of a file named with `@`; throws when it cannot be read. */
  readonly readText: (path: string) => string;
}

export const costs: readonly Cost[] = [
  'free',
  'tokens',
  'images',
  'audio',
  'training',
  'batches',
  'bulk',
  'large',
];

const levels = ['must', 'should', 'never'] as const;

export const reports = ['terminal', 'json', 'junit', 'html', 'markdown', 'ctrf', 'badge', 'github'] as const;

export type ReportFormat = (typeof reports)[number];

/** Where a key is looked for unless its variable is named. */
export const USUAL_KEY_VARIABLE = 'ASSAY_API_KEY';
export const keyNames = [USUAL_KEY_VARIABLE, 'OPENAI_API_KEY'];

/** Reads the settings of a run. Pure but for `readText`; throws ConfigurationError naming the place. */
export function readSettings(sources: Sources): Settings {
  const read = lookup(sources);
  const settings = {
    baseUrl: read('baseUrl', null, url),
    ...apiKey(read('apiKeyEnv', null, text), sources.env),
    headers: read('header', [], pairs(':', /\n/)),
    betaHeader: read('betaHeader', USUAL_BETA_HEADER, headerName),
    dialect: read('dialect', null, text),
    models: read('model', {}, models),
    claim: read('claim', 'all' as const, claim),
    only: read('only', [], globs(sources.readText)),
    skip: read('skip', [], globs(sources.readText)),
    scenario: read('scenario', [], list()),
    allow: read('allow', null, several<Cost | 'none'>([...costs, 'none'])),
    maxRequests: read('maxRequests', null, number(1, 'whole')),
    maxTokens: read('maxTokens', null, number(1, 'whole')),
    rateLimit: read('rateLimit', null, number(0.01, 'any')),
    concurrency: read('concurrency', null, number(1, 'whole')),
    timeout: read('timeout', 60, duration(0.1)),
    waitFor: read('waitFor', 0, duration(0)),
    shard: read('shard', null, shard),
    failOn: read('failOn', 'must' as const, oneOf(levels)),
    allowInconclusive: read('allowInconclusive', false, truth),
    baseline: read('baseline', null, text),
    report: read('report', ['terminal', 'json', 'junit'], several(reports)),
    reportDir: read('reportDir', 'assay-report', text),
    dryRun: read('dryRun', false, truth),
    trace: read('trace', false, truth),
    color: read('color', sources.env['NO_COLOR'] === undefined || sources.env['NO_COLOR'] === '', truth),
  };
  read.rest();
  return settings;
}

/** Finds each option where it was given, and in the end complains about names in the file that no option has. */
function lookup(sources: Sources) {
  const { file, flags, env } = sources;
  if (file !== null && !isRecord(file.values)) throw new ConfigurationError(`${file.name} holds no object.`);
  const values = file !== null && isRecord(file.values) ? file.values : {};
  const known: string[] = [];

  function find(name: string): Given | null {
    const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const variable = `ASSAY_${kebab.replaceAll('-', '_').toUpperCase()}`;
    if (flags[name] !== undefined) return { value: flags[name], where: `--${kebab}` };
    if (env[variable] !== undefined && env[variable] !== '') return { value: env[variable], where: variable };
    if (values[name] !== undefined) return { value: values[name], where: `${name} in ${file?.name}` };
    return null;
  }

  function read<T, D>(name: string, otherwise: D, reader: Reader<T>): T | D {
    known.push(name);
    const given = find(name);
    return given === null ? otherwise : reader(given);
  }

  read.rest = (): void => {
    const unknown = Object.keys(values).find((name) => !known.includes(name));
    if (unknown === undefined) return;
    throw new ConfigurationError(
      `${file?.name} sets ${JSON.stringify(unknown)}, which is no option${nearest(unknown, known)}.`,
    );
  };
  return read;
}

function apiKey(name: string | null, env: Sources['env']): Pick<Settings, 'apiKey' | 'keyVariable'> {
  const keyVariable = name ?? keyNames.find((known) => env[known]) ?? USUAL_KEY_VARIABLE;
  const key = env[keyVariable];
  if (name !== null && !key) throw new ConfigurationError(`--api-key-env names ${name}, which is not set.`);
  return { apiKey: key ? key.trim() : null, keyVariable };
}

const url: Reader<string> = (given) => {
  try {
    return baseUrl(text(given)).href;
  } catch (error) {
    if (error instanceof BadBaseUrl) throw new ConfigurationError(`${given.where}: ${error.message}`);
    throw error;
  }
};

const headerName: Reader<string> = (given) => {
  const name = text(given);
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return name;
  throw wrong(given, 'the name of a header field');
};

const models: Reader<Readonly<Partial<Record<Role, string>>>> = (given) => {
  const role = oneOf(roles);
  const entries = pairs('=', /[,\n]/)(given);
  return Object.fromEntries(
    entries.map(([name, id]) => [role({ value: name, where: `role of ${given.where}` }), id]),
  );
};

const claim: Reader<Settings['claim']> = (given) => {
  const names = list()(given);
  if (names.length === 1 && (names[0] === 'auto' || names[0] === 'all')) return names[0];
  return several(families())({ ...given, value: [...names] });
};

/** Globs over requirement ids; `@file` stands for the lines of a file, `#` begins a comment there. */
function globs(readText: Sources['readText']): Reader<readonly string[]> {
  return (given) =>
    list()(given).flatMap((glob) => {
      if (!glob.startsWith('@')) return [glob];
      const lines = contents(glob.slice(1), given.where, readText).split('\n');
      return lines.map((line) => line.replace(/(^|\s)#.*$/, '').trim()).filter((line) => line !== '');
    });
}

function contents(path: string, where: string, readText: Sources['readText']): string {
  try {
    return readText(path);
  } catch (error) {
    throw new ConfigurationError(
      `${where}: cannot read ${path} (${error instanceof Error ? error.message : error}).`,
    );
  }
}

const shard: Reader<{ readonly index: number; readonly of: number }> = (given) => {
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(text(given))?.map(Number) ?? [];
  if (index !== undefined && of !== undefined && index >= 1 && index <= of) return { index, of };
  throw wrong(given, 'i/n with 1 ≤ i ≤ n, such as 1/4');
};

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
