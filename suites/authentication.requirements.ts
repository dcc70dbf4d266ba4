import type { Exchange } from '../exchange/exchange.ts';
import type { Call } from '../judge/call.ts';
import { calls } from '../judge/edit/breaks.ts';
import { answering } from '../judge/edit/exchanges.ts';
import type { Break } from '../judge/requirement.ts';
import { only, requests } from '../judge/selectors/answers.ts';
import { requirement } from '../judge/write.ts';
import { operations } from '../schemas/index.ts';

/** Two requirements for each operation: it is for nobody without a key, and for nobody with a wrong one. */
export const authentication = operations().flatMap(({ id }) => [
  demanded(id, 'without-key', 'without a key', 'absent'),
  demanded(id, 'wrong-key', 'with a wrong key', 'wrong'),
]);

function demanded(id: string, rule: string, words: string, key: 'absent' | 'wrong') {
  return requirement({
    id: `auth.${kebab(id)}.${rule}`,
    level: 'MUST',
    basis: 'stated',
    spec: '1 Authentication',
    says: `The operation ${id} is not carried out ${words}.`,
    on: only(requests(id), ({ call }) => isTrial(call.exchange, key) && tells(call)),
    check: ({ call }) =>
      call.outcome === 'accepted' ? [{ at: 'status', expected: 'no 2xx', actual: call.status }] : [],
    breaks: { 'carried out': carriedOut(id, key) },
  });
}

/** Requests that were sent to see what becomes of them; elsewhere a missing key may be no fault. */
function isTrial({ probe }: Exchange, key: 'absent' | 'wrong'): boolean {
  return probe?.pointer === 'header.authorization' && probe.keyword === key;
}

/**
 * Whether the answer tells anything of the key. The scenarios send bodies that nobody accepts, so that nothing is
 * made by them: to those only a refusal of the caller tells, not one of the body.
 */
function tells({ outcome, variant }: Call): boolean {
  if (outcome === 'accepted' || outcome === 'refused') return true;
  return variant?.body === null && (outcome === 'rejected' || outcome === 'absent');
}

function carriedOut(id: string, key: 'absent' | 'wrong'): Break {
  return (trace) =>
    trace.map((exchange) =>
      calls(exchange, id) && isTrial(exchange, key) ? answering(exchange, 200, {}) : exchange,
    );
}

function kebab(id: string): string {
  return id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
