// Facts about a run besides its exchanges, as data in the notes of a trace, the ledger and the report. `reports/` puts
// them into words.

import type { KeyFacts } from './key-refusal.ts';

export type MissingSetting =
  | { readonly what: 'model'; readonly role: string }
  | { readonly what: 'key' | 'second-key' };

export type Skip =
  | { readonly reason: 'not-claimed'; readonly family: string }
  | {
      readonly reason: 'filtered';
      readonly option: 'only' | 'skip' | 'scenario';
      readonly globs: readonly string[];
    }
  | { readonly reason: 'not-allowed'; readonly cost: string }
  | { readonly reason: 'not-configured'; readonly missing: MissingSetting };

export type Obstacle = {
  readonly method: string;
  readonly path: string;
} & Shortfall;

type Shortfall =
  | {
      /**
       * `answered`: a status other than the required 2xx · `unreadable`: a 2xx without readable content · `late`:
       * rejected, perhaps because the object had left the required state · `undecided`: a status that neither accepts
       * nor rejects · `control`: the status of the valid request that a violation is compared with · `context`: refused
       * because it exceeds the context window of the model.
       */
      readonly kind: 'answered' | 'unreadable' | 'late' | 'undecided' | 'control' | 'context';
      readonly status: number | null;
    }
  /** The valid request that probes vary is rejected, so they prove nothing. `said`: code or message of the error. */
  | { readonly kind: 'base'; readonly status: number | null; readonly said: string | null }
  | { readonly kind: 'unanswered'; readonly detail: string | null }
  | { readonly kind: 'no-text'; readonly pointer: string }
  /** The response, or its stream, contains no object of this kind (`thread.run`). */
  | { readonly kind: 'no-object'; readonly object: string }
  | { readonly kind: 'other-state'; readonly state: string | null; readonly needed: string };

export type Stop =
  | { readonly reason: 'interrupted' }
  | { readonly reason: 'budget'; readonly limit: 'requests' | 'tokens'; readonly most: number }
  | {
      readonly reason: 'target-unreachable';
      readonly baseUrl: string;
      /** The origin that responds but serves no claimed operation; null for another reason. */
      readonly strange: { readonly origin: string; readonly prefix: string } | null;
      /** Why the target is not ready; null if it is. */
      readonly detail: string | null;
      /** Seconds spent waiting for a response; absent for a single attempt. */
      readonly waited?: number;
      /** Set if every claimed family and operation refused the key, or the lack of one, with `status`: 401 or 403. */
      readonly refused?: { readonly status: number } & KeyFacts;
    }
  | {
      readonly reason: 'target-died';
      readonly detail: string;
      /** Calls in flight, or unanswered since the last response. */
      readonly underWay: readonly CallInFlight[];
    };

export interface CallInFlight {
  readonly method: string;
  /** Path, starting at `/v1`, without the query. */
  readonly path: string;
  readonly exchange: string;
  /** The request was invalid on purpose. */
  readonly invalid?: true;
}

export type StopReason = 'completed' | Stop['reason'];

export type Repeat =
  /** No status line arrived: `detail` says whether the connection closed or the timeout expired. */
  | { readonly why: 'closed'; readonly detail: string | null }
  /** The target rate-limited the request or was unavailable; the driver waited for `seconds`. */
  | { readonly why: 'patience'; readonly status: number; readonly seconds: number };

export type Hint =
  | {
      readonly kind: 'models-not-listed';
      readonly models: readonly ModelChoice[];
      readonly listed: readonly string[];
      readonly total: number;
    }
  /** Discovery chose these models among `total`: those that the target lists, or the given one. */
  | {
      readonly kind: 'models-found';
      readonly models: readonly ModelChoice[];
      readonly without: readonly {
        readonly role: string;
        readonly refused: readonly string[];
        /** Models that accepted an image but showed no sign of having looked at it; absent if there are none. */
        readonly blind?: readonly string[];
      }[];
      readonly total: number;
      /** The model that the user gave for all roles; absent if none was given. */
      readonly given?: string;
    }
  /** A key was configured, no claimed operation was exercised, and 401 or 403 blocked requirements. */
  | { readonly kind: 'key-refused' }
  /** Listing the models returned 401 or 403, so no model was found. */
  | {
      readonly kind: 'models-refused';
      readonly status: number;
      readonly keyVariable: string;
      readonly key: 'sent' | 'none';
    }
  | { readonly kind: 'answers-disturbed'; readonly answers: number }
  /** This many responses are marked as disturbed although the recording does not say so; they are judged. */
  | { readonly kind: 'marks-not-believed'; readonly answers: number }
  | { readonly kind: 'answers-too-long'; readonly answers: number }
  /** Claimed families and operations that the target does not offer: it responds as it does to an unknown path. */
  | {
      readonly kind: 'claim-not-offered';
      readonly names: readonly string[];
      readonly status: number | null;
      readonly offered: readonly string[];
    }
  /** Requests that got 5xx, and another status when they were retried. */
  | {
      readonly kind: 'errors-at-random';
      /** Number of these requests, excluding those that were rate-limited with `Retry-After`. */
      readonly requests: number;
      readonly statuses: readonly number[];
      readonly operations: readonly string[];
      readonly exchanges: readonly string[];
    }
  | { readonly kind: 'dialect-would-excuse'; readonly dialect: string; readonly failures: number }
  | {
      readonly kind: 'model-refused';
      readonly model: string;
      readonly roles: readonly string[];
      readonly status: number;
      /** `error.code` of the response; empty if it has none. */
      readonly code: string;
    }
  /** A client asked the embedded reference for models that it does not have. `offered`: the models that it has. */
  | {
      readonly kind: 'models-not-in-reference';
      readonly models: readonly string[];
      readonly offered: readonly string[];
    };

export interface ModelChoice {
  /** A built-in role, or one of an extension: `chat`, `embeddings.model`. */
  readonly role: string;
  readonly id: string;
}

export interface AwaitedState {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** Last state seen: the field `status`; without it, a text such as `HTTP 200`, or `no response`. */
  readonly state: string;
}

/** Why an object does not count as deleted; `obstacle` is the response to the deletion. */
export type NotDeleted =
  | { readonly why: 'not-deleted'; readonly obstacle: Obstacle }
  /** The deletion seemed to succeed, or to find nothing, but this request still returns the object. */
  | {
      readonly why: 'still-there';
      readonly obstacle: Obstacle;
      readonly shownBy: { readonly method: string; readonly path: string };
    }
  /** The response does not confirm the deletion, and no other request shows that the object is gone. */
  | { readonly why: 'unconfirmed'; readonly obstacle: Obstacle };

export type Remainder =
  /** The creating response carried no id, and no list shows objects of its kind. */
  | { readonly why: 'lost' }
  /** The creating response carried no id, and the request for this list got no 2xx, or the list was incomplete. */
  | { readonly why: 'not-listed'; readonly method: string; readonly path: string }
  | NotDeleted
  /** No operation deletes the object. `state`: the state in which it ended or was cancelled; null if none was seen. */
  | {
      readonly why: 'not-deletable';
      readonly state: string | null;
      /** Objects that the object produced, such as result files, and that could not be deleted. */
      readonly children: readonly { readonly id: string; readonly remainder: NotDeleted }[];
    }
  /** The cleanup itself threw: the run was aborted, or assay has a defect. */
  | { readonly why: 'failed'; readonly message: string };
