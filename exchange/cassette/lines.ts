import type { EndingKind, Probe } from '../exchange.ts';
import type { Json } from '../http/body.ts';
import type { Note, TraceHeader } from '../trace.ts';

/** The lines of a cassette; `cassettes/README.md` says what each field means. */
export const FORMAT_VERSION = 1;

/** Larger bodies, and bodies that are not text and larger than `INLINE_BINARY`, are kept as blobs. */
export const MAX_INLINE_BYTES = 8 * 1024;
/** Largest body in base64 that is stored in its line. Bytes. */
export const MAX_INLINE_BINARY_BYTES = 4 * 1024;

/** Header fields; null stands for a value that the volatile lane holds. */
export type StoredHeaders = readonly (readonly [name: string, value: string | null])[];

/** Where the bytes of a body are. Exactly one of the forms. */
export type Stored =
  | Inline
  | { readonly blob: string }
  | { readonly digest: string; readonly parts?: readonly StoredPart[] };

/** Bytes in a line: as text where they are valid UTF-8, otherwise in base64. */
export type Inline = { readonly text: string } | { readonly base64: string };

/** A part of a form that was too large to keep. */
export interface StoredPart {
  /** Null for a part without a name. */
  readonly name: string | null;
  readonly filename: string | null;
  readonly type: string | null;
  readonly headers: readonly (readonly [string, string])[];
  readonly size: number;
  readonly sha256: string;
  /** Content of a small field. */
  readonly text?: string;
}

// ---- journal.jsonl: one small event per line, interleaved; `i` is the number of the exchange.

/** A line of a journal. */
export type JournalLine = JournalHeader | JournalNote | JournalSecret | JournalEvent;

/** First line of a journal. `continues`: number of exchanges that the cassette had before. */
export type JournalHeader = { readonly e: 'header'; readonly continues: number } & TraceHeader;
/** A note in a journal. */
export type JournalNote = { readonly e: 'note' } & Note;
/**
 * A secret became known when something that may hold it had been written: how to recognise it there, after the recorder was
 * killed. See `secret-digest.ts`.
 */
export interface JournalSecret {
  readonly e: 'secret';
  /** In bytes of UTF-8. */
  readonly length: number;
  /** Rolling checksum of the secret, which selects candidates before the digest is compared. */
  readonly checksum: number;
  /** Random bytes that go before the secret into its SHA-256; both in hex. */
  readonly salt: string;
  /** Salted SHA-256 in hex. */
  readonly digest: string;
}
/** An event of the exchange with number `i`, in the order in which the recorder saw it. */
export type JournalEvent = { readonly i: number } & (
  | {
      readonly e: 'request';
      readonly after: number;
      /** Milliseconds since 1970. */
      readonly began: number;
      /** Absent for traffic that is not ours. */
      readonly scenario: string | null;
      readonly probe: Probe | null;
      readonly method: string;
      readonly target: string;
      readonly headers: readonly (readonly [string, string])[];
      /** The boundary that the stored body has another in place of. */
      readonly boundary: string | null;
    }
  | ({ readonly e: 'request-body'; readonly size: number } & Stored)
  | {
      readonly e: 'response';
      readonly status: number;
      readonly reason: string;
      readonly headers: readonly (readonly [string, string])[];
    }
  /** Bytes of an event stream as they are released; `size` is what arrived at `at`. */
  | ({ readonly e: 'piece'; readonly at: number; readonly size: number } & Inline)
  | ({
      readonly e: 'response-body';
      readonly size: number;
      readonly pieces: readonly (readonly [number, number])[];
    } & Stored)
  | {
      readonly e: 'end';
      readonly ended: number;
      readonly how: EndingKind;
      /** For people: an errno, a deadline. */
      readonly detail: string | null;
      readonly at: number;
      readonly trailers: readonly (readonly [string, string])[];
    }
);

// ---- cassette.jsonl: exchanges whole, in the order in which they began; nothing volatile.

/** First line of a cassette. */
export type HeaderLine = { readonly e: 'header' } & TraceHeader;
/** A note in a cassette. */
export type NoteLine = { readonly e: 'note' } & Note;

