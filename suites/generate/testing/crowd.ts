import type { Exchange } from '../../../exchange/exchange.ts';
import { type Answered, type Asked, TraceBuilder } from '../../../judge/testing/trace.ts';

/** A call that somebody makes: it begins, takes effect at one moment, and ends. */
export interface Deed {
  readonly operation: string;
  readonly asked: Asked;
}

/** What a client does next, by a number from which everything that is left to chance follows; null when it rests. */
export type Client = (chance: number, known: Knowledge) => Deed | null;

/** Takes effect: changes the service and gives its answer. `second` is the time there. */
export type Service = (deed: Deed, second: number) => Answered;

/** What clients know: ids that answers have given out. */
export interface Knowledge {
  readonly ids: readonly string[];
}

interface Step {
  readonly time: number;
  readonly run: () => void;
}

interface Ended {
  readonly deed: Deed;
  readonly answered: Answered;
  readonly began: number;
  readonly ended: number;
}

/** How many moments a second has. */
const MOMENTS = 12;

/**
 * Lets clients act at the same time on a service that does one thing after the other, as the numbers have it, and
 * gives the trace: a fair judge finds no fault in it, however the calls overlap.
 */
export function crowd(
  numbers: readonly number[],
  clients: readonly Client[],
  service: Service,
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
      const deed = clients[i % clients.length]?.(Math.floor(number / 64), { ids });
      if (deed === null || deed === undefined) return;
      const began = clock;
      at(clock + 0.1 + (number % 8), () => {
        const answered = service(deed, Math.floor(clock / MOMENTS));
        at(clock + 0.1 + (Math.floor(number / 8) % 8), () => {
          done.push({ deed, answered, began, ended: clock });
          const { json } = answered;
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
  for (const { deed, answered, began } of done) {
    const after = done.filter(({ ended }) => ended < began).length;
    trace.add(deed.operation, { ...deed.asked, after }, answered);
  }
  return trace.exchanges;
}
