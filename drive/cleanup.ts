import { MemoryRecorder } from '../exchange/cassette/recording.ts';
import { Redactor } from '../exchange/redaction/redactor.ts';
import { deleteResources, type LeftoverResource } from './cleanup/delete-resources.ts';
import { JobWaits } from './cleanup/job-waits.ts';
import {
  type LedgerEntry,
  type LedgerHeader,
  needsCleanup,
  ResourceLedger,
  readLedger,
} from './cleanup/resource-ledger.ts';
import { isRunTag, isScenarioTag } from './cleanup/run-tag.ts';
import { InvalidBaseUrl, parseBaseUrl } from './configuration/base-url.ts';
import {
  ConfigurationError,
  configureForTarget,
  type RunConfiguration,
} from './configuration/configuration.ts';
import { readSettings } from './configuration/settings.ts';
import { PreflightClient } from './preflight/preflight-client.ts';
import { RunSession } from './run-session.ts';

export interface CleanupOptions {
  /** The target that the user named or confirmed; the key is sent only there. */
  readonly baseUrl: string;
  /** Sent as a bearer token; null for a target without authentication. */
  readonly apiKey: string | null;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Seconds for one exchange; default 60. */
  readonly timeout?: number;
}

export interface CleanupResult extends Pick<RunConfiguration, 'betaHeader' | 'dialect'> {
  readonly baseUrl: string;
  /** Number of resources that needed cleanup and are gone; those that were never created do not count. */
  readonly removed: number;
  readonly leftovers: readonly LeftoverResource[];
}

export interface CleanupPlan extends Pick<LedgerHeader, 'baseUrl' | 'betaHeader' | 'tag' | 'paths'> {
  readonly openCount: number;
}

/**
 * Throws ConfigurationError if the file cannot be read or is not a ledger, or if its tag, or that of an entry to clean
 * up, is not one that a run chooses: objects of other people might contain that text.
 */
export function planCleanup(ledgerFile: string): CleanupPlan {
  const { header, entries } = readLedger(ledgerFile);
  const { tag } = header;
  if (!isRunTag(tag))
    throw new ConfigurationError(
      `${ledgerFile} was not written by a run: its tag ${JSON.stringify(tag)} is not one that assay chooses. Nothing was sent.`,
    );
  const openEntries = entries.filter(needsCleanup);
  const foreignEntry = openEntries.find((entry) => !isScenarioTag(entry.tag, tag));
  if (foreignEntry !== undefined)
    throw new ConfigurationError(
      `${ledgerFile} is not the ledger of one run: entry ${foreignEntry.n} has the tag ${JSON.stringify(foreignEntry.tag)}, which does not belong to the run ${tag}. Nothing was sent.`,
    );
  return { ...header, openCount: openEntries.length };
}

/**
 * Removes the newest resources first, and can be repeated. Rejects with ConfigurationError if `planCleanup` refuses the
 * file, or if it belongs to another target. If the target cannot be reached, every resource remains.
 */
export async function cleanUp(ledgerFile: string, options: CleanupOptions): Promise<CleanupResult> {
  const { baseUrl, betaHeader, paths = {} } = planCleanup(ledgerFile);
  if (!isSameTarget(baseUrl, options.baseUrl))
    throw new ConfigurationError(
      `${ledgerFile} lists objects on ${baseUrl}, not on ${options.baseUrl}. Nothing was sent: name the target of that run.`,
    );
  // Base URL, beta header and paths come from the ledger: its ids mean nothing elsewhere.
  const flags = { baseUrl, betaHeader, timeout: options.timeout ?? 60 };
  const settings = readSettings({ flags, env: {}, file: null, readText: () => '' });
  const { apiKey, headers = [] } = options;
  const dialect = { given: ledgerFile, name: ledgerFile, digest: '', betaHeader: null, paths };
  const configuration = configureForTarget({ ...settings, apiKey, headers }, dialect);
  const preflight = new PreflightClient(configuration);
  const ledger = ResourceLedger.reopen(ledgerFile);
  const session = new RunSession(configuration, new MemoryRecorder(Redactor.none), preflight);
  try {
    const openEntries = ledger.entriesToClean();
    const openNumbers = new Set(openEntries.map(({ n }) => n));
    // If the run was killed, it has not reported the resources that nothing can delete.
    const undeletable = ledger.entries().flatMap(undeletableResource);
    const remaining = await deleteResources(ledger, openEntries, {
      call: (operation, input) => session.sendCall({ scenario: null, cleanup: true }, operation, input),
      fetchUnknownPath: () => session.fetchUnknownPath(),
      waits: new JobWaits(),
    });
    return {
      baseUrl,
      betaHeader,
      dialect,
      removed: ledger.entries().filter(({ n, state }) => state === 'gone' && openNumbers.has(n)).length,
      leftovers: [...remaining, ...undeletable],
    };
  } finally {
    await session.close();
    ledger.close();
  }
}

function isSameTarget(ledgerUrl: string, givenUrl: string): boolean {
  try {
    return parseBaseUrl(ledgerUrl).href === parseBaseUrl(givenUrl).href;
  } catch (error) {
    if (error instanceof InvalidBaseUrl) return false;
    throw error;
  }
}

function undeletableResource(entry: LedgerEntry): readonly LeftoverResource[] {
  const { n, operation, id, scenario, state, how } = entry;
  if (state !== 'stays' || how === null || typeof how === 'string') return [];
  return [{ n, operation, id, scenario, remainder: how, final: true }];
}
