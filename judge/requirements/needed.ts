import type { Json } from '../../exchange/http/body.ts';
import type { JsonType } from '../trace/json.ts';

/** The evidence that a requirement lacks, for reports. */
export type Needed = NeededValue | NeededForm | NeededProbe | NeededEvidence;

export interface NeededValue {
  readonly schema: string;
  /** Path in the schema; empty for the whole value. */
  readonly path: string;
  /** Types that show the requirement; absent if any type does. */
  readonly types?: readonly JsonType[];
  /** Conditions on the value, for a rule across properties that applies only to some values. */
  readonly conditions?: readonly NeededCondition[];
}

export interface NeededForm {
  /** A 2xx JSON body, a 2xx stream, or an event in a stream. */
  readonly form: 'json' | 'stream' | 'event';
}

export interface NeededProbe {
  /** The place that the request tests, such as `body.n`; null for any request. */
  readonly place: string | null;
  /** `accepted`: a valid request that must be accepted; `rejected`: a violation whose control is accepted. */
  readonly side: 'accepted' | 'rejected';
}

export interface NeededEvidence {
  /** A noun phrase: `a complete reply`. */
  readonly evidence: string;
  /** The conditions of an inner selector, then those that the nearest evidence met, then the first that it did not. */
  readonly conditions: readonly NeededCondition[];
}

export type NeededCondition =
  /** A clause that continues the noun phrase: `whose choices ended with stop`. */
  | { readonly kind: 'text'; readonly says: string }
  /** A field of the request, of a response or of a judged value, with any limits on it. `nil`: absent or null. */
  | {
      readonly kind: 'field';
      readonly of: 'request' | 'answer' | 'earlier-answer' | 'value';
      readonly field: string;
      readonly is: 'present' | 'nil' | 'absent';
      readonly values?: readonly Json[];
      readonly types?: readonly JsonType[];
    }
  /** A list in the response with at least `least` elements. */
  | { readonly kind: 'list'; readonly field: string; readonly least: number }
  /** `answered`: 2xx in JSON; `decided`: 2xx or rejected; `settled`: 2xx, rejected, 404, 405 or 501. */
  | { readonly kind: 'outcome'; readonly outcome: 'answered' | 'decided' | 'settled' }
  /** A request that is not a probe (`unknown` is null), or one that names a nonexistent object at this place. */
  | { readonly kind: 'sent'; readonly unknown: string | null };
