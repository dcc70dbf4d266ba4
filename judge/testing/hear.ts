import type { Exchange } from '../../exchange/exchange.ts';
import { Call } from '../call.ts';
import type { Behaviour, Choice, Complaint, Evidence, Selector } from '../requirement.ts';

/** How often a requirement is shown by a trace, and what it objects to. */
export interface Heard {
  readonly observations: number;
  readonly complaints: readonly Complaint[];
}

/** Judges a trace by one requirement. */
export function hear<E extends Evidence>({ on, check }: Behaviour<E>, exchanges: readonly Exchange[]): Heard {
  const found = evidenceIn(on, exchanges);
  return { observations: found.length, complaints: found.flatMap((evidence) => check(evidence)) };
}

/** The alternatives of a choice that a trace shows, one for each piece of evidence that shows any. */
export function alternatives<E extends Evidence>(
  { on, taken }: Choice<E>,
  exchanges: readonly Exchange[],
): readonly string[] {
  return evidenceIn(on, exchanges).flatMap((evidence) => taken(evidence) ?? []);
}

function evidenceIn<E extends Evidence>(on: Selector<E>, exchanges: readonly Exchange[]): readonly E[] {
  const collector = on.collect();
  const calls = exchanges
    .flatMap((exchange) => Call.of(exchange, 'Vendor-Beta') ?? [])
    .filter(({ operation }) => on.operations.includes(operation.id));
  return [...calls.flatMap((call) => [...collector.call(call)]), ...collector.finish()];
}
