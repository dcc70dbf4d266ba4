// The evidence that shows a requirement, as facts: reports make the words.
import type { Json } from '../../exchange/http/body.ts';
import type { JsonType } from '../trace/json.ts';

export type Needed = NeededValue | NeededForm | NeededProbe | NeededEvidence;

/** A value of answers that a requirement is about. */
export interface NeededValue {
  /** Name of the schema: `usage`. */
  readonly schema: string;
  /** Place of the value in it; empty for the whole. */
  readonly path: string;
  /** Types that the value must have to show the requirement; absent if any will do. */
  readonly types?: readonly JsonType[];
  /** Conditions on the value, if a rule across properties is about some values only. */
  readonly conditions?: readonly NeededCondition[];
}

/** A form of answers that a requirement is about: JSON, a stream, or an event of one. */
export interface NeededForm {
  readonly form: 'json' | 'stream' | 'event';
}

/** A request that a requirement is about, and its required outcome. */
export interface NeededProbe {
  /** The place that the request tests, such as `body.n`; null for any request. */
  readonly place: string | null;
  /**
   * Whether valid requests must be accepted, or violations rejected while the same requests without them are
   * accepted.
   */
  readonly side: 'accepted' | 'rejected';
}

/** Evidence of a requirement that was written by hand. */
export interface NeededEvidence {
  /** A noun phrase: `a complete reply`. */
  readonly evidence: string;
  /** The conditions that some evidence met, followed by the one that none did. Empty without any evidence. */
  readonly conditions: readonly NeededCondition[];
}

/** A condition on evidence. */
export type NeededCondition =
  /** A clause that continues the noun phrase: `whose choices ended with stop`. */
  | { readonly kind: 'text'; readonly says: string }
  /** A field of the request or of a response, with one of the values if given. `nil`: absent or null. */
  | {
      readonly kind: 'field';
      readonly of: 'request' | 'answer' | 'earlier-answer' | 'value';
      readonly field: string;
      readonly is: 'present' | 'nil' | 'absent';
      readonly values?: readonly Json[];
      readonly types?: readonly JsonType[];
    }
  /** A list of the response with at least this number of elements. */
  | { readonly kind: 'list'; readonly field: string; readonly least: number }
  /** `answered`: 2xx in JSON; `decided`: 2xx or rejected; `settled`: 2xx, rejected, or not found. */
  | { readonly kind: 'outcome'; readonly outcome: 'answered' | 'decided' | 'settled' }
  /** A request sent for its own sake, or one that names something at this place that does not exist. */
  | { readonly kind: 'sent'; readonly unknown: string | null };
