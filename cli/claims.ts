import type { Settings } from '../drive/configuration.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { isNote } from '../exchange/trace.ts';
import { Call } from '../judge/call.ts';
import type { Dialect } from '../judge/dialect.ts';
import type { Recorded } from './cassettes.ts';
import { under } from './dialect.ts';

/**
 * What recorded traffic is judged for: what `--claim` names; else what the run claimed; else, for traffic that is no run
 * of ours and for `--claim auto`, the families of the operations in it.
 */
export async function claimsOf(
  recorded: Recorded,
  claim: Settings['claim'],
  dialect: Dialect | null,
): Promise<TraceHeader['claims']> {
  const { claims } = recorded.header;
  if (typeof claim !== 'string') return { families: claim, how: 'given' };
  if (claim !== 'auto' && claims.families.length > 0) return claims;
  return { families: await familiesMet(recorded, dialect), how: 'auto' };
}

async function familiesMet(recorded: Recorded, dialect: Dialect | null): Promise<readonly string[]> {
  const met = new Set<string>();
  const { betaHeader } = under(recorded.header, dialect);
  for (const trace of recorded.traces()) {
    for await (const item of trace) {
      const call = isNote(item) ? null : Call.of(item, betaHeader, dialect);
      if (call === null) continue;
      const variants = call.variant === null ? call.operation.variants : [call.variant];
      for (const { family } of variants) met.add(family);
    }
  }
  return [...met];
}
