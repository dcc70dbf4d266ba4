/** Facts that stand beside exchanges: in the notes of a trace, in the ledger and summary of a run. Reports make the words. */

/** Something that a scenario needs and the configuration does not provide: a model for a role, or an API key. */
export type Missing = { readonly what: 'model'; readonly role: string } | { readonly what: 'key' };

/** Why a scenario is not run. */
export type Skip =
  | { readonly reason: 'not-claimed'; readonly family: string }
  | {
      readonly reason: 'filtered';
      /** The option that leaves it out, and its globs. */
      readonly option: 'only' | 'skip' | 'scenario';
      readonly globs: readonly string[];
    }
  | { readonly reason: 'not-allowed'; readonly cost: string }
  | { readonly reason: 'not-configured'; readonly missing: Missing };

/** A skip in a cassette of version 0.1 or earlier, which holds a text in place of the facts. */
export interface EarlierSkip {
  readonly reason: Skip['reason'];
  readonly detail: string;
}

/** The answer, or the missing answer, of an exchange without which something else could not be shown. */
export type Obstacle =
  | ({
      readonly method: string;
      /** The path that was asked for, without its query, or the path template of the operation. */
      readonly path: string;
    } & Shortfall)
  /** Of a cassette of version 0.1 or earlier. */
  | { readonly kind: 'text'; readonly message: string };

type Shortfall =
  | {
      /**
       * `answered`: with a status that is not the 2xx that was needed · `unreadable`: a 2xx with nothing readable in it ·
       * `late`: rejected, perhaps because the object was no longer in the state for it · `undecided`: a status that neither
       * accepts nor rejects · `control`: with this status to the valid request that a violation is compared with.
       */
      readonly kind: 'answered' | 'unreadable' | 'late' | 'undecided' | 'control';
      /** HTTP status; null when no status line arrived. */
      readonly status: number | null;
    }
  /** The valid request that probes add to is refused, so that they show nothing. `said` is the code or the message of the error. */
  | { readonly kind: 'base'; readonly status: number | null; readonly said: string | null }
  /** No status line arrived. `detail` is that of the exchange's end. */
  | { readonly kind: 'unanswered'; readonly detail: string | null }
  /** The answer has no string at this JSON pointer. */
  | { readonly kind: 'no-text'; readonly pointer: string }
  /** The answer, or its stream, holds no object of this kind (`thread.run`). */
  | { readonly kind: 'no-object'; readonly object: string }
  /** The awaited object ended in another state than the needed one. */
  | { readonly kind: 'other-state'; readonly state: string | null; readonly needed: string };

/** Why a run ended before its scenarios did. */
export type Stop =
  | { readonly reason: 'interrupted' }
  /** `most` requests, or tokens, are used up. */
  | { readonly reason: 'budget'; readonly limit: 'requests' | 'tokens'; readonly most: number }
  | {
      readonly reason: 'target-unreachable';
      readonly baseUrl: string;
      /** Null when nothing answers with HTTP and `detail` says why; else where the answers came from, and none knows an operation. */
      readonly strange: { readonly origin: string; readonly prefix: string } | null;
      readonly detail: string | null;
      /** Seconds for which an answer was waited for; absent for one attempt. */
      readonly waited?: number;
    }
  | {
      readonly reason: 'target-died';
      readonly detail: string;
      /** Calls without an answer since its last one, and those that were under way; absent in earlier cassettes. */
      readonly underWay?: readonly CallUnderWay[];
    };

/** A call that a target left without an answer, without its query. */
export interface CallUnderWay {
  readonly method: string;
  readonly path: string;
  /** `e17`; absent in earlier cassettes. */
  readonly exchange?: string;
  /** The request was invalid on purpose. */
  readonly invalid?: true;
}

/** A stop in a cassette of version 0.1 or earlier, which holds a text in place of the facts. */
export interface EarlierStop {
  readonly reason: StopReason;
  readonly message: string;
}

