import type { Settings } from '../drive/configuration/configuration.ts';
import { defaultClaim, type ReportOutput, readSettings } from '../drive/configuration/settings.ts';
import {
  DEFAULT_KEY_VARIABLE,
  KEY_VARIABLES,
  unknownVariableLines,
  variableOf,
} from '../drive/configuration/variables.ts';
import type { RoleModels } from '../drive/scenario/model-roles.ts';
import { readRegularFile } from '../exchange/regular-file.ts';
import type { CostClass } from '../schemas/index.ts';
import { type RunOptions, type RunOutcome, run as runSettings } from './run.ts';
import { withExtensions } from './setup/extensions-in-effect.ts';

/**
 * The options of `assay run`, with the names they have in assay.config.ts. An absent option is read from the
 * environment (`ASSAY_BASE_URL` and so on) or, failing that, has the command's default, except for `report`.
 */
export interface Configuration {
  /** The target, with or without `/v1`. Default: the embedded reference. */
  readonly baseUrl?: string;
  /** The API key; empty for none. Default: ASSAY_API_KEY, then OPENAI_API_KEY. */
  readonly apiKey?: string;
  /** Environment variable with a key of another organization. Default: none. */
  readonly secondKeyEnv?: string;
  /** Header fields sent with every request. */
  readonly header?: Readonly<Record<string, string>>;
  /** Name of the beta header. Default: `Vendor-Beta`. */
  readonly betaHeader?: string;
  /** Name of a shipped dialect, such as `openai`, or a file. */
  readonly dialect?: string;
  /** Files of extensions with further operations and suites. */
  readonly extension?: readonly string[];
  /** Model ids by role. */
  readonly model?: Readonly<RoleModels>;
  /** Families, operations and profiles to judge; `auto` detects them. Default: `auto`; `all` where CI is set. */
  readonly claim?: 'all' | 'auto' | readonly string[];
  /** Globs of the ids of requirements to judge. */
  readonly only?: readonly string[];
  /** Globs of requirements that are not judged. Default: none. */
  readonly skip?: readonly string[];
  /** Globs of the names of scenarios to run. */
  readonly scenario?: readonly string[];
  /** Cost classes allowed in addition to the defaults; with `free` or `none` in the list, instead of the defaults. */
  readonly allow?: readonly (CostClass | 'none')[];
  /** Number of requests after which the run stops. Default: no limit. */
  readonly maxRequests?: number;
  /** Number of tokens, as the target reports them, after which the run stops. Default: no limit. */
  readonly maxTokens?: number;
  /** Maximum number of requests per second. */
  readonly rateLimit?: number;
  /** Concurrent scenarios. Default: 16 for the embedded reference, 4 for other targets. */
  readonly concurrency?: number;
  /** Maximum duration of an exchange, in seconds. */
  readonly timeout?: number;
  /** Maximum time to wait for the target to come up, in seconds. */
  readonly waitFor?: number;
  /** The part of the scenarios to run: `1/3` for the first of three. */
  readonly shard?: string;
  /** Lowest level whose failures fail the run. Default: `must`. */
  readonly failOn?: Settings['failOn'];
  /** Whether undecided MUSTs leave the exit code at 0. Default: false. */
  readonly allowInconclusive?: boolean;
  /** Kinds of failures that do not fail the run. Default: none. */
  readonly tolerate?: Settings['tolerate'];
  /** The file of the baseline. */
  readonly baseline?: string;
  /** Whether stale baseline entries, and MUSTs left undecided by chance, fail the run. Default: false. */
  readonly strictBaseline?: boolean;
  /** An earlier `report.json` or its folder: the HTML page and the Markdown reports show what has changed since. */
  readonly compareTo?: string;
  /** Report files to write. Default: none. */
  readonly report?: readonly ReportOutput[];
  /** Folder of the cassette, the ledger and the reports. Default: `assay-report`. */
  readonly reportDir?: string;
}

/**
 * Runs the scenarios against a target, judges the traffic and returns the report: `assay run` for programs. Prints
 * nothing except a Node warning for each `ASSAY_…` variable that sets no option. Rejects with ConfigurationError if an
 * option is invalid, and with the errors of `assay run`.
 */
export async function runConformance(
  configuration: Configuration = {},
  options: RunOptions = {},
): Promise<RunOutcome> {
  return withExtensions(configuration.extension, () =>
    runSettings(settingsOfConfiguration(configuration), options),
  );
}

export function settingsOfConfiguration({ apiKey, ...flags }: Configuration): Settings {
  const named = Object.values(flags).flat();
  for (const line of unknownVariableLines(process.env, (name) => named.includes(name)))
    process.emitWarning(line, 'AssayWarning');
  const settings = readSettings({
    flags: { report: [], ...flags },
    flagsSource: 'the configuration',
    claim: defaultClaim(process.env),
    env: apiKey === undefined ? process.env : withKey(process.env, apiKey),
    file: null,
    readText: (path) => readRegularFile(path),
  });
  // A printed command would otherwise judge by the gate of a configuration file that the program does not read.
  return { ...settings, ignoresFile: true };
}

/** Sets the key, and unsets all that would take precedence over it, or replace it if it is empty. */
function withKey(env: NodeJS.ProcessEnv, apiKey: string): NodeJS.ProcessEnv {
  const unset = [variableOf('apiKeyEnv'), ...KEY_VARIABLES].map((name) => [name, undefined]);
  return { ...env, ...Object.fromEntries(unset), [DEFAULT_KEY_VARIABLE]: apiKey };
}
