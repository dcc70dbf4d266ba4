import { getOrMake } from '../../schemas/maps.ts';

/** The running service as its families see it. The state of a family is in a `perService` slot. */
export interface Service {
  /** Determines the ids of all objects and the fingerprint of completions. */
  readonly seed: number;
  /** Null if keys are not checked. */
  readonly apiKey: string | null;
  /** Id of the organization: `org-reference`, or `org-second` for that of the second key. */
  readonly organization: string;
  /** The service of the first organization; null if this is it. */
  readonly first: Service | null;
  /** In lower case. */
  readonly betaHeader: string;
  /** Seconds that a resource stays in a state; with 0, until it is retrieved. */
  readonly stateDelay: number;
  readonly hasSmallModel: boolean;
  /** How runs of existing models end unless they are cancelled; null if their work decides. */
  readonly runsEnd: 'incomplete' | 'failed' | 'expired' | null;
  /** Exists until the service is closed. */
  readonly directory: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Unix seconds. */
  readonly now: () => number;
  /** A new identifier: `id('file-')`. */
  readonly id: (prefix: string, length?: number) => string;
  /** Scheme, host and port, without a path. */
  readonly origin: () => string;
  /** The alternative that the service takes, by the id of the choice in `suites/ledger.json`. */
  readonly takes: (choice: string) => string;
  /** Sends a request to the service itself, for batches. */
  readonly post: (path: string, body: unknown) => Promise<{ status: number; body: unknown }>;
}

/** Returns a function that creates a state on its first call for a service, and returns the same on later calls. */
export function perService<T>(make: (service: Service) => T): (service: Service) => T {
  const slots = new WeakMap<Service, { readonly value: T }>();
  return (service) => getOrMake(slots, service, () => ({ value: make(service) })).value;
}
