import type { Json } from '../exchange/body.ts';
import { type Operation, operations } from '../schemas/index.ts';
import type { Call } from './call.ts';
import { Keyed } from './keyed.ts';
import type { OperationVerdict } from './verdict.ts';

interface Tally {
  exercised: number;
  /** Answers that say: no such route, to requests that name nothing unknown. */
  absent: number;
  /** Answers that only a route can give. */
  present: number;
}

/** Which operations a trace exercises, and which the target does not offer. */
export class OperationTally {
  readonly #tallies = new Map<string, Tally>();
  readonly #known = new Keyed<true>();

  call(call: Call): void {
    const tally = this.#tally(call.operation.id);
    if (call.outcome === 'accepted') {
      tally.exercised += 1;
      this.#learn(call);
    } else if (call.outcome === 'absent') {
      if (call.status !== 404 || this.#namesOnlyKnown(call)) tally.absent += 1;
    } else if (call.outcome === 'rejected') tally.present += 1;
  }

  notImplemented(operation: string): boolean {
    const tally = this.#tallies.get(operation);
    return tally !== undefined && tally.absent > 0 && tally.exercised === 0 && tally.present === 0;
  }

  verdicts(claimed: ReadonlySet<string>): OperationVerdict[] {
    return operations().map((operation) => ({
      id: operation.id,
      method: operation.method,
      path: operation.path,
      family: familiesOf(operation)[0] ?? '',
      claimed: familiesOf(operation).some((family) => claimed.has(family)),
      exercised: this.#tallies.get(operation.id)?.exercised ?? 0,
      notImplemented: this.notImplemented(operation.id),
    }));
  }

  #tally(operation: string): Tally {
    let tally = this.#tallies.get(operation);
    if (tally === undefined) {
      tally = { exercised: 0, absent: 0, present: 0 };
      this.#tallies.set(operation, tally);
    }
    return tally;
  }

  /** Ids that the target has given out; a deleted one is known no more. */
  #learn({ answer, operation, path }: Call): void {
    if (operation.method === 'DELETE') {
      for (const id of Object.values(path).slice(-1)) this.#known.delete(id);
      return;
    }
    for (const object of [answer, ...elements(answer)]) {
      const id = typeof object === 'object' && object !== null && 'id' in object ? object['id'] : null;
      if (typeof id === 'string') this.#known.set(id, true);
    }
  }

  #namesOnlyKnown({ path }: Call): boolean {
    return Object.values(path).every((id) => this.#known.get(id) === true);
  }
}

/** The families of an operation's counted variants, the default first. */
export function familiesOf(operation: Operation): readonly string[] {
  return [...new Set(operation.variants.filter(({ counted }) => counted).map(({ family }) => family))];
}

function elements(answer: Json | undefined): readonly Json[] {
  if (typeof answer !== 'object' || answer === null || !('data' in answer)) return [];
  return Array.isArray(answer['data']) ? answer['data'] : [];
}
