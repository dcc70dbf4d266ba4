import type { CallInput, Stage } from '../../drive/scenario.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { answering } from '../../judge/edit/exchanges.ts';
import type { Break } from '../../judge/requirement.ts';

/** Requests that keep a rule which no single keyword of a schema tells, and requests that break it. */
export interface TrialPlan {
  readonly operation: string;
  readonly pointer: string;
  /** The rule; requirements find the requests by it. */
  readonly keyword: string;
  /** The first one is the control of the others. */
  readonly keeping: readonly CallInput[];
  readonly breaking?: readonly CallInput[];
}

/** Sends labelled requests for one rule. */
export async function tryOut(stage: Stage, plan: TrialPlan): Promise<void> {
  const { operation, pointer, keyword, keeping, breaking = [] } = plan;
  const id = `${operation}:${pointer}#${keyword}`;
  for (const [i, input] of keeping.entries()) {
    const probe = { id: `${id}.valid${i + 1}`, pointer, keyword, side: 'valid', control: null } as const;
    await stage.call(operation, { ...input, probe });
  }
  for (const [i, input] of breaking.entries()) {
    const label = { id: `${id}.violation${i + 1}`, control: `${id}.valid1` };
    await stage.call(operation, { ...input, probe: { ...label, pointer, keyword, side: 'violation' } });
  }
}

/** Accepts what has to be refused, with nothing or with the answer to what is valid. */
export function acceptTrials(keyword: string, how: 'with nothing' | 'as valid' = 'with nothing'): Break {
  return (trace) => {
    const control = trace.find((one) => isTrial(one, keyword, 'valid'));
    if (control === undefined) return null;
    return changed(trace, (one) => {
      if (!isTrial(one, keyword, 'violation')) return one;
      return how === 'as valid'
        ? { ...one, response: control.response, end: control.end }
        : answering(one, 200, {});
    });
  };
}

/** Refuses what has to be accepted, with such a status. */
export function rejectTrials(keyword: string, status = 400): Break {
  return (trace) =>
    changed(trace, (one) =>
      isTrial(one, keyword, 'valid') ? answering(one, status, { error: { message: 'no' } }) : one,
    );
}

function changed(trace: readonly Exchange[], edit: (one: Exchange) => Exchange): readonly Exchange[] | null {
  const made = trace.map(edit);
  return made.some((exchange, i) => exchange !== trace[i]) ? made : null;
}

function isTrial({ probe }: Exchange, keyword: string, side: 'valid' | 'violation'): boolean {
  return probe?.keyword === keyword && probe.side === side;
}
