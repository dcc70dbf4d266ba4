import type { Exchange } from '../../../exchange/exchange.ts';
import {
  type RequestSketch,
  type ResponseSketch,
  TraceBuilder,
} from '../../../judge/testing/trace-builder.ts';

/** A call that takes effect on the service at one moment between its beginning and its end. */
export interface ConcurrentCall {
  readonly operation: string;
  readonly request: RequestSketch;
}

/** Returns the next call of a client, from a random number and the ids that responses have shown; null for none. */
export type ConcurrentClient = (chance: number, shownIds: readonly string[]) => ConcurrentCall | null;

/** Applies a call to the service and returns the response. `second` is the time by the clock of the service. */
export type ConcurrentService = (call: ConcurrentCall, second: number) => ResponseSketch;

interface FinishedCall {
  readonly call: ConcurrentCall;
  readonly response: ResponseSketch;
  readonly began: number;
  readonly ended: number;
}

/** Units of the simulated clock per second of the service. */
const MOMENTS_PER_SECOND = 12;

/**
 * Each number decides one call: the lowest three bits delay the request, the next three bits delay the response, and
 * the client gets the other bits as its random number.
 */
export function simulateConcurrentCalls(
  numbers: readonly number[],
  clients: readonly ConcurrentClient[],
  service: ConcurrentService,
): readonly Exchange[] {
  const steps: { readonly time: number; readonly run: () => void }[] = [];
  const finishedCalls: FinishedCall[] = [];
  const ids: string[] = [];
  let clock = 0;
  const schedule = (time: number, run: () => void): void => {
    steps.push({ time, run });
    steps.sort((a, b) => a.time - b.time);
  };
  const runUntil = (end: number): void => {
    for (let next = steps[0]; next !== undefined && next.time <= end; next = steps[0]) {
      steps.shift();
      clock = next.time;
      next.run();
    }
  };
  for (const [i, number] of numbers.entries()) {
    schedule(clock + (i % clients.length) / 100, () => {
      const call = clients[i % clients.length]?.(Math.floor(number / 64), ids);
      if (call === null || call === undefined) return;
      const began = clock;
      schedule(clock + 0.1 + (number % 8), () => {
        const response = service(call, Math.floor(clock / MOMENTS_PER_SECOND));
        schedule(clock + 0.1 + (Math.floor(number / 8) % 8), () => {
          finishedCalls.push({ call, response, began, ended: clock });
          const { json } = response;
          if (typeof json === 'object' && json !== null && 'id' in json) ids.push(String(json['id']));
        });
      });
    });
    // The pause is shorter than most calls, so that they overlap.
    const end = clock + 3;
    runUntil(end);
    clock = end;
  }
  runUntil(Number.POSITIVE_INFINITY);
  const trace = new TraceBuilder();
  for (const { call, response, began } of finishedCalls) {
    const after = finishedCalls.filter(({ ended }) => ended < began).length;
    trace.add(call.operation, { ...call.request, after }, response);
  }
  return trace.exchanges;
}
