import type { FaultHooks } from '../faults/fault.ts';
import type { HandlerRequest } from '../server/handler-request.ts';
import type { Json, JsonObject } from '../server/json.ts';

/** Computes the object to show in place of one that the service would show; undefined properties are left out. */
export type ObjectChange = (
  shown: JsonObject,
  request: HandlerRequest,
) => Readonly<Record<string, Json | undefined>>;

/** Intercepts the requests to some operations, as a fault does. */
export interface Interception {
  /** Ids of the operations. */
  readonly on: readonly string[];
  readonly does: FaultHooks;
}

/**
 * A behaviour of the service that differs from its usual one and conforms as well, because the specification leaves both
 * open. One without `shows` and `intercepts` is implemented where the usual behaviour is: that code asks `service.takes`.
 */
export interface Alternative {
  /** By the `object` of what is shown, in responses, lists and events: how it is shown instead. */
  readonly shows?: Readonly<Record<string, ObjectChange>>;
  readonly intercepts?: readonly Interception[];
  /** What a report calls it, where the ledger's word stands for many: `also content_filter` for `others too`. */
  readonly reported?: string;
  /** Other choices that cannot be seen where this alternative is taken. */
  readonly hides?: readonly string[];
  /** Why a run with the usual options may have no evidence of it. */
  readonly unseen?: string;
}

/** A point that the specification leaves open: the usual behaviour of the service, and the others that it can take. */
export interface ChoiceEntry {
  /** In the words of `suites/ledger.json`. */
  readonly usual: string;
  /** By the words of the ledger. The first is the one of `--choices contrary`. */
  readonly others: Readonly<Record<string, Alternative>>;
}

/** Entries by the id of their choice in `suites/ledger.json`. */
export type ChoiceTable = Readonly<Record<string, ChoiceEntry>>;
