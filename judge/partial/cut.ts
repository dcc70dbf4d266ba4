// Cuts a trace into parts that are judged apart.
import type { Exchange } from '../../exchange/exchange.ts';
import { numberOf } from './earliest.ts';
import { isAnswerOfModel, partOfName, type Route, resourceOf } from './routes.ts';
import type { TrafficCut } from './traffic-cut.ts';

/** Finds the names by which exchanges belong together, in one pass over a trace. */
export class RoutePlan {
  /** By name, the first of the names that it is linked to. */
  readonly #links = new Map<string, string>();

  /** The first answer of a model, which every part sees. */
  #answer: Exchange | null = null;

  /** Takes one exchange: the names of its route stand for one resource from now on. */
  add(exchange: Exchange, { names }: Route): void {
    if (isAnswerOfModel(exchange) && !((this.#answer?.ended ?? Number.POSITIVE_INFINITY) < exchange.ended))
      this.#answer = exchange;
    const [first, ...others] = names;
    if (first === undefined) return;
    for (const other of others) {
      const [a, b] = [this.rootOf(first), this.rootOf(other)];
      if (a !== b) this.#links.set(a < b ? b : a, a < b ? a : b);
    }
  }

  /** Whether every part sees an exchange that has its own part. */
  isFirstAnswer(exchange: Exchange): boolean {
    return exchange.id === this.#answer?.id;
  }

  /** The name that stands for all that a name is linked to. */
  rootOf(name: string): string {
    let root = name;
    for (let next = this.#links.get(root); next !== undefined; next = this.#links.get(root)) root = next;
    // The way is shorter the next time.
    for (let here = name; here !== root; ) {
      const next = this.#links.get(here) ?? root;
      this.#links.set(here, root);
      here = next;
    }
    return root;
  }
}

/** The part of each exchange: a number from 0, and whether every part sees it. */
export interface Placement {
  readonly part: number;
  readonly isShared: boolean;
}

/** The part that an exchange is judged in. */
export function placementOf(
  exchange: Exchange,
  { names, isShared }: Route,
  { plan, parts }: { readonly plan: RoutePlan; readonly parts: number },
): Placement {
  const [name] = names;
  return {
    part: name === undefined ? numberOf(exchange.id) % parts : partOfName(plan.rootOf(name), parts),
    isShared: isShared || plan.isFirstAnswer(exchange),
  };
}

/** The view of one part: `placements` by number of the exchange in its trace. */
export function cutOf(
  { index, parts }: { readonly index: number; readonly parts: number },
  plan: RoutePlan,
  placementFor: (exchange: Exchange) => Placement,
): TrafficCut {
  return {
    isOwn: (exchange) => placementFor(exchange).part === index,
    isShared: (exchange) => placementFor(exchange).isShared,
    ownsObject: (object) => partOfName(plan.rootOf(resourceOf(object)), parts) === index,
  };
}
