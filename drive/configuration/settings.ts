import { messageOf } from '../../schemas/error-message.ts';
import { type CostClass, families, operations } from '../../schemas/index.ts';
import { isObject } from '../../schemas/json.ts';
import { editDistance, nearestNames, sortByDistance } from '../../schemas/nearest-names.ts';
import { type RoleModels, roleNames } from '../scenario/scenario.ts';
import { InvalidBaseUrl, parseBaseUrl } from './base-url.ts';
import {
  ConfigurationError,
  DEFAULT_BETA_HEADER,
  type GateSettings,
  type Settings,
} from './configuration.ts';
import { CLAIM_PROFILES, withoutProfiles } from './profiles.ts';

/** The sources of settings. Flags take precedence over the environment, the environment over the file. */
export interface SettingSources {
  /** By camel-case name. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** Environment variables; an empty one counts as not set. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Name and content of `assay.config.ts|json`; null for none. */
  readonly file: { readonly name: string; readonly values: unknown } | null;
  /**
   * The source of the flags, for the error about an unknown one: `the configuration`. Absent for a command, whose parser
   * rejects unknown flags.
   */
  readonly flagsOf?: string;
  /** The default claim; `all` if absent. */
  readonly claim?: 'all' | 'auto';
  /** The default report folder; `assay-report` if absent. */
  readonly reportDir?: string;
  /** Whether requests carry the key; a variable that is named for it must then be set. Default true. */
  readonly sendsKey?: boolean;
  /** Reads a file named with `@`; throws if it cannot be read. */
  readonly readText: (path: string) => string;
}

export const COST_CLASSES: readonly CostClass[] = [
  'free',
  'tokens',
  'images',
  'audio',
  'training',
  'batches',
  'bulk',
  'large',
];

const TOLERATED = ['lenient-validation', 'clients'] as const;
const levels = ['must', 'should', 'never'] as const;

export const REPORT_FORMATS = [
  'terminal',
  'json',
  'junit',
  'html',
  'markdown',
  'ctrf',
  'badge',
  'github',
  'problems',
  'sarif',
  'allure',
  'otlp',
  'support',
  'comment',
] as const;

export type ReportOutput = (typeof REPORT_FORMATS)[number];

const CONFIGURATION_FORMAT = 1;
export const REPORT_FOLDER = 'assay-report';
const DEFAULT_KEY_VARIABLE = 'ASSAY_API_KEY';
/** Environment variables that are searched for a key, in this order. */
export const KEY_VARIABLES = [DEFAULT_KEY_VARIABLE, 'OPENAI_API_KEY'];

/** Reads the settings of a run. Throws ConfigurationError, which names source and value. */
export function readSettings(sources: SettingSources): Settings {
  const read = lookup(sources);
  const standing = lookup({ ...sources, flags: {} });
  const dryRun = read('dryRun', false, readBoolean);
  const settings = {
    baseUrl: read('baseUrl', null, url),
    ...apiKey(read('apiKeyEnv', null, namedVariable), sources, !dryRun),
    secondKey: secondKey(read('secondKeyEnv', null, namedVariable), sources, !dryRun),
    headers: read('header', [], readPairs(':', /\n/)),
    betaHeader: read('betaHeader', DEFAULT_BETA_HEADER, headerName),
    dialect: read('dialect', null, readText),
    extension: read('extension', [], readList(/\n/)),
    models: read('model', {}, models),
    modelName: read('model', null, modelName),
    claim: read('claim', sources.claim ?? ('all' as const), claim),
    standingClaim: readStandingClaim(sources),
    only: read('only', [], globs(sources.readText)),
    skip: read('skip', [], globs(sources.readText)),
    scenario: read('scenario', [], readList()),
    allow: read('allow', null, readSeveral<CostClass | 'none'>([...COST_CLASSES, 'none'])),
    maxRequests: read('maxRequests', null, readNumber(1, 'whole')),
    maxTokens: read('maxTokens', null, readNumber(1, 'whole')),
    rateLimit: read('rateLimit', null, readNumber(0.01, 'any')),
    concurrency: read('concurrency', null, readNumber(1, 'whole')),
    timeout: read('timeout', 60, readDuration(0.1)),
    waitFor: read('waitFor', 0, readDuration(0)),
    shard: read('shard', null, shard),
    ...readGate(read),
    baseline: read('baseline', null, readText),
    standingGate: readGate(standing),
    standingBaseline: standing('baseline', null, readText),
    standingExtension: readExtensionFiles({ ...sources, flags: {} }),
    compareTo: read('compareTo', null, readText),
    report: read('report', ['terminal', 'json', 'junit'], readSeveral(REPORT_FORMATS)),
    reportDir: read('reportDir', sources.reportDir ?? REPORT_FOLDER, readText),
    dryRun,
    trace: read('trace', false, readBoolean),
    // An empty variable counts as not set (no-color.org).
    color: read('color', !sources.env['NO_COLOR'], readBoolean),
  };
  read.rest();
  if (settings.secondKey !== null && settings.secondKey.key === settings.apiKey)
    throw new ConfigurationError(
      `${settings.secondKey.variable} and ${settings.keyVariable} contain the same key: --second-key-env needs one of another organization.`,
    );
  return settings;
}

