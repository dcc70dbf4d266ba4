import type { CostClass, FamilyName } from '../../schemas/index.ts';
import type { ModelRole } from '../scenario/scenario.ts';

/**
 * Everything a run is told, as plain data: it crosses from the main thread to the worker.
 * Durations are in seconds, `rateLimit` in requests per second.
 */
export interface RunConfiguration {
  readonly target: {
    /** With `/v1`. */
    readonly baseUrl: string;
    readonly name: string;
    /** True for the reference service that came with us. */
    readonly embedded: boolean;
    /** How many seconds pass for it in one of ours: 1, but for a reference service whose clock runs faster. */
    readonly pace: number;
  };
  readonly apiKey: string | null;
  /** The variable of the environment that holds the key. */
  readonly keyVariable: string;
  /** Sent with every request, after our own. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly betaHeader: string;
  readonly dialect: RequestDialect | null;
  readonly models: Readonly<Partial<Record<ModelRole, string>>>;
  /** Families, or all of them, or find out. */
  readonly claim: readonly FamilyName[] | 'all' | 'auto';
  readonly only: readonly string[];
  readonly skip: readonly string[];
  /** Names of scenarios, with `*`: only these run, whatever they show. Empty for all. */
  readonly scenario: readonly string[];
  /** Cost classes that may be spent; `free` always is. */
  readonly allow: readonly CostClass[];
  readonly maxRequests: number | null;
  readonly maxTokens: number | null;
  readonly rateLimit: number | null;
  readonly concurrency: number;
  /** Of one exchange; a state is waited for twice as long. */
  readonly timeout: number;
  /** How long to wait for the target to come up; 0 asks once. */
  readonly waitFor: number;
  readonly shard: { readonly index: number; readonly of: number } | null;
  readonly failOn: 'must' | 'should' | 'never';
  readonly allowInconclusive: boolean;
  readonly baseline: string | null;
  readonly report: readonly string[];
  readonly reportDir: string;
  readonly dryRun: boolean;
  readonly trace: boolean;
  readonly color: boolean;
}

/** What the driver needs of a dialect; its errata are the judge's. */
export interface RequestDialect {
  readonly name: string;
  readonly digest: string;
  readonly betaHeader: string | null;
  /** Path of the specification → path the target speaks. */
  readonly paths: Readonly<Record<string, string>>;
}

/** What the command line asked for; the target is null when none was named, so the reference is meant. */
export type Settings = Omit<RunConfiguration, 'target' | 'allow' | 'concurrency' | 'dialect'> & {
  readonly baseUrl: string | null;
  /** Name or file, to be loaded by whoever owns dialects. */
  readonly dialect: string | null;
  /** What is added to the default; after `none`, all there is. Null for the default. */
  readonly allow: readonly (CostClass | 'none')[] | null;
  readonly concurrency: number | null;
};

/** A reference service that was started for this run. */
export interface ReferenceConnection {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly models: Readonly<Record<ModelRole, string>>;
  /** How many seconds pass for it in one of ours. */
  readonly pace: number;
}

const cheap: readonly CostClass[] = ['free', 'tokens'];
const local: readonly CostClass[] = ['free', 'tokens', 'images', 'audio', 'training', 'batches', 'bulk'];

/** The beta header of a target that nothing else is known of. */
export const DEFAULT_BETA_HEADER = 'Vendor-Beta';

/** The specification states these models by name, so a target that says nothing else has them. */
export const specifiedModels = { speech: 'tts-1', moderation: 'text-moderation-latest' } as const;

/** Aims settings at the target they name. Throws ConfigurationError where they name none. */
export function configureForTarget(settings: Settings, dialect: RequestDialect | null): RunConfiguration {
  const { baseUrl, ...rest } = settings;
  if (baseUrl === null) throw new ConfigurationError('No target: give --base-url URL.');
  return {
    ...rest,
    target: { baseUrl, name: new URL(baseUrl).host, embedded: false, pace: 1 },
    dialect,
    betaHeader: dialect?.betaHeader ?? settings.betaHeader,
    models: { ...specifiedModels, ...settings.models },
    allow: allowedCosts(settings.allow, cheap),
    concurrency: settings.concurrency ?? 4,
  };
}

/** Aims settings at the reference service; its key and models win over configured ones, which are for others. */
export function configureForReference(
  settings: Settings,
  reference: ReferenceConnection,
  dialect: RequestDialect | null,
): RunConfiguration {
  const aimed = configureForTarget({ ...settings, baseUrl: reference.baseUrl }, dialect);
  return {
    ...aimed,
    target: { baseUrl: reference.baseUrl, name: 'reference', embedded: true, pace: reference.pace },
    apiKey: reference.apiKey,
    models: { ...reference.models, ...settings.models },
    allow: allowedCosts(settings.allow, local),
    concurrency: settings.concurrency ?? 16,
  };
}

/** What may be spent, where so much may be spent by default. Who names `free` wants nothing else by default, either. */
export function allowedCosts(
  given: Settings['allow'],
  usual: readonly CostClass[] = cheap,
): readonly CostClass[] {
  if (given === null) return usual;
  const named = given.filter((cost) => cost !== 'none');
  const isBare = given.includes('none') || given.includes('free');
  return [...new Set<CostClass>(['free', ...(isBare ? [] : usual), ...named])];
}

/** A setting that cannot be understood: says which, what was found and what is possible. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
