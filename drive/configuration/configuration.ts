import { proxyFor } from '../../exchange/http/environment-proxy.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { type CostClass, extensions, families } from '../../schemas/index.ts';
import { extensionModels, MODEL_ROLES, type ModelRole, type RoleModels } from '../scenario/model-roles.ts';

/**
 * All decisions of a run, as plain data that can be sent to another thread: `Settings` resolved for a target.
 * Durations are in seconds, `rateLimit` in requests per second.
 */
export interface RunConfiguration {
  readonly target: {
    readonly baseUrl: string;
    readonly name: string;
    readonly embedded: boolean;
    /** Seconds of the target's clock per real second: 1, except for a reference service with a faster clock. */
    readonly pace: number;
  };
  /** Sent as a bearer token; if null, the requirements on keys are untested. */
  readonly apiKey: string | null;
  readonly keyVariable: string;
  /** A key of another organization, and its variable; if null, the separation of organizations is untested. */
  readonly secondKey: { readonly key: string; readonly variable: string } | null;
  /** Header fields that the user adds to requests. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly betaHeader: string;
  /** Changes paths and the beta header of requests; null for the specification as it is. */
  readonly dialect: RequestDialect | null;
  /** Extension files; their extensions are already active. */
  readonly extension: readonly string[];
  /** Model id by role; scenarios that need a role without a model are skipped. */
  readonly models: Readonly<RoleModels>;
  /** Roles whose models discovery chooses, and the models to try; null for all that the target lists. */
  readonly modelSearch: {
    readonly roles: readonly ModelRole[];
    readonly candidates: readonly string[] | null;
  };
  /** Families and operations to judge: the given ones, all, or (`auto`) those that the target offers. */
  readonly claim: readonly string[] | 'all' | 'auto';
  /** Globs of the ids of requirements and choices to judge; empty for all. */
  readonly only: readonly string[];
  /** Globs of the ids to leave out; empty for none. */
  readonly skip: readonly string[];
  /** Globs of scenario names; empty for all. */
  readonly scenario: readonly string[];
  /** Cost classes that may be spent; `free` is always one of them. */
  readonly allow: readonly CostClass[];
  /** Includes retries; null for no limit. */
  readonly maxRequests: number | null;
  /** The run stops once the `usage` after discovery adds up to this many tokens; null for no limit. */
  readonly maxTokens: number | null;
  readonly rateLimit: number | null;
  /** Maximum number of concurrent scenarios; each decides which of its own calls overlap. */
  readonly concurrency: number;
  /** Timeout of one exchange, to which a large body adds; a wait for a state polls for at most twice as long. */
  readonly timeout: number;
  /** Longest wait until the target responds; 0 for one attempt. */
  readonly waitFor: number;
  /** The part of the scenarios to run, `index` counted from 1; null for all. */
  readonly shard: { readonly index: number; readonly of: number } | null;
  /** Lowest level whose failure gives exit code 1. */
  readonly failOn: 'must' | 'should' | 'never';
  readonly allowInconclusive: boolean;
  /** The version of the assistants API that the target serves, if it refuses the other; determined before the run. */
  readonly version?: 'v1' | 'v2';
  /** Kinds of failures that do not fail the run. */
  readonly tolerate: readonly ('lenient-validation' | 'clients')[];
  /** File of the accepted failures and undecided MUSTs; null for none. */
  readonly baseline: string | null;
  /** Whether stale entries fail the run, and MUSTs that chance left undecided are accepted only with an entry. */
  readonly strictBaseline: boolean;
  /** The baseline of the environment or the configuration file; absent or null for none. */
  readonly standingBaseline?: string | null;
  /** The extensions of the environment or the configuration file; absent if unknown. */
  readonly standingExtension?: readonly string[];
  /** The settings of the gate that hold without flags; absent for the defaults. */
  readonly standingGate?: GateSettings;
  /** Whether the command ignores the configuration file; printed commands then do the same. Absent for false. */
  readonly ignoresFile?: boolean;
  /** The claim that applies to a printed command without `--claim`; absent for `all`. */
  readonly standingClaim?: RunConfiguration['claim'];
  /** An earlier report, or its folder, to compare the new one with. */
  readonly compareTo: string | null;
  /** Names in `REPORT_FORMATS`. */
  readonly report: readonly string[];
  /** Folder that gets the reports, the cassette and the ledger. */
  readonly reportDir: string;
  /** Whether scenarios only run on the embedded reference, to estimate what a run would cost. */
  readonly dryRun: boolean;
  /** Whether every exchange of the run is printed. */
  readonly trace: boolean;
  /** Whether colours are allowed; streams that are not terminals still get none unless `FORCE_COLOR` is set. */
  readonly color: boolean;
}

export type GateSettings = Pick<
  RunConfiguration,
  'failOn' | 'allowInconclusive' | 'tolerate' | 'strictBaseline'
>;

export interface RequestDialect {
  /** The name of a dialect of the package, or a file, as the user gave it. */
  readonly given: string;
  readonly name: string;
  /** First 16 hex digits of the SHA-256 of its file. */
  readonly digest: string;
  /** Name of the header that selects the version; null for the configured one. */
  readonly betaHeader: string | null;
  /** Paths on the target, by path of the specification. */
  readonly paths: Readonly<Record<string, string>>;
}

