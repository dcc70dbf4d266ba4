import { readTrace } from '../exchange/cassette/cassette.ts';
import { DISCOVERY } from '../exchange/exchange.ts';
import { isNote } from '../exchange/trace.ts';
import { clientTrace } from '../proof/client-trace.ts';
import { equivalentRequestMutants } from '../proof/equivalent-mutants/equivalent-requests.ts';
import type { MutationReport } from '../proof/mutation-report.ts';
import { BaselineNotClean, type MutationTestOptions, runMutationTest } from '../proof/run.ts';
import { extensions } from '../schemas/index.ts';
import { catalogue } from '../suites/index.ts';
import { refuseMissingExtensions } from './setup/extensions-in-effect.ts';
import { UsageError } from './setup/usage-error.ts';

/**
 * Proves the requirements on a cassette. Rejects with UsageError if it has findings or needs an extension that is not
 * loaded, and with CassetteError if it cannot be read.
 */
export async function proveCassette(
  cassette: string,
  { side, options }: { readonly side: 'server' | 'client'; readonly options?: MutationTestOptions },
): Promise<MutationReport> {
  const { header, items } = await readTrace(cassette);
  // Discovery is not judged, so a mutant of its exchanges would survive.
  const trace = { header, items: items.filter((item) => isNote(item) || item.scenario !== DISCOVERY) };
  refuseMissingExtensions(trace.header);
  const suites = await catalogue(side);
  try {
    if (side === 'server') return runMutationTest(suites, trace, options);
    const changes = equivalentRequestMutants(trace.header.betaHeader);
    return runMutationTest(suites, clientTrace(suites, trace), { ...options, changes });
  } catch (error) {
    if (!(error instanceof BaselineNotClean)) throw error;
    throw new UsageError(`${error.message} Record a trace of a target that conforms, with assay run.`);
  }
}

/** Proves the requirements of the loaded extensions; without extensions, those of assay. Rejects as `proveCassette`. */
export async function proveExtensions(cassette: string, side: 'server' | 'client'): Promise<MutationReport> {
  const prefixes = extensions().flatMap(({ name }) => [`${name}.`, `client:${name}.`]);
  if (prefixes.length === 0) return proveCassette(cassette, { side });
  const only = (id: string): boolean => prefixes.some((prefix) => id.startsWith(prefix));
  const isOwn = ({ requirement }: { readonly requirement: string }): boolean => only(requirement);
  const report = await proveCassette(cassette, { side, options: { only } });
  const [survived, unproved] = [report.survived.filter(isOwn), report.unproved.filter(isOwn)];
  return { ...report, survived, unproved, idle: [] };
}
