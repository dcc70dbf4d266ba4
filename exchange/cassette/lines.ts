import type { EndingKind, Probe } from '../exchange.ts';
import type { Json } from '../http/body.ts';
import type { Note, TraceHeader } from '../trace.ts';

/** Version of the cassette format; `cassettes/README.md` describes each field. */
export const FORMAT_VERSION = 1;

/** Size in bytes above which bodies go to blobs, except event streams that are stored piece by piece. */
export const MAX_INLINE_BYTES = 8 * 1024;
/** Size in bytes above which bodies that are not text go to blobs. */
export const MAX_INLINE_BINARY_BYTES = 4 * 1024;

/** Maximum number of pieces whose times are kept; otherwise a stream of single-byte pieces would exhaust memory. */
export const MAX_PIECES = 100_000;

/** Header fields; a value is null if it is in the timing file. */
export type StoredHeaders = readonly (readonly [name: string, value: string | null])[];

export type Stored =
  | Inline
  | { readonly blob: string }
  | { readonly digest: string; readonly parts?: readonly StoredPart[] };

/** Bytes in a line: as text if they are valid UTF-8, otherwise in base64. */
export type Inline = { readonly text: string } | { readonly base64: string };

/** A part of a form whose bytes were not kept; the first four members are those of `FormDataPart`. */
export interface StoredPart {
  readonly name: string | null;
  readonly filename: string | null;
  readonly type: string | null;
  readonly headers: readonly (readonly [string, string])[];
  readonly size: number;
  /** SHA-256 of its content, in hex; 64 zeros if the content is unknown. */
  readonly sha256: string;
  /** Content of a small field. */
  readonly text?: string;
}

// ---- journal.jsonl: one event per line, exchanges interleaved; `i` is the number of the exchange.

export type JournalLine = JournalHeader | JournalNote | JournalSecret | JournalEvent;

/** First line of a journal. `continues`: number of exchanges that the cassette already had. */
export type JournalHeader = { readonly e: 'header'; readonly continues: number } & TraceHeader;
export type JournalNote = { readonly e: 'note' } & Note;
/** Identifies a secret that became known late, so that recovery after a kill can find it. See `secretDigest`. */
export interface JournalSecret {
  readonly e: 'secret';
  /** Length of the secret in bytes of UTF-8. */
  readonly length: number;
  readonly checksum: number;
  /** Random bytes that are hashed before the secret, in hex. */
  readonly salt: string;
  /** SHA-256 of the salt and the secret, in hex. */
  readonly digest: string;
}
/**
 * An event of exchange `i`, in the order in which the recorder saw it. `at` and the times of `pieces` are milliseconds
 * since the request began.
 */
export type JournalEvent = { readonly i: number } & (
  | {
      readonly e: 'request';
      readonly after: number;
      /** Milliseconds since 1970. */
      readonly began: number;
      /** Name of the scenario that sent it, or `discovery`; null for other traffic. */
      readonly scenario: string | null;
      readonly probe: Probe | null;
      readonly method: string;
      readonly target: string;
      readonly headers: readonly (readonly [string, string])[];
      /** Boundary on the wire; the stored body has a placeholder instead. */
      readonly boundary: string | null;
    }
  | ({ readonly e: 'request-body'; readonly size: number } & Stored)
  | {
      readonly e: 'response';
      readonly status: number;
      readonly reason: string;
      readonly headers: readonly (readonly [string, string])[];
    }
  /** Bytes of an event stream as the redactor released them; `size` bytes arrived at `at`. */
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
      /** For display only, such as an errno or a deadline. */
      readonly detail: string | null;
      readonly at: number;
      readonly trailers: readonly (readonly [string, string])[];
    }
);

export type EventOf<E extends JournalEvent['e']> = Extract<JournalEvent, { readonly e: E }>;
export type BodyEvent = EventOf<'request-body' | 'response-body'>;

// ---- cassette.jsonl: complete exchanges in the order in which they began; nothing volatile.

export type HeaderLine = { readonly e: 'header' } & TraceHeader;
export type NoteLine = { readonly e: 'note' } & Note;

export interface RequestLine {
  readonly e: 'request';
  /** Number of the exchange, from 1, by start. */
  readonly i: number;
  /** Number of exchanges that had ended when it began. */
  readonly after: number;
  /** Position in the order in which exchanges ended, from 1. */
  readonly ended: number;
  readonly key: string;
  /** Name of the scenario that sent it, or `discovery`; absent for other traffic. */
  readonly scenario?: string;
  /** The constraint that the request tests; absent if it tests none. */
  readonly probe?: Probe;
  readonly method: string;
  /** Path and query, with secrets replaced. */
  readonly target: string;
  /** `[name, value]` in wire order; the value is null if the timing file has it. */
  readonly headers: StoredHeaders;
}

export interface ResponseLine {
  readonly e: 'response';
  readonly status: number;
  readonly reason: string;
  readonly headers: StoredHeaders;
}

/** An empty body has no line. `size` and `sha256` describe the body with secrets replaced. */
export type BodyLine = {
  readonly e: 'body';
  readonly of: 'request' | 'response';
  readonly size: number;
  readonly sha256: string;
  /** Decoded content of a compressed body, for display only. */
  readonly reads?: StoredBody;
} & StoredBody;

export type StoredBody =
  | Inline
  | { readonly blob: true }
  | { readonly digest: true; readonly parts?: readonly StoredPart[] }
  /** The stream follows in this many lines; `colon` and `eol` record unusual syntax. */
  | { readonly colon?: string; readonly eol?: string; readonly lines: number }
  /** Serialising the value with this indent and appending the tail reproduces the bytes. */
  | { readonly indent?: number; readonly tail?: string; readonly json: Json };

/** `[event: NAME EOL] data: DATA EOL EOL` in the syntax of its body line; DATA is `data` serialised, or `text`. */
export type EventLine = { readonly e: 'event'; readonly event?: string } & (
  | { readonly data: Json }
  | { readonly text: string }
);
/** Bytes of a stream in any other form. */
export type RawLine = { readonly e: 'raw' } & Inline;

interface EndLine {
  readonly e: 'end';
  readonly how: EndingKind;
  readonly detail?: string;
  readonly trailers?: StoredHeaders;
}

/** The last line: it shows that the file is complete. */
export interface CloseLine {
  readonly e: 'close';
  readonly exchanges: number;
  readonly notes: number;
  /** Digest of all bytes of the file before this line. */
  readonly sha256: string;
}

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

// ---- timing.jsonl: everything volatile, one line per exchange.

export interface TimingHeader {
  readonly e: 'timing';
  readonly format: number;
  /** URL of the target, with the port that the cassette omits for a target on this machine. */
  readonly baseUrl: string;
}

/** The values that differ between recordings of one exchange. Times other than `began` are milliseconds since it. */
export interface TimingLine {
  readonly i: number;
  /** Milliseconds since 1970. */
  readonly began: number;
  /** Header values that the cassette lacks: index of the field, value. */
  readonly request?: readonly (readonly [number, string])[];
  readonly response?: readonly (readonly [number, string])[];
  readonly trailers?: readonly (readonly [number, string])[];
  /** Boundary of the form on the wire; absent if the cassette has no placeholder for it. */
  readonly boundary?: string;
  /** Byte offset and time of each piece of the response body, at most `MAX_PIECES`. */
  readonly pieces?: readonly (readonly [number, number])[];
  readonly end: number;
}
