import type { Json } from '../../exchange/http/body.ts';
import { contentCodings, decodedContent } from '../../exchange/http/content.ts';
import { isEventStream } from '../../exchange/http/event-stream.ts';
import { type Operation, operations } from '../../schemas/index.ts';
import { LruMap } from '../evidence/lru-map.ts';
import type { Call } from '../trace/call.ts';
import type { ResponseClass } from '../trace/response-class.ts';
import type { Arrival } from '../verdict/cause.ts';
import type { OperationVerdict } from '../verdict/verdict.ts';

interface Tally {
  exercised: number;
  /** The same, by the family of the variant that was asked for. */
  readonly byFamily: Map<string, number>;
  /** How long exchanges took together, by the family of the variant that was asked for. */
  readonly milliseconds: Map<string, number>;
  /** Answers that say: no such route, to requests that name nothing unknown. */
  absent: number;
  /** Answers that only a route can give. */
  present: number;
  /** How bodies arrived, and how streams did: how many could be read whole, and the first that shows nothing. */
  readonly arrivals: Readonly<Record<'body' | 'stream', Arrivals>>;
}

interface Arrivals {
  whole: number;
  miss: UnusableResponse | null;
}

/** An answer that shows nothing, and what is to blame. */
export interface UnusableResponse {
  readonly exchange: string;
  readonly fault: 'protocol' | 'capacity' | 'authentication';
  readonly arrival: Arrival;
}

/** Which operations a trace exercises, and which the target does not offer. */
export class OperationCoverage {
  readonly #tallies = new Map<string, Tally>();
  readonly #known = new LruMap<true>();

  call(call: Call): void {
    const tally = this.#tally(call.operation.id);
    arrived(tally, call);
    const families = familiesOf(call.operation);
    const family = families.find((name) => name === call.variant?.family) ?? families[0] ?? '';
    tally.milliseconds.set(family, (tally.milliseconds.get(family) ?? 0) + call.exchange.end.at);
    if (call.responseClass === 'accepted') {
      tally.exercised += 1;
      tally.byFamily.set(family, (tally.byFamily.get(family) ?? 0) + 1);
      this.#learn(call);
    } else if (call.responseClass === 'absent') {
      if (call.status !== 404 || this.#namesOnlyKnown(call)) tally.absent += 1;
    } else if (call.responseClass === 'rejected') tally.present += 1;
  }

  notImplemented(operation: string): boolean {
    const tally = this.#tallies.get(operation);
    return tally !== undefined && tally.absent > 0 && tally.exercised === 0 && tally.present === 0;
  }

  /** Why nothing is known of these operations, where no answer, or no stream, of one of them ever arrived whole. */
  missed(ids: readonly string[]): UnusableResponse | null {
    const arrivals = ids.flatMap((id) => {
      const tally = this.#tallies.get(id);
      return tally === undefined ? [] : [tally.arrivals.body, tally.arrivals.stream];
    });
    return arrivals.find(({ whole, miss }) => whole === 0 && miss !== null)?.miss ?? null;
  }

  verdicts(claimed: ReadonlySet<string>): OperationVerdict[] {
    return operations().flatMap((operation) =>
      familiesOf(operation).map((family) => ({
        id: operation.id,
        method: operation.method,
        path: operation.path,
        family,
        claimed: claimed.has(family),
        exercised: this.#tallies.get(operation.id)?.byFamily.get(family) ?? 0,
        milliseconds: Math.round(this.#tallies.get(operation.id)?.milliseconds.get(family) ?? 0),
        notImplemented: this.notImplemented(operation.id),
      })),
    );
  }

  #tally(operation: string): Tally {
    let tally = this.#tallies.get(operation);
    if (tally === undefined) {
      const arrivals = { body: { whole: 0, miss: null }, stream: { whole: 0, miss: null } };
      tally = { exercised: 0, byFamily: new Map(), milliseconds: new Map(), absent: 0, present: 0, arrivals };
      this.#tallies.set(operation, tally);
    }
    return tally;
  }

  /** Ids that the target has given out; a deleted one is known no more. */
  #learn({ responseJson: answer, operation, path }: Call): void {
    if (operation.method === 'DELETE') {
      for (const id of Object.values(path).slice(-1)) this.#known.delete(id);
      return;
    }
    for (const object of [answer, ...elements(answer)]) {
      // A model that came of fine-tuning is named by its job.
      for (const name of ['id', 'fine_tuned_model']) {
        const id = typeof object === 'object' && object !== null ? Reflect.get(object, name) : null;
        if (typeof id === 'string') this.#known.set(id, true);
      }
    }
  }

  #namesOnlyKnown({ path }: Call): boolean {
    return Object.values(path).every((id) => this.#known.get(id) === true);
  }
}

function arrived({ arrivals }: Tally, call: Call): void {
  const { response } = call.exchange;
  const kind = response !== null && isEventStream(response) ? arrivals.stream : arrivals.body;
  const unusable = missOf(call);
  if (unusable === null) kind.whole += call.responseClass === 'accepted' && call.complete ? 1 : 0;
  else kind.miss ??= { exchange: call.exchange.id, ...unusable };
}

/** What is wrong with an answer that shows nothing; a client that hung up says nothing of the target. */
function missOf({
  exchange: { response, end },
  responseClass: outcome,
  status,
}: Call): Omit<UnusableResponse, 'exchange'> | null {
  const { detail } = end;
  if (end.how === 'upstream-reset') return { fault: 'protocol', arrival: { what: 'reset', detail } };
  if (end.how === 'upstream-timeout') return { fault: 'capacity', arrival: { what: 'timeout', detail } };
  if (response === null) return null;
  if (outcome === 'accepted') {
    if (decodedContent(response) !== null) return null;
    return { fault: 'protocol', arrival: { what: 'undecodable', codings: contentCodings(response.headers) } };
  }
  const fault = FAULTS[outcome];
  return fault === undefined || end.how !== 'complete'
    ? null
    : { fault, arrival: { what: 'answered', status } };
}

const FAULTS: Readonly<Partial<Record<ResponseClass, UnusableResponse['fault']>>> = {
  refused: 'authentication',
  capacity: 'capacity',
  failed: 'protocol',
  unanswered: 'protocol',
};

/** The families of an operation's counted variants, the default first. */
export function familiesOf(operation: Operation): readonly string[] {
  return [...new Set(operation.variants.filter(({ counted }) => counted).map(({ family }) => family))];
}

function elements(answer: Json | undefined): readonly Json[] {
  if (typeof answer !== 'object' || answer === null || !('data' in answer)) return [];
  return Array.isArray(answer['data']) ? answer['data'] : [];
}