/**
 * The options as flags, environment and configuration file give them, with defaults but without knowledge of a
 * target: limits that depend on the target are null, and a dialect is only a name. `configureForTarget` and
 * `configureForReference` resolve them to a `RunConfiguration`.
 */
export type Settings = Omit<
  RunConfiguration,
  'target' | 'allow' | 'concurrency' | 'dialect' | 'modelSearch'
> & {
  /** Models by role as the user gave them: `none` turns a role off. */
  readonly models: RunConfiguration['models'];
  /** One model for all roles that it serves; null if models are given by role, or not at all. */
  readonly modelName: string | null;
  readonly baseUrl: string | null;
  readonly dialect: string | null;
  /** Cost classes added to the default ones; with `free` or `none`, the complete list. Null for the default. */
  readonly allow: readonly (CostClass | 'none')[] | null;
  readonly concurrency: number | null;
};

export interface ReferenceConnection {
  /** With port and `/v1`. */
  readonly baseUrl: string;
  /** The key of the first organization, which replaces a configured one. */
  readonly apiKey: string;
  readonly secondKey: string | null;
  /** The model of the service for each built-in role; configured models take precedence. */
  readonly models: Readonly<Record<ModelRole, string>>;
  readonly pace: number;
}

const TARGET_COSTS: readonly CostClass[] = ['free', 'tokens'];
/** Default cost classes of the reference, which costs nothing: all but `large`, with files of half a gigabyte. */
const FREE_COSTS: readonly CostClass[] = ['free', 'tokens', 'images', 'audio', 'training', 'batches', 'bulk'];

export const DEFAULT_BETA_HEADER = 'Vendor-Beta';
export const specifiedModels = { speech: 'tts-1', moderation: 'text-moderation-latest' } as const;
export const NO_MODEL_SEARCH: RunConfiguration['modelSearch'] = { roles: [], candidates: null };

export function configureForTarget(settings: Settings, dialect: RequestDialect | null): RunConfiguration {
  const { baseUrl, ...rest } = settings;
  if (baseUrl === null) throw new ConfigurationError('No target: give --base-url URL.');
  refuseUnusableProxy(baseUrl);
  return {
    ...rest,
    target: { baseUrl, name: new URL(baseUrl).host, embedded: false, pace: 1 },
    dialect,
    betaHeader: dialect?.betaHeader ?? settings.betaHeader,
    ...resolveModels(settings),
    allow: allowedCosts(settings.allow, TARGET_COSTS),
    concurrency: settings.concurrency ?? 4,
  };
}

function refuseUnusableProxy(baseUrl: string): void {
  try {
    proxyFor(baseUrl);
  } catch (error) {
    throw new ConfigurationError(messageOf(error));
  }
}

/** Unless the user gives a built-in role a model, the run searches for one for each role that is not turned off. */
function resolveModels({ models, modelName }: Settings): Pick<RunConfiguration, 'models' | 'modelSearch'> {
  const isSearched = MODEL_ROLES.every((role) => models[role] === undefined || models[role] === 'none');
  const roles = isSearched ? MODEL_ROLES.filter((role) => models[role] !== 'none') : [];
  return {
    models: dropTurnedOff({ ...specifiedModels, ...extensionModels(), ...models }),
    modelSearch: { roles, candidates: modelName === null ? null : [modelName] },
  };
}

function dropTurnedOff(models: Settings['models']): RunConfiguration['models'] {
  return Object.fromEntries(Object.entries(models).filter(([, id]) => id !== 'none'));
}

export function configureForReference(
  settings: Settings,
  reference: ReferenceConnection,
  dialect: RequestDialect | null,
): RunConfiguration {
  if (settings.modelName !== null)
    throw new ConfigurationError(
      `--model ${settings.modelName} needs a target: give --base-url URL. The embedded reference has a model for each role.`,
    );
  const configuration = configureForTarget({ ...settings, baseUrl: reference.baseUrl }, dialect);
  return {
    ...configuration,
    target: { baseUrl: reference.baseUrl, name: 'reference', embedded: true, pace: reference.pace },
    apiKey: reference.apiKey,
    secondKey: reference.secondKey === null ? null : { key: reference.secondKey, variable: '' },
    claim: resolveReferenceClaim(configuration.claim),
    ...(configuration.standingClaim !== undefined && {
      standingClaim: resolveReferenceClaim(configuration.standingClaim),
    }),
    models: dropTurnedOff({ ...reference.models, ...settings.models }),
    modelSearch: NO_MODEL_SEARCH,
    allow: allowedCosts(settings.allow, FREE_COSTS),
    concurrency: settings.concurrency ?? 16,
  };
}

function resolveReferenceClaim(claim: RunConfiguration['claim']): RunConfiguration['claim'] {
  if (claim !== 'auto' && claim !== 'all') return claim;
  const names = extensions().map(({ name }) => name);
  return names.length === 0 ? 'all' : families().filter((family) => !names.includes(family));
}

/** A list with `free` or `none` replaces the defaults instead of adding to them. */
export function allowedCosts(
  allow: Settings['allow'],
  defaults: readonly CostClass[] = TARGET_COSTS,
): readonly CostClass[] {
  if (allow === null) return defaults;
  const costs = allow.filter((cost) => cost !== 'none');
  const replacesDefaults = allow.includes('none') || allow.includes('free');
  return [...new Set<CostClass>(['free', ...(replacesDefaults ? [] : defaults), ...costs])];
}

export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
