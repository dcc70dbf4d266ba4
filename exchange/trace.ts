import { extensions } from '../schemas/index.ts';
import type { ClaimedNames } from './claims.ts';
import type { DisturbedAnswer } from './disturbed.ts';
import type { Exchange } from './exchange.ts';
import type { Hint, Obstacle, Repeat, Skip, Stop } from './note.ts';

/** Facts that exchanges do not show. Every trace begins with them, so that live and offline verdicts agree. */
export interface TraceHeader {
  /** Version of the format. */
  readonly format: 1;
  /** The program that recorded the trace. */
  readonly tool: { readonly name: string; readonly version: string };
  /** The service; `reference` is the embedded one. */
  readonly target: { readonly baseUrl: string; readonly name: string };
  /** Families and operations judged, and how they were determined. */
  readonly claims: ClaimedNames & { readonly how: 'default' | 'given' | 'auto' };
  /** Globs of the requirements to judge and to leave out. */
  readonly filters: { readonly only: readonly string[]; readonly skip: readonly string[] };
  /** Cost classes that scenarios were allowed to spend. */
  readonly allow: readonly string[];
  /** Null for the specification without errata. */
  readonly dialect: { readonly name: string; readonly digest: string } | null;
  /** Extensions in effect, which are judged as well; absent if there are none. */
  readonly extensions?: readonly { readonly name: string; readonly digest: string }[];
  /** Name of the beta header field, which selects a version of an API. */
  readonly betaHeader: string;
  /** Model id by role. */
  readonly models: Readonly<Record<string, string>>;
  /** Whether an API key was configured. */
  readonly key: boolean;
  /** Whether a proxy added the key, so that the client sent none and will send none on replay. */
  readonly keyInjected?: boolean;
  /** Whether responses were disturbed and marked; otherwise marks are not trusted. */
  readonly disturbed?: boolean;
  /** Redaction rules in effect. Patterns may be secret themselves, so only their number is recorded. */
  readonly redact?: {
    readonly pointers: readonly string[];
    /** Number of rules `pattern:…` of `--redact`. */
    readonly patterns: number;
    /** Set if fields and URL parameters of bodies that are named like secrets were not masked. */
    readonly fields?: 'kept';
  };
  /** The part of the scenarios that ran, from 1; null for all. */
  readonly shard: { readonly index: number; readonly of: number } | null;
}

export type NoteContent =
  | { readonly note: 'scenario-started'; readonly scenario: string }
  | { readonly note: 'scenario-ended'; readonly scenario: string }
  | { readonly note: 'scenario-crashed'; readonly scenario: string; readonly message: string }
  | ({ readonly note: 'scenario-skipped'; readonly scenario: string } & Skip)
  /** `by` is the exchange that blocked the scenario. */
  | { readonly note: 'blocked'; readonly scenario: string; readonly by: string; readonly obstacle: Obstacle }
  | {
      readonly note: 'deadline';
      readonly scenario: string;
      readonly exchange: string;
      readonly state: string;
      /** Tag in all objects that the scenario created, if these stay on the target for a later run to resume. */
      readonly tag?: string;
    }
  | { readonly note: 'resumed'; readonly scenarios: readonly string[] }
  /** `exchange` retries `of`. */
  | { readonly note: 'retry'; readonly exchange: string; readonly of: string; readonly repeat: Repeat }
  | ({ readonly note: 'stopped' } & Stop)
  | { readonly note: 'disturbed'; readonly answer: DisturbedAnswer }
  | { readonly note: 'remark'; readonly message: string }
  | { readonly note: 'hint'; readonly hint: Hint };

/** An event other than an exchange; `after` is the number of exchanges that had ended, as in Exchange. */
export type Note = { readonly after: number } & NoteContent;

/** One element of a trace after its header. Elements are in the order in which exchanges ended. */
export type TraceItem = Exchange | Note;

export function isNote(item: TraceItem): item is Note {
  return 'note' in item;
}

export function extensionsInHeader(): Pick<TraceHeader, 'extensions'> {
  const inEffect = extensions().map(({ name, digest }) => ({ name, digest }));
  return inEffect.length === 0 ? {} : { extensions: inEffect };
}
