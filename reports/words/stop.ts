// Why a run ended early.
import type { CallUnderWay, EarlierStop, Stop, StopReason } from '../../exchange/note.ts';
import { shortList } from './short-list.ts';

/** Clauses for the reasons of a verdict. */
const STOPPED: Readonly<Record<StopReason, string>> = {
  completed: 'the run came to its end',
  interrupted: 'the run was interrupted',
  budget: 'the run stopped at its budget',
  deadline: 'the run stopped at its deadline',
  'target-unreachable': 'the target could not be reached',
  'target-died': 'the target stopped answering during the run',
};

/** The end of a run as a reason of its verdict; with details if the target is at fault. */
export function stoppedWords(reason: StopReason, stop: Stop | EarlierStop | null): string {
  const words = STOPPED[reason];
  if (stop !== null && 'detail' in stop && stop.reason === 'target-died')
    return `the target stopped answering ${whenWords(stop.underWay ?? [])}: ${stop.detail}${underWayWords(stop.underWay ?? [])}`;
  return stop !== null && isOfTarget(reason) ? `${words}: ${stopWords(stop)}` : words;
}

/** When a target stopped answering: at the first exchange that has no answer, where that is known. */
export function whenWords(calls: readonly CallUnderWay[]): string {
  const numbers = calls.flatMap(({ exchange }) =>
    exchange === undefined ? [] : [Number(exchange.slice(1))],
  );
  return numbers.length === 0 ? 'during the run' : `at exchange e${Math.min(...numbers)}`;
}

/** True where the target, not the run, is the reason. */
export function isOfTarget(reason: StopReason): boolean {
  return reason === 'target-unreachable' || reason === 'target-died';
}

/** The end of a run as a separate line. */
export function stopWords(stop: Stop | EarlierStop): string {
  if ('message' in stop) return stop.message;
  switch (stop.reason) {
    case 'interrupted':
      return 'The run was interrupted.';
    // Named as the option, because raising it is how to continue.
    case 'budget':
      return `--max-${stop.limit} ${stop.most} is spent`;
    case 'target-unreachable':
      if (stop.strange !== null) return notFound(stop.baseUrl, stop.strange);
      return unreachable(stop.baseUrl, `${stop.detail ?? 'no answer'}${waitedWords(stop.waited)}`);
    case 'target-died':
      return `The target no longer answers: ${stop.detail}${underWayWords(stop.underWay ?? [])}`;
    default:
      return stop satisfies never;
  }
}

/** How long an answer was waited for: `, even after 3 s`; nothing for one attempt. */
function waitedWords(waited: number | undefined): string {
  return waited === undefined ? '' : `, even after ${waited} s`;
}

/** Exchanges of one call that are named; more are counted. */
const NAMED = 6;

/** The calls that a target left without an answer, each with its exchanges: `; under way: POST /v1/files (e7, e9)`. */
function underWayWords(calls: readonly CallUnderWay[]): string {
  const byCall = new Map<string, (string | null)[]>();
  for (const { method, path, exchange = null } of calls) {
    const call = `${method} ${path}`;
    byCall.set(call, [...(byCall.get(call) ?? []), exchange]);
  }
  const words = [...byCall].map(([call, exchanges]) => {
    // The order is that of the note: invalid requests first.
    const ids = exchanges.flatMap((id) => id ?? []);
    if (ids.length > 0) return `${call} (${shortList(ids, NAMED)})`;
    // Of an earlier cassette, the number remains.
    return exchanges.length === 1 ? call : `${call} (${exchanges.length})`;
  });
  return words.length === 0 ? '' : `; under way: ${words.join(', ')}`;
}

/** Nothing answers at a base URL; `why` is the detail of the exchange's end. */
export function unreachable(baseUrl: string, why: string): string {
  // A TLS server closes the connection when it is spoken to in plain text.
  const hint =
    baseUrl.startsWith('http:') && /other side closed|ECONNRESET/.test(why)
      ? '. If it speaks TLS, the URL begins with https://'
      : '';
  return `Nothing answers at ${baseUrl}: ${why}${hint}`;
}

/** HTTP answers come from below the base URL, but none of them from an operation. */
function notFound(
  baseUrl: string,
  { origin, prefix }: { readonly origin: string; readonly prefix: string },
): string {
  const tried =
    prefix === ''
      ? 'it may have a path before /v1, as in http://host/api/v1'
      : `it is ${origin} and ${prefix}`;
  return (
    `Nothing is found under ${baseUrl}: GET ${prefix}/v1/models is answered 404 like any unknown address, and so is a ` +
    `first question to each family that is claimed. Is the path of --base-url right? ${tried}`
  );
}
