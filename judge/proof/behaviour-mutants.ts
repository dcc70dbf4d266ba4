import type { Exchange } from '../../exchange/exchange.ts';
import { Call } from '../call.ts';
import type { GreenTrace, Mutant } from '../catalogue.ts';
import { Gathering } from '../gathering.ts';
import type { Behaviour, Evidence } from '../requirement.ts';

/** How many pieces of evidence are broken first; the whole trace only where these do not show it. */
const SAMPLE = 20;

/** The counterexamples of a hand-written requirement, made out of a trace that keeps it. */
export function* mutantsOf(behaviour: Behaviour<Evidence>, green: GreenTrace): Generator<Mutant> {
  const { id: rule, on, breaks } = behaviour;
  const calls = green.calls(on.operations);
  const whole = on.downloads ? withDownloads(calls, green) : calls.map(({ exchange }) => exchange);
  const part = on.downloads ? null : sampleOf(behaviour, calls);
  for (const [name, edit] of Object.entries(breaks)) {
    if (part === null) yield { rule, kind: name, name, exchanges: edit(whole) };
    else yield { rule, kind: name, name, exchanges: edit(part), longer: () => edit(whole) };
  }
}

/**
 * The exchanges of some of the evidence, in their order. Null where that is no shorter, or where the requirement
 * objects to them as they are, because what they leave out matters.
 */
function sampleOf(behaviour: Behaviour<Evidence>, calls: readonly Call[]): readonly Exchange[] | null {
  const evidence = heard(behaviour, calls);
  if (evidence.length <= SAMPLE) return null;
  const step = evidence.length / SAMPLE;
  const chosen = Array.from({ length: SAMPLE }, (_, i) => evidence[Math.floor(i * step)]);
  const ids = new Set(chosen.flatMap((one) => one?.exchanges.map(({ id }) => id) ?? []));
  const part = calls.filter(({ exchange }) => ids.has(exchange.id));
  const objects = heard(behaviour, part).some((one) => behaviour.check(one).length > 0);
  return objects ? null : part.map(({ exchange }) => exchange);
}

/** The calls, and what calls no operation, in the order in which they ended. */
function withDownloads(calls: readonly Call[], { exchanges, header }: GreenTrace): readonly Exchange[] {
  const others = exchanges.filter((exchange) => Call.of(exchange, header.betaHeader) === null);
  return [...calls.map(({ exchange }) => exchange), ...others].sort((a, b) => a.ended - b.ended);
}

function heard({ on }: Behaviour<Evidence>, calls: readonly Call[]): readonly Evidence[] {
  const found: Evidence[] = [];
  const gathering = new Gathering([{ on, hear: (evidence) => found.push(evidence), deafen: () => {} }]);
  for (const call of calls) gathering.call(call);
  gathering.finish();
  return found;
}
