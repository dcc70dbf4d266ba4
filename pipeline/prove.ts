import { readTrace } from '../exchange/cassette/read/cassette.ts';
import { clientTrace } from '../judge/client/client-trace.ts';
import { equivalentRequests } from '../judge/client/equivalent-requests.ts';
import type { MutationReport } from '../judge/mutation-testing/mutation-report.ts';
import { runMutationTest, type Shard } from '../judge/mutation-testing/run.ts';
import { extensions } from '../schemas/index.ts';
import { catalogue } from '../suites/index.ts';
import { refuseMissingExtensions } from './setup/extensions-in-effect.ts';
import { UsageError } from './setup/usage-error.ts';

/** Who is judged, and which part is proved. */
export interface ProofPlan {
  readonly side: 'server' | 'client';
  readonly shard?: Shard;
}

/**
 * Proves the requirements that a cassette shows: each mutant has to be noticed, and no equivalent mutant may be. Throws UsageError where the
 * cassette has findings, CassetteError where it cannot be read.
 */
export async function proveCassette(
  cassette: string,
  { side, shard = {} }: ProofPlan,
): Promise<MutationReport> {
  const trace = await readTrace(cassette);
  refuseMissingExtensions(trace.header);
  const suites = await catalogue(side);
  try {
    if (side === 'server') return runMutationTest(suites, trace, shard);
    const changes = equivalentRequests(trace.header.betaHeader);
    return runMutationTest(suites, clientTrace(suites, trace), { ...shard, changes });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'NotConforming') throw error;
    throw new UsageError(`${error.message} Record a trace of a target that conforms, with assay run.`);
  }
}

/** The part of a proof that is about the extensions in effect; everything where there are none. */
export function ofExtensions(report: MutationReport): MutationReport {
  const own = extensions().flatMap(({ name }) => [`${name}.`, `client:${name}.`]);
  if (own.length === 0) return report;
  const isOwn = (id: string): boolean => own.some((start) => id.startsWith(start));
  return {
    ...report,
    stale: [],
    idle: [],
    requirements: Object.fromEntries(Object.entries(report.requirements).filter(([id]) => isOwn(id))),
    unproved: report.unproved.filter(({ requirement }) => isOwn(requirement)),
  };
}
