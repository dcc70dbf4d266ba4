import type { JsonObject } from '../../../schemas/json.ts';
import type { Call } from '../../trace/call.ts';
import type { KnownObjects } from '../known-state/objects.ts';

/** A kind of request of which the specification does not say that it is accepted, though it breaks no constraint. */
export interface UnstatedRequest {
  /** Id of the exclusion in the ledger. */
  readonly id: string;
  readonly spec: string;
  /** What is not demanded. */
  readonly says: string;
  readonly reason: string;
  /** Whether a request is of the kind. `body` is its JSON, or the fields of its form. */
  readonly holds: (body: JsonObject, call: Call, objects: KnownObjects) => boolean;
}
