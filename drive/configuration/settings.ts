import { type HeaderPairs, isToken } from '../../exchange/http/headers.ts';
import { addedHeaders, InvalidHeader } from '../../exchange/redaction/added-headers.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { type CostClass, families, operations } from '../../schemas/index.ts';
import { isObject } from '../../schemas/json.ts';
import { suggestNames } from '../../schemas/nearest-names.ts';
import { type RoleModels, roleNames } from '../scenario/model-roles.ts';
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
  readNames,
  readNonBlank,
  readNumber,
  readOneOf,
  readPairs,
  unsetVariable,
} from './option-readers.ts';
import { CLAIM_PROFILES, expandProfiles } from './profiles.ts';
import {
  DEFAULT_KEY_VARIABLE,
  KEY_VARIABLES,
  kebabCase,
  OPTION_NAMES,
  type OptionName,
  readVariable,
  variableOf,
} from './variables.ts';

/** The sources of settings. Flags take precedence over the environment, the environment over the file. */
export interface SettingSources {
  /** Values of flags by camel-case name. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** Environment variables; an empty one counts as not set. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Name and content of `assay.config.ts|mjs|json`; null for none. */
  readonly file: { readonly name: string; readonly values: unknown } | null;
  /** The source of the flags, for errors about unknown ones. Absent for a command, whose parser rejects these. */
  readonly flagsSource?: string;
  /** The default claim; `all` if absent. */
  readonly claim?: 'all' | 'auto';
  /** The default report folder; `assay-report` if absent. */
  readonly reportDir?: string;
  /** Whether requests carry the key; except in a dry run, a variable named for it must then be set. Default true. */
  readonly sendsKey?: boolean;
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

const TOLERATED_FAILURES = ['lenient-validation', 'clients'] as const;
const FAILING_LEVELS = ['must', 'should', 'never'] as const;

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

export function readSettings(sources: SettingSources): Settings {
  const read = createLookup(sources);
  const readStanding = createLookup({ ...sources, flags: {} });
  const dryRun = read('dryRun', false, readBoolean);
  const isKeyRequired = (sources.sendsKey ?? true) && !dryRun;
  const settings = {
    baseUrl: read('baseUrl', null, readUrl),
    ...resolveApiKey(read('apiKeyEnv', null, readVariableName), sources.env, isKeyRequired),
    secondKey: resolveSecondKey(read('secondKeyEnv', null, readVariableName), sources.env, isKeyRequired),
    headers: readHeaderFields(sources),
    betaHeader: read('betaHeader', DEFAULT_BETA_HEADER, readHeaderName),
    dialect: read('dialect', null, readNonBlank),
    extension: read('extension', [], readList(/\n/)),
    models: read('model', {}, readModels),
    modelName: read('model', null, readModelName),
    claim: read('claim', sources.claim ?? ('all' as const), readClaim),
    standingClaim: readStandingClaim(sources),
    only: read('only', [], readGlobs(sources.readText)),
    skip: read('skip', [], readGlobs(sources.readText)),
    scenario: read('scenario', [], readList()),
    allow: read('allow', null, readNames<CostClass | 'none'>([...COST_CLASSES, 'none'])),
    maxRequests: read('maxRequests', null, readNumber(1, 'whole')),
    maxTokens: read('maxTokens', null, readNumber(1, 'whole')),
    rateLimit: read('rateLimit', null, readNumber(0.01, 'any')),
    concurrency: read('concurrency', null, readNumber(1, 'whole')),
    timeout: read('timeout', 60, readDuration(0.1)),
    waitFor: read('waitFor', 0, readDuration(0)),
    shard: read('shard', null, readShard),
    ...readGate(read),
    baseline: read('baseline', null, readNonBlank),
    standingGate: readGate(readStanding),
    standingBaseline: readStanding('baseline', null, readNonBlank),
    standingExtension: readExtensionFiles({ ...sources, flags: {} }),
    compareTo: read('compareTo', null, readNonBlank),
    report: read('report', ['terminal', 'json', 'junit'], readNames(REPORT_FORMATS)),
    reportDir: read('reportDir', sources.reportDir ?? REPORT_FOLDER, readNonBlank),
    dryRun,
    trace: read('trace', false, readBoolean),
    color: read('color', !sources.env['NO_COLOR'], readBoolean),
  };
  read.refuseUnknown();
  if (settings.secondKey !== null && settings.secondKey.key === settings.apiKey)
    throw new ConfigurationError(
      `${settings.secondKey.variable} and ${settings.keyVariable} contain the same key: --second-key-env needs one of another organization.`,
    );
  return settings;
}

/** Commands activate these files before they read other settings, because claims may name their operations. */
export function readExtensionFiles(sources: SettingSources): readonly string[] {
  return createLookup(sources)('extension', [], readList(/\n/));
}

export function readStandingClaim(sources: SettingSources): Settings['claim'] {
  return createLookup({ ...sources, flags: {} })('claim', sources.claim ?? ('all' as const), readClaim);
}

function readGate(read: ReturnType<typeof createLookup>): GateSettings {
  return {
    failOn: read('failOn', 'must' as const, readOneOf(FAILING_LEVELS)),
    allowInconclusive: read('allowInconclusive', false, readBoolean),
    tolerate: read('tolerate', [], readNames(TOLERATED_FAILURES)),
    strictBaseline: read('strictBaseline', false, readBoolean),
  };
}

export function readHeaderFields(sources: SettingSources): HeaderPairs {
  return createLookup(sources)('header', [], readHeaders);
}

export function readKeyVariable(sources: SettingSources): string {
  return resolveApiKey(readNamedKey(sources), sources.env, false).keyVariable;
}

/** Throws ConfigurationError if the user named a variable that is not set. */
export function readApiKey(sources: SettingSources): string | null {
  return resolveApiKey(readNamedKey(sources), sources.env, true).apiKey;
}

function readNamedKey(sources: SettingSources): NamedVariable | null {
  return createLookup(sources)('apiKeyEnv', null, readVariableName);
}

/** Throws ConfigurationError if the file holds no object, or has another format. */
function createLookup(sources: SettingSources) {
  const { file, flags, env, flagsSource } = sources;
  if (file !== null && !isObject(file.values))
    throw new ConfigurationError(`${file.name} must contain a JSON object, or export one.`);
  const values = file !== null && isObject(file.values) ? file.values : {};
  const { format = CONFIGURATION_FORMAT } = values;
  // Options may have different meanings in another format. A file may omit its format; `assay init` writes it.
  if (format !== CONFIGURATION_FORMAT)
    throw new ConfigurationError(
      `${file?.name} has the format ${JSON.stringify(format)}; this version of assay reads format ${CONFIGURATION_FORMAT}. Use the version that wrote it, or recreate it with assay init --force.`,
    );
  const knownNames: readonly string[] = ['format', ...OPTION_NAMES];

  /** Empty variables count as not set, because CI systems define them so. */
  function findValue(name: OptionName): OptionValue | null {
    const kebab = kebabCase(name);
    const variable = variableOf(name);
    if (flags[name] !== undefined) return { value: flags[name], where: `--${kebab}` };
    if (env[variable] !== undefined && env[variable] !== '') return { value: env[variable], where: variable };
    if (values[name] !== undefined) return { value: values[name], where: `${name} in ${file?.name}` };
    return null;
  }

  function read<T, D>(name: OptionName, fallback: D, reader: OptionReader<T>): T | D {
    const option = findValue(name);
    return option === null ? fallback : reader(option);
  }

  read.refuseUnknown = (): void => {
    refuseUnknownNames(values, file?.name);
    if (flagsSource !== undefined) refuseUnknownNames(flags, flagsSource);
  };

  function refuseUnknownNames(options: Readonly<Record<string, unknown>>, where = ''): void {
    const unknown = Object.keys(options).find((name) => !knownNames.includes(name));
    if (unknown === undefined) return;
    // Other tools call the format of a file its version.
    const suggestion = unknown === 'version' ? ' (did you mean format?)' : didYouMean(unknown, knownNames);
    throw new ConfigurationError(
      `Unknown option ${JSON.stringify(unknown)} in ${where}${suggestion}. The options are ${knownNames.join(', ')}.`,
    );
  }
  return read;
}

interface NamedVariable extends OptionValue {
  readonly value: string;
}

const readVariableName: OptionReader<NamedVariable> = (option) => ({
  ...option,
  value: readNonBlank(option),
});

function resolveApiKey(
  named: NamedVariable | null,
  env: SettingSources['env'],
  isRequired: boolean,
): Pick<Settings, 'apiKey' | 'keyVariable'> {
  const keyVariable =
    named?.value ?? KEY_VARIABLES.find((known) => readVariable(known, env) !== null) ?? DEFAULT_KEY_VARIABLE;
  const apiKey = readVariable(keyVariable, env);
  if (named !== null && apiKey === null && isRequired) throw unsetVariable(named);
  return { apiKey, keyVariable };
}

function resolveSecondKey(
  named: NamedVariable | null,
  env: SettingSources['env'],
  isRequired: boolean,
): Settings['secondKey'] {
  if (named === null) return null;
  const key = readVariable(named.value, env);
  if (key === null && isRequired) throw unsetVariable(named);
  return key === null ? null : { key, variable: named.value };
}

const readUrl: OptionReader<string> = (option) =>
  nameOptionInError(option, () => parseBaseUrl(readNonBlank(option)).href);

/** Accepts only a token, because other characters would end or split the header field. */
const readHeaderName: OptionReader<string> = (option) => {
  const name = readNonBlank(option);
  if (isToken(name)) return name;
  throw invalidOption(option, 'the name of a header field');
};

/** ASSAY_HEADER is split at line breaks and not at commas, because header values may contain commas. */
const readHeaders: OptionReader<HeaderPairs> = (option) =>
  nameOptionInError(option, () => addedHeaders(null, readPairs(':', /\n/)(option)));

function nameOptionInError<T>({ where }: OptionValue, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidBaseUrl || error instanceof InvalidHeader)
      throw new ConfigurationError(`${where}: ${error.message}`);
    throw error;
  }
}

