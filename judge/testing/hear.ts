import type { Exchange } from '../../exchange/exchange.ts';
import { Call } from '../call.ts';
import type { Behaviour, Complaint, Evidence } from '../requirement.ts';

/** How often a requirement is shown by a trace, and what it objects to. */
export interface Heard {
  readonly observations: number;
  readonly complaints: readonly Complaint[];
}

/** Judges a trace by one requirement. */
export function hear<E extends Evidence>({ on, check }: Behaviour<E>, exchanges: readonly Exchange[]): Heard {
  const collector = on.collect();
  const calls = exchanges
    .flatMap((exchange) => Call.of(exchange, 'Vendor-Beta') ?? [])
    .filter(({ operation }) => on.operations.includes(operation.id));
  const found = [...calls.flatMap((call) => [...collector.call(call)]), ...collector.finish()];
  return { observations: found.length, complaints: found.flatMap((evidence) => check(evidence)) };
}