/** Files of the extensions, which must be active first: claims may name their operations. */
export function readExtensionFiles(sources: SettingSources): readonly string[] {
  return lookup(sources)('extension', [], readList(/\n/));
}

/** The claim of the environment or the configuration file, else the default. */
export function readStandingClaim(sources: SettingSources): Settings['claim'] {
  return lookup({ ...sources, flags: {} })('claim', sources.claim ?? ('all' as const), claim);
}

function readGate(read: ReturnType<typeof lookup>): GateSettings {
  return {
    failOn: read('failOn', 'must' as const, readOneOf(levels)),
    allowInconclusive: read('allowInconclusive', false, readBoolean),
    tolerate: read('tolerate', [], readSeveral(TOLERATED)),
    strictBaseline: read('strictBaseline', false, readBoolean),
  };
}

/** The variable of the key, for commands without other settings; it need not be set. */
export function readKeyVariable(sources: SettingSources): string {
  return apiKey(readNamedKey(sources), sources, false).keyVariable;
}

/** The variable that the user named for the key, and where; null for none. */
export function readNamedKey(sources: SettingSources): NamedVariable | null {
  return lookup(sources)('apiKeyEnv', null, namedVariable);
}

/** Reads options from their sources; `rest` then rejects names in the file that are not options. */
function lookup(sources: SettingSources) {
  const { file, flags, env, flagsOf } = sources;
  if (file !== null && !isObject(file.values))
    throw new ConfigurationError(`${file.name} must contain a JSON object, or export one.`);
  const values = file !== null && isObject(file.values) ? file.values : {};
  const { format = CONFIGURATION_FORMAT } = values;
  // Options may have different meanings in another format. A file may omit its format; `assay init` writes it.
  if (format !== CONFIGURATION_FORMAT)
    throw new ConfigurationError(
      `${file?.name} has the format ${JSON.stringify(format)}; this version of assay reads format ${CONFIGURATION_FORMAT}. Use the version that wrote it, or recreate it with assay init --force.`,
    );
  const known: string[] = ['format'];

  /** The value of an option, by precedence. Empty variables count as not set, because CI systems define them so. */
  function find(name: string): OptionValue | null {
    const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const variable = `ASSAY_${kebab.replaceAll('-', '_').toUpperCase()}`;
    if (flags[name] !== undefined) return { value: flags[name], where: `--${kebab}` };
    if (env[variable] !== undefined && env[variable] !== '') return { value: env[variable], where: variable };
    if (values[name] !== undefined) return { value: values[name], where: `${name} in ${file?.name}` };
    return null;
  }

  function read<T, D>(name: string, otherwise: D, reader: OptionReader<T>): T | D {
    if (!known.includes(name)) known.push(name);
    const given = find(name);
    return given === null ? otherwise : reader(given);
  }

  read.rest = (): void => {
    refuseUnknown(values, file?.name);
    if (flagsOf !== undefined) refuseUnknown(flags, flagsOf);
  };

  function refuseUnknown(options: Readonly<Record<string, unknown>>, where = ''): void {
    const unknown = Object.keys(options).find((name) => !known.includes(name));
    if (unknown === undefined) return;
    // Other tools call the format of a file its version.
    const meant = unknown === 'version' ? ' (did you mean format?)' : didYouMean(unknown, known);
    throw new ConfigurationError(
      `Unknown option ${JSON.stringify(unknown)} in ${where}${meant}. The options are ${known.join(', ')}.`,
    );
  }
  return read;
}

interface NamedVariable extends OptionValue {
  readonly value: string;
}

const namedVariable: OptionReader<NamedVariable> = (given) => ({ ...given, value: readText(given) });