/** First line of an exchange: its request without the body. */
export interface RequestLine {
  readonly e: 'request';
  readonly i: number;
  readonly after: number;
  readonly ended: number;
  /** Match key, see `exchange/matching/request-key.ts`. */
  readonly key: string;
  readonly scenario?: string;
  readonly probe?: Probe;
  readonly method: string;
  readonly target: string;
  readonly headers: StoredHeaders;
}

/** Status line and header fields of a response. Absent when no status line arrived. */
export interface ResponseLine {
  readonly e: 'response';
  readonly status: number;
  readonly reason: string;
  readonly headers: StoredHeaders;
}

/** An empty body has no line. `size` and `sha256` are those of the stored bytes. */
export type BodyLine = {
  readonly e: 'body';
  readonly of: 'request' | 'response';
  readonly size: number;
  readonly sha256: string;
  /** The decoded content of a compressed body, for human readers only. */
  readonly reads?: StoredBody;
} & StoredBody;

/** Forms in which a cassette stores a body. */
export type StoredBody =
  | { readonly text: string }
  | { readonly base64: string }
  | { readonly blob: true }
  | { readonly digest: true; readonly parts?: readonly StoredPart[] }
  /** The stream follows in so many lines; `colon` and `eol` where it spells them unusually. */
  | { readonly colon?: string; readonly eol?: string; readonly lines: number }
  /** Serialising the value with this indent and adding the tail gives back the bytes. */
  | { readonly indent?: number; readonly tail?: string; readonly json: Json };

/** `[event: NAME LF] data: DATA LF LF`, where DATA is `data` serialised or `text` as it is. */
export type EventLine = { readonly e: 'event'; readonly event?: string } & (
  | { readonly data: Json }
  | { readonly text: string }
);
/** Bytes of a stream that are spelled in any other way. */
export type RawLine = { readonly e: 'raw' } & ({ readonly text: string } | { readonly base64: string });

/** Last line of an exchange. */
export interface EndLine {
  readonly e: 'end';
  readonly how: EndingKind;
  readonly detail?: string;
  readonly trailers?: StoredHeaders;
}

/** Last line of a cassette: it shows that the file is complete. */
export interface CloseLine {
  readonly e: 'close';
  /** Number of exchanges in the file. */
  readonly exchanges: number;
  readonly notes: number;
  /** Of all bytes of the file before this line. */
  readonly sha256: string;
}

/** A line of a cassette. */
export type CassetteLine =
  | HeaderLine
  | NoteLine
  | RequestLine
  | BodyLine
  | EventLine
  | RawLine
  | ResponseLine
  | EndLine
  | CloseLine;

// ---- timing.jsonl: the volatile lane, one line per exchange.

/** First line of the timing lane. */
export interface TimingHeader {
  readonly e: 'timing';
  readonly format: number;
  /** Of the target, with the port that the cassette leaves out where the target is on this machine. */
  readonly baseUrl: string;
}

/**
 * The values of one exchange that differ from one recording to the next. Times are milliseconds since its request
 * began.
 */
export interface TimingLine {
  readonly i: number;
  /** Milliseconds since 1970. */
  readonly began: number;
  /** Header values left out of the cassette: index of the field, value. */
  readonly request?: readonly (readonly [number, string])[];
  readonly response?: readonly (readonly [number, string])[];
  readonly trailers?: readonly (readonly [number, string])[];
  readonly boundary?: string;
  /** Byte offset and milliseconds since the request began, for each piece of the body. */
  readonly pieces?: readonly (readonly [number, number])[];
  readonly end: number;
}

/** Receives a trace while it is recorded, as it is stored: without the secrets that are known by then. */
export interface TraceReceiver {
  /** Before anything else. */
  begin(header: TraceHeader): void;
  /** The lines of an exchange that has ended, for `assemble`; a promise where the traffic has to wait for the receiver. */
  exchange(lines: readonly JournalEvent[]): Promise<void> | null;
  /** Notes may come before exchanges that ended earlier: `after` has their place. */
  note(note: Note): void;
  /** Everything has been handed over. */
  end(): void;
}
