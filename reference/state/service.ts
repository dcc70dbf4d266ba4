// The parts of a running service that its families share: options, clock, identifiers, and slots for their state.

/** The running service as its families see it. The state of a family lives in a `perService` slot. */
export interface Service {
  /** Decides every identifier and every choice of the stand-in model. */
  readonly seed: number;
  /** The key that requests must carry; null accepts any key, and none. */
  readonly apiKey: string | null;
  /** Name of the beta header, in lower case. */
  readonly betaHeader: string;
  /** Seconds a resource stays in a state; 0: until it is retrieved. */
  readonly stateDelay: number;
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
  /** The alternative that the service takes of a choice of the specification, by its id in `suites/ledger.json`. */
  readonly takes: (choice: string) => string;
  /** A request of the service to itself, for batches. */
  readonly post: (path: string, body: unknown) => Promise<{ status: number; body: unknown }>;
}

/** A slot of state for each running service: the first call makes it. */
export function perService<T>(make: (service: Service) => T): (service: Service) => T {
  const slots = new WeakMap<Service, { readonly value: T }>();
  return (service) => {
    const slot = slots.get(service) ?? { value: make(service) };
    slots.set(service, slot);
    return slot.value;
  };
}
