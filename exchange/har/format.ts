import type { PlacedNote } from '../cassette/cassette.ts';
import type { StoredPart } from '../cassette/lines.ts';
import type { Ending, HeaderPairs, Probe } from '../exchange.ts';
import type { TraceHeader } from '../trace.ts';

/** The parts of HAR 1.2 that an import reads. Members that begin with `_` are extensions. */
export interface Har {
  readonly log: {
    readonly entries: readonly HarEntry[];
    /** Only in files that assay wrote: the parts of a cassette that are not exchanges. */
    readonly _assay?: {
      readonly format: number;
      readonly header: TraceHeader;
      readonly notes: readonly PlacedNote[];
    };
  };
}

/** Programs omit optional members or write null for them. */
export interface HarEntry {
  readonly startedDateTime?: string | null;
  /** Duration in milliseconds. */
  readonly time?: number | null;
  readonly request: HarRequest;
  readonly response: HarResponse;
  readonly timings?: HarTimings | null;
  readonly _assay?: HarExtension;
}

export interface HarRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: readonly HarHeader[] | null;
  readonly postData?: HarPostData | null;
  readonly bodySize?: number | null;
}

export interface HarPostData {
  readonly mimeType?: string | null;
  readonly text?: string | null;
  readonly params?: readonly HarParameter[] | null;
  /** An extension, because HAR cannot express a request body that is not text. */
  readonly _encoding?: 'base64';
}

export interface HarParameter {
  readonly name: string;
  readonly value?: string | null;
  readonly fileName?: string | null;
  readonly contentType?: string | null;
}

/** Status 0 means that no response arrived. */
export interface HarResponse {
  readonly status: number;
  readonly statusText?: string | null;
  readonly headers?: readonly HarHeader[] | null;
  readonly content?: HarContent | null;
  readonly bodySize?: number | null;
  readonly _error?: string | null;
}

export interface HarContent {
  readonly size?: number | null;
  readonly mimeType?: string | null;
  readonly text?: string | null;
  /** `base64`, or `hex` from some recorders. */
  readonly encoding?: string | null;
  /** The bytes with their content codings, in base64; absent without codings. */
  readonly _coded?: string;
  /** Set by older versions of Polly.js for hexadecimal digits, whole or in pieces. */
  readonly _isBinary?: boolean;
  /** Pieces of a stream, which some recorders store instead of the text. */
  readonly _chunks?: unknown;
}

interface HarHeader {
  readonly name: string;
  readonly value?: string | null;
}

/** Milliseconds of each phase; -1 for a phase that does not apply. */
export interface HarTimings {
  readonly blocked?: number | null;
  readonly dns?: number | null;
  readonly connect?: number | null;
  readonly send?: number | null;
  readonly wait?: number | null;
}

export interface HarExtension {
  readonly after: number;
  readonly ended: number;
  readonly scenario: string | null;
  readonly probe: Probe | null;
  readonly target: string;
  readonly answered: boolean;
  readonly end: Ending;
  /** Times are milliseconds since the request began. */
  readonly pieces: readonly (readonly [offset: number, at: number])[];
  readonly trailers: readonly (readonly [string, string])[];
  readonly digest?: {
    readonly sha256: string;
    readonly size: number;
    readonly parts: readonly StoredPart[] | null;
  };
}

export class HarError extends Error {
  override readonly name = 'HarError';
}

/** The message lacks the name of the file; `readRecordedFile` adds it. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

export function harHeaders(headers: HeaderPairs): HarHeader[] {
  return headers.map(([name, value]) => ({ name, value }));
}
