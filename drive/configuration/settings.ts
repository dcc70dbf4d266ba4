import { messageOf } from '../../schemas/error-message.ts';
import { type CostClass, families, operations } from '../../schemas/index.ts';
import { isObject } from '../../schemas/json.ts';
import { nearestNames } from '../../schemas/nearest-names.ts';
import { type RoleModels, roleNames } from '../scenario/scenario.ts';
import { InvalidBaseUrl, parseBaseUrl } from './base-url.ts';
import {
  ConfigurationError,
  DEFAULT_BETA_HEADER,
  type GateSettings,
  type Settings,
} from './configuration.ts';
import {
  didYouMean,
  invalidOption,
  type OptionReader,
  type OptionValue,
  readBoolean,
  readDuration,
  readList,
  readNumber,
  readOneOf,
  readPairs,
  readSeveral,
  readText,
} from './option-readers.ts';
import { CLAIM_PROFILES, withoutProfiles } from './profiles.ts';

/** The sources of settings. Flags take precedence over the environment, the environment over the file. */
export interface SettingSources {
  /** By camel-case name. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** Environment variables; an empty one counts as not set. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Name and content of `assay.config.ts|json`; null for none. */
  readonly file: { readonly name: string; readonly values: unknown } | null;
  /** Where the flags come from, if each of them must be an option: `the configuration`. Absent for a command, whose parser knows them. */
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

/** Format of the configuration file that this version reads. */
const CONFIGURATION_FORMAT = 1;
export const REPORT_FOLDER = 'assay-report';
const DEFAULT_KEY_VARIABLE = 'ASSAY_API_KEY';
/** Environment variables that are searched for a key, in this order. */
export const KEY_VARIABLES = [DEFAULT_KEY_VARIABLE, 'OPENAI_API_KEY'];

/**
 * Reads the settings of a run, without side effects other than `readText`. Throws ConfigurationError, which names
 * source and value.
 */
export function readSettings(sources: SettingSources): Settings {
  const read = lookup(sources);
  const dryRun = read('dryRun', false, readBoolean);
  const settings = {
    baseUrl: read('baseUrl', null, url),
    ...apiKey(read('apiKeyEnv', null, namedVariable), sources, dryRun ? 'unused' : 'sent'),
    secondKey: secondKey(read('secondKeyEnv', null, namedVariable), sources, dryRun ? 'unused' : 'sent'),
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
    standingGate: readGate(lookup({ ...sources, flags: {} })),
    standingBaseline: lookup({ ...sources, flags: {} })('baseline', null, readText),
    standingExtension: readExtensionFiles({ ...sources, flags: {} }),
    compareTo: read('compareTo', null, readText),
    report: read('report', ['terminal', 'json', 'junit'], readSeveral(REPORT_FORMATS)),
    reportDir: read('reportDir', sources.reportDir ?? REPORT_FOLDER, readText),
    dryRun,
    trace: read('trace', false, readBoolean),
    color: read('color', takesColours(sources.env), readBoolean),
  };
  read.rest();
  if (settings.secondKey !== null && settings.secondKey.key === settings.apiKey)
    throw new ConfigurationError(
      `${settings.secondKey.variable} and ${settings.keyVariable} contain the same key: --second-key-env needs one of another organization.`,
    );
  return settings;
}

/**
 * Files of the extensions. They must be active before the other settings are read, because claims may name their
 * operations.
 */
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
  return apiKey(readNamedKey(sources), sources, 'unused').keyVariable;
}

/** The variable that the user named for the key, and where; null for none. */
export function readNamedKey(
  sources: SettingSources,
): { readonly value: string; readonly where: string } | null {
  return lookup(sources)('apiKeyEnv', null, namedVariable);
}