/** How driving ended. */
export type StopReason =
  | 'completed'
  | 'interrupted'
  | 'budget'
  | 'deadline'
  | 'target-unreachable'
  | 'target-died';

/** Why a request was sent again. */
export type Repeat =
  /** The kept connection closed before the answer. */
  | { readonly why: 'closed'; readonly detail: string | null }
  /** The target asked for patience; `seconds` is how long the driver waited. */
  | { readonly why: 'patience'; readonly status: number; readonly seconds: number };

/** Something about the target or the configuration that a person should look at. */
export type Hint =
  /** The target lists models, and these are not among them. */
  | {
      readonly kind: 'models-not-listed';
      readonly models: readonly ModelChoice[];
      /** The first of the models that it lists, and how many there are in all. */
      readonly listed: readonly string[];
      readonly total: number;
    }
  /** No model was configured: these were found by trial requests among `total` listed ones. */
  | {
      readonly kind: 'models-found';
      readonly models: readonly ModelChoice[];
      /** Roles that stay without a model, with the ids that were tried. */
      readonly without: readonly {
        readonly role: string;
        readonly refused: readonly string[];
        /** Those that accepted an image without a sign that they looked at it; absent for none. */
        readonly blind?: readonly string[];
      }[];
      readonly total: number;
      /** The one model that was given for all roles, where none was searched; absent otherwise. */
      readonly given?: string;
    }
  /** An API key was sent with every request, and every request was answered 401 or 403. */
  | { readonly kind: 'key-refused' }
  /** So many answers were spoiled by `--disturb`: they are no evidence about the service. */
  | { readonly kind: 'answers-disturbed'; readonly answers: number }
  /** So many answers have the field of such answers where none was disturbed, as far as is known: they are judged. */
  | { readonly kind: 'marks-not-believed'; readonly answers: number }
  /** Every request with this model was rejected for the model. */
  | {
      readonly kind: 'model-refused';
      readonly model: string;
      /** Roles that the configuration gives it. */
      readonly roles: readonly string[];
      readonly status: number;
      /** `error.code` of the answer; empty where it has none. */
      readonly code: string;
    }
  /** A client asked the embedded reference for these models, which it does not have, and the models that it has. */
  | {
      readonly kind: 'models-not-in-reference';
      readonly models: readonly string[];
      readonly offered: readonly string[];
    }
  /** Of a cassette of version 0.1 or earlier. */
  | { readonly kind: 'text'; readonly message: string };

/** A model id and the role that it was given. */
export interface ModelChoice {
  readonly role: string;
  readonly id: string;
}

/** An object that a scenario waits for: the request that shows its state, and the last state that was seen. */
export interface AwaitedState {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly state: string;
}

/** Why a deletion does not count; `obstacle` is its answer. */
export type NotDeleted =
  | { readonly why: 'not-deleted'; readonly obstacle: Obstacle }
  /** The deletion seemed to succeed, or to find nothing; this request still returns the object. */
  | {
      readonly why: 'still-there';
      readonly obstacle: Obstacle;
      readonly shownBy: { readonly method: string; readonly path: string };
    }
  /** The answer does not confirm the deletion, and no other request shows that the object is gone. */
  | { readonly why: 'unconfirmed'; readonly obstacle: Obstacle };

/** Why an object is still on the target after clean-up. */
export type Remainder =
  /** The response that made it carried no id, and no list shows objects of its kind. */
  | { readonly why: 'lost' }
  /** The response that made it carried no id, and this request for the list was not answered with 2xx, or not with all of the list. */
  | { readonly why: 'not-listed'; readonly method: string; readonly path: string }
  | NotDeleted
  /** No operation deletes it. It ended, or was cancelled, in this state; null where none was seen. */
  | {
      readonly why: 'not-deletable';
      readonly state: string | null;
      /** Objects that it produced, such as result files, and that could not be deleted. */
      readonly children: readonly { readonly id: string; readonly remainder: NotDeleted }[];
    }
  /** Clean-up itself threw: the run was ended for everyone, or a defect. */
  | { readonly why: 'failed'; readonly message: string };
