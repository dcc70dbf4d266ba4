import { findNearest } from '../../schemas/nearest-names.ts';

export const DEFAULT_KEY_VARIABLE = 'ASSAY_API_KEY';
/** Environment variables that are searched for a key, in this order. */
export const KEY_VARIABLES = [DEFAULT_KEY_VARIABLE, 'OPENAI_API_KEY'];
const VARIABLE_PREFIX = 'ASSAY_';
/** Other variables, which assay/vitest, the pytest plugin, and the tests and benchmarks of this repository read. */
const OTHER_VARIABLES = [
  ...['RECORD', 'MODE', 'COMMAND', 'CASSETTES', 'RECORD_ARGS', 'REPLAY_ARGS', 'RUN_ARGS'],
  ...['THOROUGH', 'ROTATION', 'BENCH_LONG'],
].map((name) => `${VARIABLE_PREFIX}${name}`);

/** The options that a flag, a variable or the configuration file sets, in the order in which messages list them. */
export const OPTION_NAMES = [
  'dryRun',
  'baseUrl',
  'apiKeyEnv',
  'secondKeyEnv',
  'header',
  'betaHeader',
  'dialect',
  'extension',
  'model',
  'claim',
  'only',
  'skip',
  'scenario',
  'allow',
  'maxRequests',
  'maxTokens',
  'rateLimit',
  'concurrency',
  'timeout',
  'waitFor',
  'shard',
  'failOn',
  'allowInconclusive',
  'tolerate',
  'strictBaseline',
  'baseline',
  'compareTo',
  'report',
  'reportDir',
  'trace',
  'color',
] as const;

export type OptionName = (typeof OPTION_NAMES)[number];

export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `ASSAY_BASE_URL` for `baseUrl`. */
export function variableOf(name: string): string {
  return `${VARIABLE_PREFIX}${kebabCase(name).replaceAll('-', '_').toUpperCase()}`;
}

/**
 * One line for each set variable `ASSAY_…` that nothing reads, such as a misspelt one. Options such as --api-key-env
 * name variables: `isNamed` says whether something besides the environment names one.
 */
export function unknownVariableLines(
  env: Readonly<Record<string, string | undefined>>,
  isNamed: (variable: string) => boolean,
): readonly string[] {
  const settings = OPTION_NAMES.map(variableOf);
  const known = new Set([...settings, ...KEY_VARIABLES, ...OTHER_VARIABLES]);
  const values = new Set(Object.values(env));
  return Object.entries(env).flatMap(([name, value]) => {
    if (!name.startsWith(VARIABLE_PREFIX) || !value) return [];
    if (known.has(name) || values.has(name) || isNamed(name)) return [];
    const withoutPrefix = settings.map((one) => one.slice(VARIABLE_PREFIX.length));
    const [nearest] = findNearest(name.slice(VARIABLE_PREFIX.length), withoutPrefix);
    const hint = nearest === undefined ? '' : `; the nearest name that does is ${VARIABLE_PREFIX}${nearest}`;
    return [`The environment variable ${name} sets no option of assay${hint}.`];
  });
}

/** The trimmed value; null if the variable is unset or blank. The name may be any text, such as `constructor`. */
export function readVariable(name: string, env: Readonly<Record<string, string | undefined>>): string | null {
  return (Object.hasOwn(env, name) && env[name]?.trim()) || null;
}
