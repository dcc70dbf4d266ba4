/** An upper bound for the events or objects in a response: their positions, divided by it, are less than 1. */
export const MAX_PARTS = 10_000_000;

/** A fact with the time at which it was reported, so that the first of several facts can be found. */
export interface Timed<T> {
  /** How many exchanges had ended when it was reported, plus a half if that was at the end of a trace. */
  readonly at: number;
  /** Number of the exchange that shows it; 0 if none does. */
  readonly by: number;
  readonly value: T;
}

export function earlier<T>(known: Timed<T> | null, other: Timed<T>): Timed<T> {
  if (known === null) return other;
  return other.at < known.at || (other.at === known.at && other.by < known.by) ? other : known;
}

export function earliestOf<T>(known: Timed<T> | null, other: Timed<T> | null): Timed<T> | null {
  return other === null ? known : earlier(known, other);
}

/** The number in the id of an exchange: 17 for `e17`; 0 without a number. */
export function numberOf(exchange: string): number {
  const number = Number(exchange.slice(1));
  return Number.isNaN(number) ? 0 : number;
}