/** Reads options from their sources; `rest` then rejects names in the file that are not options. */
function lookup(sources: SettingSources) {
  const { file, flags, env, flagsOf } = sources;
  if (file !== null && !isObject(file.values))
    throw new ConfigurationError(`${file.name} must contain a JSON object, or export one.`);
  const values = file !== null && isObject(file.values) ? file.values : {};
  refuseOtherFormat(values['format'], file?.name ?? '');
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
    for (const [where, names] of [
      [file?.name, values],
      [flagsOf, flagsOf === undefined ? {} : flags],
    ] as const)
      refuseUnknown(Object.keys(names), where ?? '');
  };

  function refuseUnknown(names: readonly string[], where: string): void {
    const unknown = names.find((name) => !known.includes(name));
    if (unknown === undefined) return;
    // Other tools call the format of a file its version.
    const meant = unknown === 'version' ? ' (did you mean format?)' : didYouMean(unknown, known);
    throw new ConfigurationError(
      `Unknown option ${JSON.stringify(unknown)} in ${where}${meant}. The options are ${known.join(', ')}.`,
    );
  }
  return read;
}

/** Options may have other meanings in another format. A file may omit its format; `assay init` writes it. */
function refuseOtherFormat(format: unknown, name: string): void {
  if (format === undefined || format === CONFIGURATION_FORMAT) return;
  throw new ConfigurationError(
    `${name} has the format ${JSON.stringify(format)}; this version of assay reads format ${CONFIGURATION_FORMAT}. Use the version that wrote it, or recreate it with assay init --force.`,
  );
}

/** An empty variable counts as not set (no-color.org). */
function takesColours({ NO_COLOR }: SettingSources['env']): boolean {
  return NO_COLOR === undefined || NO_COLOR === '';
}

const namedVariable: OptionReader<{ readonly value: string; readonly where: string }> = (given) => ({
  value: readText(given),
  where: given.where,
});

/** The key to send. Throws ConfigurationError if it should be sent and the named variable is not set. */
function apiKey(
  named: { readonly value: string; readonly where: string } | null,
  { env, sendsKey = true }: SettingSources,
  use: 'sent' | 'unused',
): Pick<Settings, 'apiKey' | 'keyVariable'> {
  const keyVariable = named?.value ?? KEY_VARIABLES.find((known) => env[known]) ?? DEFAULT_KEY_VARIABLE;
  const key = env[keyVariable];
  if (named !== null && !key && sendsKey && use === 'sent')
    throw new ConfigurationError(`${named.where} names ${named.value}, which is not set.`);
  return { apiKey: key ? key.trim() : null, keyVariable };
}

/** Null if no variable is named, or the variable need not be set. Throws ConfigurationError if it must be and is not. */
function secondKey(
  named: { readonly value: string; readonly where: string } | null,
  { env, sendsKey = true }: SettingSources,
  use: 'sent' | 'unused',
): Settings['secondKey'] {
  if (named === null) return null;
  const { where, value: variable } = named;
  const key = env[variable]?.trim() ?? '';
  if (key !== '') return { key, variable };
  if (!sendsKey || use === 'unused') return null;
  throw new ConfigurationError(`${where} names ${variable}, which is not set.`);
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
      const lines = contents(glob.slice(1), given.where, readText).split('\n');
      return lines.map((line) => line.replace(/(^|\s)#.*$/, '').trim()).filter((line) => line !== '');
    });
}

function contents(path: string, where: string, readText: SettingSources['readText']): string {
  try {
    return readText(path);
  } catch (error) {
    throw new ConfigurationError(`${where}: cannot read ${path} (${messageOf(error)}).`);
  }
}

/** Part i of n, from 1. Each scenario belongs to exactly one part, so the cassettes of all parts form one trace. */
const shard: OptionReader<{ readonly index: number; readonly of: number }> = (given) => {
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(readText(given))?.map(Number) ?? [];
  if (index !== undefined && of !== undefined && index >= 1 && index <= of) return { index, of };
  throw invalidOption(given, 'i/n with 1 ≤ i ≤ n, such as 1/4');
};