const readModels: OptionReader<Readonly<RoleModels>> = (option) => {
  const readRole = readOneOf(roleNames());
  const entries = isPlainName(option) ? [] : readPairs('=', /[,\n]/)(option);
  return Object.fromEntries(
    entries.map(([name, id]) => [readRole({ value: name, where: `role of ${option.where}` }), id]),
  );
};

const readModelName: OptionReader<string | null> = (option) =>
  isPlainName(option) ? (readList()(option)[0] ?? null) : null;

/** Whether the option is the id of one model. The bare name of a role, such as `chat`, is not. */
function isPlainName(option: OptionValue): boolean {
  if (isObject(option.value)) return false;
  if (typeof option.value !== 'string' && !Array.isArray(option.value))
    throw invalidOption(option, 'the id of a model, or ids by role, such as {"chat": "ID"}');
  const [first, ...more] = readList()(option);
  if (first === undefined || more.length > 0) return false;
  return !first.includes('=') && !roleNames().some((role) => role === first);
}

const readClaim: OptionReader<Settings['claim']> = (option) => {
  const names = readList()(option);
  if (names.length === 1 && (names[0] === 'auto' || names[0] === 'all')) return names[0];
  const knownNames = [
    ...families(),
    ...CLAIM_PROFILES.map(({ name }) => name),
    ...operations().map(({ id }) => id),
  ];
  const unknown = names.find((name) => !knownNames.includes(name));
  if (names.length === 0)
    throw invalidOption(option, 'all or auto alone, or families, operations and profiles, at least one');
  if (unknown === undefined) return expandProfiles(names);
  throw invalidOption(
    { ...option, value: unknown },
    `all or auto alone, or families, operations and profiles (assay list --profiles prints the profiles)${suggestNames(unknown, knownNames)}`,
  );
};

