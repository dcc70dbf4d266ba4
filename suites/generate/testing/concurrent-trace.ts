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

/** The next action of a client, chosen by a number that determines everything random; null when it is idle. */
export type ConcurrentClient = (chance: number, known: KnownIds) => ConcurrentCall | null;

/** Takes effect: changes the service and returns its response. `second` is the time on the service. */
export type ConcurrentService = (call: ConcurrentCall, second: number) => ResponseSketch;

/** The knowledge of clients: ids that responses have returned. */
export interface KnownIds {
  readonly ids: readonly string[];
}

interface Step {
  readonly time: number;
  readonly run: () => void;
}

interface Ended {
  readonly call: ConcurrentCall;
  readonly response: ResponseSketch;
  readonly began: number;
  readonly ended: number;
}

/** Number of moments per second. */
const MOMENTS = 12;

/**
 * Lets clients act concurrently on a sequential service, as the numbers decide, and returns the trace: a fair judge
 * finds no fault in it, however the calls overlap.
 */
export function concurrentTrace(
  numbers: readonly number[],
  clients: readonly ConcurrentClient[],
  service: ConcurrentService,
): readonly Exchange[] {
  const steps: Step[] = [];
  const done: Ended[] = [];
  const ids: string[] = [];
  let clock = 0;
  const at = (time: number, run: () => void): void => {
    steps.push({ time, run });
    steps.sort((a, b) => a.time - b.time);
  };
  for (const [i, number] of numbers.entries()) {
    at(clock + (i % clients.length) / 100, () => {
      const call = clients[i % clients.length]?.(Math.floor(number / 64), { ids });
      if (call === null || call === undefined) return;
      const began = clock;
      at(clock + 0.1 + (number % 8), () => {
        const response = service(call, Math.floor(clock / MOMENTS));
        at(clock + 0.1 + (Math.floor(number / 8) % 8), () => {
          done.push({ call, response, began, ended: clock });
          const { json } = response;
          if (typeof json === 'object' && json !== null && 'id' in json) ids.push(String(json['id']));
        });
      });
    });
    // Clients begin before the others have ended.
    clock += 3;
    drain(steps, clock, (time) => {
      clock = time;
    });
  }
  drain(steps, Number.POSITIVE_INFINITY, (time) => {
    clock = time;
  });
  return traceOf(done);
}

function drain(steps: Step[], until: number, tick: (time: number) => void): void {
  for (let next = steps[0]; next !== undefined && next.time <= until; next = steps[0]) {
    steps.shift();
    tick(next.time);
    next.run();
  }
  if (Number.isFinite(until)) tick(until);
}

function traceOf(done: readonly Ended[]): readonly Exchange[] {
  const trace = new TraceBuilder();
  for (const { call: action, response: answered, began } of done) {
    const after = done.filter(({ ended }) => ended < began).length;
    trace.add(action.operation, { ...action.request, after }, answered);
  }
  return trace.exchanges;
}
