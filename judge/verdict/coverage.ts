import type { StateMachine } from '../requirements/catalogue.ts';

export interface Transition {
  /** Null before the object exists. */
  readonly from: string | null;
  readonly to: string;
  /** `stated`: in the specification; `over`: several stated transitions at once; `open`: neither. */
  readonly kind: 'stated' | 'over' | 'open';
  /** How many times objects made the transition; 0 for a stated one that was not observed. */
  readonly seen: number;
}

export interface StateMachineCoverage extends Pick<StateMachine, 'name' | 'spec'> {
  /** Stated states in the order of the catalogue, then others by first entry. `seen`: how often objects entered it. */
  readonly states: readonly { readonly name: string; readonly stated: boolean; readonly seen: number }[];
  /** The transitions: all stated ones, and all others that were observed. */
  readonly ways: readonly Transition[];
}

export interface UsedPart {
  /** `query.limit` or `body.stream` for a parameter; otherwise a value or an event, which `usedParts` prefixes. */
  readonly name: string;
  readonly times: number;
}

export interface UsedParameter extends UsedPart {
  /** The listed values: as JSON for a body, as plain text for a query; empty if none are listed. */
  readonly values: readonly UsedPart[];
}

export interface OperationUsage {
  readonly subject: string;
  readonly family: string;
  readonly requests: number;
  /** All query parameters and body fields that the specification lists, used or not. */
  readonly parameters: readonly UsedParameter[];
  /** The stream events that the specification lists, used or not; `data` for events without a name. */
  readonly events: readonly UsedPart[];
}