/** The key to send. Throws ConfigurationError if it `isSent` and the named variable is not set. */
function apiKey(
  named: NamedVariable | null,
  { env, sendsKey = true }: SettingSources,
  isSent: boolean,
): Pick<Settings, 'apiKey' | 'keyVariable'> {
  const keyVariable = named?.value ?? KEY_VARIABLES.find((known) => env[known]) ?? DEFAULT_KEY_VARIABLE;
  const key = env[keyVariable];
  if (named !== null && !key && sendsKey && isSent)
    throw new ConfigurationError(`${named.where} names ${named.value}, which is not set.`);
  return { apiKey: key ? key.trim() : null, keyVariable };
}

/** The second key; null if none is named, or it need not be set. Throws ConfigurationError if it `isSent` and blank. */
function secondKey(
  named: NamedVariable | null,
  { env, sendsKey = true }: SettingSources,
  isSent: boolean,
): Settings['secondKey'] {
  const key = named === null ? '' : (env[named.value]?.trim() ?? '');
  if (named !== null && key !== '') return { key, variable: named.value };
  if (named === null || !sendsKey || !isSent) return null;
  throw new ConfigurationError(`${named.where} names ${named.value}, which is not set.`);
}

const url: OptionReader<string> = (given) => {
  try {
    return parseBaseUrl(readText(given)).href;
  } catch (error) {
    if (error instanceof InvalidBaseUrl) throw new ConfigurationError(`${given.where}: ${error.message}`);
    throw error;
  }
};

/** A token by RFC 9110, section 5.6.2; other characters would end or split the header field. */
const headerName: OptionReader<string> = (given) => {
  const name = readText(given);
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return name;
  throw invalidOption(given, 'the name of a header field');
};

const models: OptionReader<Readonly<RoleModels>> = (given) => {
  const role = readOneOf(roleNames());
  const entries = isPlainName(given) ? [] : readPairs('=', /[,\n]/)(given);
  return Object.fromEntries(
    entries.map(([name, id]) => [role({ value: name, where: `role of ${given.where}` }), id]),
  );
};

/** `--model NAME`: one model for all roles that it serves. */
const modelName: OptionReader<string | null> = (given) =>
  isPlainName(given) ? (readList()(given)[0] ?? null) : null;

/** Whether the option names one model and no role; `chat` alone is a role without a model. */
function isPlainName(given: OptionValue): boolean {
  if (isObject(given.value)) return false;
  if (typeof given.value !== 'string' && !Array.isArray(given.value))
    throw invalidOption(given, 'the id of a model, or ids by role, such as {"chat": "ID"}');
  const [first, ...more] = readList()(given);
  if (first === undefined || more.length > 0) return false;
  return !first.includes('=') && !roleNames().some((role) => role === first);
}

/** Families, operations and profiles; the error for an unknown name suggests the nearest ones. */
const claim: OptionReader<Settings['claim']> = (given) => {
  const names = readList()(given);
  if (names.length === 1 && (names[0] === 'auto' || names[0] === 'all')) return names[0];
  const known = [
    ...families(),
    ...CLAIM_PROFILES.map(({ name }) => name),
    ...operations().map(({ id }) => id),
  ];
  const unknown = names.find((name) => !known.includes(name));
  if (names.length === 0)
    throw invalidOption(given, 'all, auto, or families, operations and profiles, at least one of them');
  if (unknown === undefined) return withoutProfiles(names);
  throw invalidOption(
    { ...given, value: unknown },
    `all, auto, or families, operations and profiles${nearestNames(unknown, known)}, and assay list --profiles prints all`,
  );
};

