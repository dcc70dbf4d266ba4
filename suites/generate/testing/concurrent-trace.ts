import type { Exchange } from '../../../exchange/exchange.ts';
import {
  type RequestSketch,
  type ResponseSketch,
  TraceBuilder,
} from '../../../judge/testing/trace-builder.ts';

/** A call of a client: it begins, takes effect at one moment, and ends. */
export interface ConcurrentCall {
  readonly operation: string;
  readonly request: RequestSketch;
}

/** The next call of a client, for a random number and the ids that responses have shown; null when it is idle. */
export type ConcurrentClient = (chance: number, shownIds: readonly string[]) => ConcurrentCall | null;

/** Applies a call to the service and returns the response. `second` is the time on the service. */
export type ConcurrentService = (call: ConcurrentCall, second: number) => ResponseSketch;

interface FinishedCall {
  readonly call: ConcurrentCall;
  readonly response: ResponseSketch;
  readonly began: number;
  readonly ended: number;
}

const MOMENTS_PER_SECOND = 12;

/**
 * Lets clients act concurrently on a sequential service, as the numbers decide, and returns the trace: a fair judge
 * finds no fault in it, however the calls overlap.
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
    // Calls begin before earlier ones have ended.
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