/** Reads globs of requirement ids; `@file` is replaced by the lines of the file, without comments (`#`). */
function readGlobs(readText: SettingSources['readText']): OptionReader<readonly string[]> {
  return (option) =>
    readList()(option).flatMap((glob) => {
      if (!glob.startsWith('@')) return [glob];
      const path = glob.slice(1);
      try {
        const lines = readText(path).split('\n');
        return lines.map((line) => line.replace(/(^|\s)#.*/s, '').trim()).filter((line) => line !== '');
      } catch (error) {
        throw new ConfigurationError(`${option.where}: cannot read ${path} (${messageOf(error)}).`);
      }
    });
}

/** Reads `i/n`, from 1. Each scenario belongs to exactly one part, so the cassettes of all parts form one trace. */
const readShard: OptionReader<{ readonly index: number; readonly of: number }> = (option) => {
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(readNonBlank(option))?.map(Number) ?? [];
  if (index !== undefined && of !== undefined && index >= 1 && index <= of) return { index, of };
  throw invalidOption(option, 'i/n with 1 ≤ i ≤ n, such as 1/4');
};

/** The default claim: in CI everything is judged, so that no gate passes because an endpoint disappeared. */
export function defaultClaim({ CI: ci = '' }: Readonly<Record<string, string | undefined>>): 'all' | 'auto' {
  return ['', '0', 'false'].includes(ci) ? 'auto' : 'all';
}
