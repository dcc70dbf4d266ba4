import { extensions } from '../schemas/index.ts';
import type { ClaimedNames } from './claims.ts';
import type { DisturbedAnswer } from './disturbed.ts';
import type { Exchange } from './exchange.ts';
import type { EarlierSkip, EarlierStop, Hint, Obstacle, Repeat, Skip, Stop } from './note.ts';

export type { StopReason } from './note.ts';

/** Facts of a run that only the driver knows; first in every trace, so that live and offline verdicts agree. */
export interface TraceHeader {
  readonly format: 1;
  readonly tool: { readonly name: string; readonly version: string };
  readonly target: { readonly baseUrl: string; readonly name: string };
  /** Families and operations judged, and how that was found out. */
  readonly claims: ClaimedNames & { readonly how: 'default' | 'given' | 'auto' };
  readonly filters: { readonly only: readonly string[]; readonly skip: readonly string[] };
  /** Cost classes that scenarios were allowed to spend. */
  readonly allow: readonly string[];
  readonly dialect: { readonly name: string; readonly digest: string } | null;
  /** Extensions in effect, whose operations and requirements are judged, too; absent for none. */
  readonly extensions?: readonly { readonly name: string; readonly digest: string }[];
  readonly betaHeader: string;
  /** Model id by role. */
  readonly models: Readonly<Record<string, string>>;
  /** Whether an API key was configured. */
  readonly key: boolean;
  /** True when a proxy put the key in: the client itself sent none, and will send none on replay. */
  readonly keyInjected?: boolean;
  /** True when answers were spoiled on purpose, and marked so; without it, such marks are not believed. */
  readonly disturbed?: boolean;
  /** Redaction rules in effect: pointers, and the number of patterns, which may be secret themselves. */
  readonly redact?: {
    readonly pointers: readonly string[];
    readonly patterns: number;
    /** `kept` where fields that are named as secrets were not masked. */
    readonly fields?: 'kept';
  };
  readonly shard: { readonly index: number; readonly of: number } | null;
}

/** Content of a note: an event beside the exchanges. */
export type NoteContent =
  | { readonly note: 'scenario-started'; readonly scenario: string }
  | { readonly note: 'scenario-ended'; readonly scenario: string }
  | { readonly note: 'scenario-crashed'; readonly scenario: string; readonly message: string }
  | ({ readonly note: 'scenario-skipped'; readonly scenario: string } & (Skip | EarlierSkip))
  /** `by` is the exchange that blocked; `message` stands in cassettes of version 0.1 or earlier. */
  | ({ readonly note: 'blocked'; readonly scenario: string; readonly by: string } & (
      | { readonly obstacle: Obstacle }
      | { readonly message: string }
    ))
  | {
      readonly note: 'deadline';
      readonly scenario: string;
      readonly exchange: string;
      readonly state: string;
      /** Tag that the scenario wrote into all objects that it created, when they wait on the target for a later run to resume. */
      readonly tag?: string;
    }
  /** A later run went on with what waited: `assay run --resume`. */
  | { readonly note: 'resumed'; readonly scenarios: readonly string[] }
  /** `exchange` repeats `of`; `reason` stands in cassettes of version 0.1 or earlier. */
  | ({ readonly note: 'retry'; readonly exchange: string; readonly of: string } & (
      | { readonly repeat: Repeat }
      | { readonly reason: string }
    ))
  | ({ readonly note: 'stopped' } & (Stop | EarlierStop))
  /** The reaction of a client to an answer that was spoiled on purpose. */
  | { readonly note: 'disturbed'; readonly answer: DisturbedAnswer }
  /** A remark of the recorder on the recording. */
  | { readonly note: 'remark'; readonly message: string }
  /** A remark of the driver on the target. */
  | ({ readonly note: 'hint' } & ({ readonly hint: Hint } | { readonly message: string }));

/** An event beside the exchanges, at its position among their ends (`after` as in Exchange). */
export type Note = { readonly after: number } & NoteContent;

/** One element of a trace after its header. Items come in the order in which they ended. */
export type TraceItem = Exchange | Note;

export function isNote(item: TraceItem): item is Note {
  return 'note' in item;
}

/** The extensions in effect, as the header of a trace that is being recorded has them; nothing without any. */
export function extensionsInHeader(): Pick<TraceHeader, 'extensions'> {
  const inEffect = extensions().map(({ name, digest }) => ({ name, digest }));
  return inEffect.length === 0 ? {} : { extensions: inEffect };
}
