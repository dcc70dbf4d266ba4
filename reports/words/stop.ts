import type { CallInFlight, Stop, StopReason } from '../../exchange/note.ts';
import { findApiRoot } from '../../schemas/api-root.ts';
import { groupBy } from '../../schemas/maps.ts';
import { shortList } from '../../schemas/message-text.ts';
import { wordsByKind } from './by-kind.ts';
import { keyAdvice } from './hint.ts';

const MAX_NAMED_EXCHANGES = 6;

export function whenWords(calls: readonly CallInFlight[]): string {
  const numbers = calls.map(({ exchange }) => Number(exchange.slice(1)));
  return numbers.length === 0 ? 'during the run' : `at exchange e${Math.min(...numbers)}`;
}

export function isTargetLost(reason: StopReason): boolean {
  return reason === 'target-unreachable' || reason === 'target-died';
}

export function stopWords(stop: Stop): string {
  return wordsByKind(stop, 'reason', {
    interrupted: () => 'The run was interrupted.',
    budget: ({ limit, most }) => `--max-${limit} ${most} is spent`,
    'target-unreachable': ({ baseUrl, strange, detail, waited, refused }) => {
      if (refused !== undefined)
        return (
          `${baseUrl} answers ${refused.status} to the list of models and to the first requests to everything that is ` +
          // Reasons are joined by semicolons, so they have no full stop.
          `claimed. ${keyAdvice(refused).replace(/\.$/, '')}`
        );
      if (strange !== null) return notFoundWords(baseUrl, strange);
      const wait = waited === undefined ? '' : `, even after ${waited} s`;
      return unreachableWords(baseUrl, `${detail ?? 'no answer'}${wait}`);
    },
    'target-died': ({ detail, underWay }) =>
      `The target no longer answers: ${detail}${underWayWords(underWay)}`,
  });
}

/** `; in flight: POST /v1/files (e7, e9)`. */
export function underWayWords(calls: readonly CallInFlight[]): string {
  const byCall = groupBy(calls, ({ method, path }) => `${method} ${path}`);
  const words = [...byCall].map(([call, exchanges]) => {
    const ids = exchanges.map(({ exchange }) => exchange);
    return `${call} (${shortList(ids, MAX_NAMED_EXCHANGES)})`;
  });
  return words.length === 0 ? '' : `; in flight: ${words.join(', ')}`;
}

/** `why`: how the exchange ended, such as `ECONNREFUSED`. */
export function unreachableWords(baseUrl: string, why: string): string {
  // A TLS server closes plain-text connections.
  const hint =
    baseUrl.startsWith('http:') && /other side closed|ECONNRESET/.test(why)
      ? '. If it speaks TLS, the URL begins with https://'
      : '';
  return `Nothing answers at ${baseUrl}: ${why}${hint}`;
}

function notFoundWords(
  baseUrl: string,
  { origin, prefix }: { readonly origin: string; readonly prefix: string },
): string {
  const root = findApiRoot(baseUrl);
  const readAs =
    prefix === ''
      ? 'It may need a path before /v1, as in http://host/api/v1'
      : `It was read as the origin ${origin} and the path ${prefix}`;
  const hint =
    root === null ? readAs : `It ends with the path of an operation; the base URL is probably ${root}`;
  return (
    `Nothing is found under ${baseUrl}: GET ${prefix}/v1/models is answered 404 like any unknown path, and so are the ` +
    `first requests to what is claimed. Is the path of --base-url right? ${hint}`
  );
}
