import { readFileSync } from 'node:fs';
import type { Settings } from '../drive/configuration/configuration.ts';
import { KEY_VARIABLES, type ReportOutput, readSettings } from '../drive/configuration/settings.ts';
import type { RoleModels } from '../drive/scenario/scenario.ts';
import type { CostClass } from '../schemas/index.ts';
import { type RunOptions, type RunOutcome, run as runSettings } from './run.ts';
import { withExtensions } from './setup/extensions-in-effect.ts';

/**
 * The options of `assay run`, by the names that they have in assay.config.ts. An absent option is read
 * from the environment (`ASSAY_BASE_URL` and so on), then has the default of the command, except for `report`.
 */
export interface Configuration {
  /** The target, with or without `/v1`; the embedded reference unless given. */
  readonly baseUrl?: string;
  /** The API key; unless given, that of ASSAY_API_KEY, then OPENAI_API_KEY. */
  readonly apiKey?: string;
  /** Sent with every request. */
  readonly header?: Readonly<Record<string, string>>;
  /** Name of the beta header; `Vendor-Beta` unless given. */
  readonly betaHeader?: string;
  /** `openai`, or a file. */
  readonly dialect?: string;
  /** Files of extensions: further operations and suites. */
  readonly extension?: readonly string[];
  /** Model ids by role. */
  readonly model?: Readonly<RoleModels>;
  /** Families, operations and profiles to judge; `all` unless given, `auto` to detect what the target offers. */
  readonly claim?: 'all' | 'auto' | readonly string[];
  /** Ids of requirements, with `*`. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  /** Names of scenarios, with `*`. */
  readonly scenario?: readonly string[];
  /** Cost classes that may be spent beside the default ones; with `none`, the complete list. */
  readonly allow?: readonly (CostClass | 'none')[];
  /** Requests after which the run stops; no limit unless given. */
  readonly maxRequests?: number;
  /** The same for tokens, as the target reports them. */
  readonly maxTokens?: number;
  /** Requests per second. */
  readonly rateLimit?: number;
  /** Scenarios at a time; 16 for the embedded reference and 4 for others unless given. */
  readonly concurrency?: number;
  /** Seconds for one exchange. */
  readonly timeout?: number;
  /** Seconds to wait for the target to come up. */
  readonly waitFor?: number;
  /** `1/3` for the first of three parts. */
  readonly shard?: string;
  /** Lowest level that fails the run: `must` unless given. */
  readonly failOn?: Settings['failOn'];
  readonly allowInconclusive?: boolean;
  /** File of known failures. */
  readonly baseline?: string;
  /** An earlier `report.json`, or its folder: the page shows what changed since. */
  readonly compareTo?: string;
  /** Report files to write; none unless given. */
  readonly report?: readonly ReportOutput[];
  /** Folder of the cassette, the ledger and the reports; `assay-report` unless given. */
  readonly reportDir?: string;
}

/**
 * Runs the scenarios against a target, judges the traffic and gives the report: `assay run` for programs. Prints nothing.
 * Throws ConfigurationError where an option cannot be understood, and as `assay run` fails.
 */
export async function runConformance(
  configuration: Configuration = {},
  options: RunOptions = {},
): Promise<RunOutcome> {
  return withExtensions(configuration.extension, () =>
    runSettings(settingsOfConfiguration(configuration), options),
  );
}

/** The settings of a configuration. Throws ConfigurationError. */
export function settingsOfConfiguration({ apiKey, ...flags }: Configuration): Settings {
  const [first = ''] = KEY_VARIABLES;
  return readSettings({
    flags: { report: [], ...flags },
    env: apiKey === undefined ? process.env : { ...process.env, [first]: apiKey },
    file: null,
    readText: (path) => readFileSync(path, 'utf8'),
  });
}