/** Globs of requirement ids; `@file` is replaced by the lines of the file, without comments (`#`). */
function globs(readText: SettingSources['readText']): OptionReader<readonly string[]> {
  return (given) =>
    readList()(given).flatMap((glob) => {
      if (!glob.startsWith('@')) return [glob];
      const path = glob.slice(1);
      try {
        const lines = readText(path).split('\n');
        return lines.map((line) => line.replace(/(^|\s)#.*$/, '').trim()).filter((line) => line !== '');
      } catch (error) {
        throw new ConfigurationError(`${given.where}: cannot read ${path} (${messageOf(error)}).`);
      }
    });
}

/** Part i of n, from 1. Each scenario belongs to exactly one part, so the cassettes of all parts form one trace. */
const shard: OptionReader<{ readonly index: number; readonly of: number }> = (given) => {
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(readText(given))?.map(Number) ?? [];
  if (index !== undefined && of !== undefined && index >= 1 && index <= of) return { index, of };
  throw invalidOption(given, 'i/n with 1 ≤ i ≤ n, such as 1/4');
};

/** The value of an option. `where` is its source as messages name it: `--timeout`, `ASSAY_TIMEOUT`, `timeout in assay.config.json`. */
interface OptionValue {
  readonly value: unknown;
  readonly where: string;
}

/** Converts the value of an option. Throws ConfigurationError. */
type OptionReader<T> = (given: OptionValue) => T;

/** A text that is not blank, without surrounding space. */
const readText: OptionReader<string> = (given) => {
  if (typeof given.value === 'string' && given.value.trim() !== '') return given.value.trim();
  throw invalidOption(given, 'a text');
};

/** A boolean, or one of 1, true, 0 and false. */
const readBoolean: OptionReader<boolean> = (given) => {
  if (typeof given.value === 'boolean') return given.value;
  if (given.value === '1' || given.value === 'true') return true;
  if (given.value === '0' || given.value === 'false') return false;
  throw invalidOption(given, 'true or false');
};

/** Longest accepted duration, in seconds: node timers overflow after 24 days, and fire at once. */
export const MAX_DURATION = 86_400;

/** A duration in seconds, from `least` to a day. */
function readDuration(least: number): OptionReader<number> {
  const any = readNumber(least, 'any', ' of seconds');
  return (given) => {
    const value = any(given);
    if (value <= MAX_DURATION) return value;
    throw invalidOption(given, `a number of seconds, ${least} to ${MAX_DURATION}`);
  };
}

/** A number of at least `least`. Messages append `unit`. */
function readNumber(least: number, kind: 'whole' | 'any', unit = ''): OptionReader<number> {
  return (given) => {
    const value =
      typeof given.value === 'string' && given.value.trim() !== '' ? Number(given.value) : given.value;
    const fits = typeof value === 'number' && Number.isFinite(value) && value >= least;
    if (fits && (kind === 'any' || Number.isInteger(value))) return value;
    throw invalidOption(
      given,
      `${kind === 'whole' ? 'a whole number' : 'a number'}${unit}, ${least} or more`,
    );
  };
}

function readOneOf<T extends string>(names: readonly T[]): OptionReader<T> {
  return (given) => {
    const found = names.find((name) => name === given.value);
    if (found !== undefined) return found;
    throw invalidOption(given, `one of ${names.join(', ')}${didYouMean(given.value, names)}`);
  };
}

/** A list of texts, or one text with separators. */
function readList(separator: RegExp = /[,\n]/): OptionReader<readonly string[]> {
  return (given) => {
    const parts = Array.isArray(given.value) ? given.value : [given.value];
    if (!parts.every((part): part is string => typeof part === 'string'))
      throw invalidOption(given, 'a list of texts');
    return parts
      .flatMap((part) => part.split(separator))
      .map((part) => part.trim())
      .filter((part) => part !== '');
  };
}

function readSeveral<T extends string>(names: readonly T[]): OptionReader<readonly T[]> {
  const one = readOneOf(names);
  return (given) => readList()(given).map((value) => one({ ...given, value }));
}

/** Names with values: an object, or texts `name<separator>value`. */
export function readPairs(
  separator: ':' | '=',
  lines: RegExp,
): OptionReader<readonly (readonly [string, string])[]> {
  return (given) => {
    if (isObject(given.value)) {
      return Object.entries(given.value).map(
        ([name, value]) => [name, readText({ ...given, value })] as const,
      );
    }
    return readList(lines)(given).map((part) => {
      const at = part.indexOf(separator);
      if (at < 1) throw invalidOption({ ...given, value: part }, `name${separator}value`);
      return [part.slice(0, at).trim(), part.slice(at + 1).trim()] as const;
    });
  };
}

/** The error for an invalid value; `wanted` describes valid ones. */
function invalidOption(given: OptionValue, wanted: string): ConfigurationError {
  // Long values are cut: a pasted key file must not end up in logs.
  const shown = JSON.stringify(given.value) ?? 'nothing';
  const found = shown.length > 80 ? `${shown.slice(0, 80)}…` : shown;
  return new ConfigurationError(`${given.where} is ${found}; it takes ${wanted}.`);
}

/** ` (did you mean x?)` if the edit distance to a name is at most two. */
export function didYouMean(value: unknown, names: readonly string[]): string {
  if (typeof value !== 'string') return '';
  const far = (name: string) => editDistance(value.toLowerCase(), name.toLowerCase());
  const [best] = sortByDistance(names, far);
  return best === undefined || far(best) > 2 ? '' : ` (did you mean ${best}?)`;
}

/** In CI everything is judged, so that no gate passes because an endpoint disappeared. */
export function usualClaim({ CI: ci = '' }: Readonly<Record<string, string | undefined>>): 'all' | 'auto' {
  return ['', '0', 'false'].includes(ci) ? 'auto' : 'all';
}
