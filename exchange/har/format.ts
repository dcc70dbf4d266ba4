import type { StoredPart } from '../cassette/lines.ts';
import type { Ending, HeaderPairs, Probe } from '../exchange.ts';
import type { Note, TraceHeader } from '../trace.ts';

/** The parts of HAR 1.2 that are read and written here. Fields that begin with `_` are extensions. */
export interface Har {
  readonly log: {
    readonly version: string;
    readonly creator: { readonly name: string; readonly version: string };
    readonly entries: readonly HarEntry[];
    /** Fields that only files written by assay have; they restore a cassette byte for byte. */
    readonly _assay?: {
      readonly format: number;
      readonly header: TraceHeader;
      readonly notes: readonly PlacedNote[];
    };
  };
}

/** A note, and the number of the exchange that began after it. */
export type PlacedNote = { readonly before: number } & Note;

/** A file in the HAR 1.2 format. Members that begin with an underscore are extensions. Some programs write null, or leave members out. */
export interface HarEntry {
  /** ISO 8601. */
  readonly startedDateTime?: string | null;
  /** Milliseconds. */
  readonly time?: number | null;
  readonly request: HarRequest;
  readonly response: HarResponse;
  readonly cache: object;
  readonly timings?: HarTimings | null;
  /** Kind of the request in Chrome. */
  readonly _resourceType?: string;
  /** Only in files that assay wrote. */
  readonly _assay?: HarExtension;
}

/** Request of an entry. */
export interface HarRequest {
  readonly method: string;
  readonly url: string;
  readonly httpVersion: string;
  readonly cookies: readonly [];
  readonly headers?: readonly HarHeader[] | null;
  /** Parameters of the URL. */
  readonly queryString: readonly HarHeader[];
  readonly postData?: HarPostData | null;
  readonly headersSize: number;
  /** Bytes; -1 where it is not known. */
  readonly bodySize: number;
}

/** Request body: as text, or as the fields of a form. */
export interface HarPostData {
  readonly mimeType?: string | null;
  readonly text?: string | null;
  readonly params?: readonly HarParameter[] | null;
  /** HAR has no way to say that a request body is not text. */
  readonly _encoding?: 'base64';
}

/** A field of a form. */
export interface HarParameter {
  readonly name: string;
  readonly value?: string | null;
  /** Present for an uploaded file. */
  readonly fileName?: string | null;
  /** Media type of an uploaded file. */
  readonly contentType?: string | null;
}

/** Response of an entry. Status 0 stands for no response. */
export interface HarResponse {
  readonly status: number;
  readonly statusText?: string | null;
  readonly httpVersion: string;
  readonly cookies: readonly [];
  readonly headers?: readonly HarHeader[] | null;
  readonly content?: HarContent | null;
  readonly redirectURL: string;
  readonly headersSize: number;
  readonly bodySize: number;
  /** Error code of the browser. */
  readonly _error?: string | null;
}

/** Response body without its content coding. */
export interface HarContent {
  readonly size: number;
  readonly mimeType: string;
  /** The content with its codings undone. */
  readonly text?: string | null;
  /** `base64`, or absent for text. */
  readonly encoding?: string | null;
  /** The bytes as they were, in base64, where a coding was undone. */
  readonly _coded?: string;
  /** Set by Polly.js where the text consists of hexadecimal digits. */
  readonly _isBinary?: boolean;
  /** Pieces of a stream, where a recorder keeps them in place of the text. */
  readonly _chunks?: unknown;
}

/** A header field or query parameter. */
export interface HarHeader {
  readonly name: string;
  readonly value?: string | null;
}

/** Milliseconds of each phase; -1 for a phase that does not apply. */
export interface HarTimings {
  readonly blocked?: number | null;
  readonly dns?: number | null;
  readonly connect?: number | null;
  readonly ssl?: number;
  readonly send?: number | null;
  readonly wait?: number | null;
  readonly receive: number;
}

/** What HAR has no place for. */
export interface HarExtension {
  /** As in `Exchange`. */
  readonly after: number;
  readonly ended: number;
  readonly scenario: string | null;
  readonly probe: Probe | null;
  /** Path and query as they were sent. */
  readonly target: string;
  /** False where no status line arrived. */
  readonly answered: boolean;
  readonly end: Ending;
  /** Arrival times in milliseconds since the request began. */
  readonly pieces: readonly (readonly [offset: number, at: number])[];
  readonly trailers: readonly (readonly [string, string])[];
  /** Of a request body that was not kept. */
  readonly digest?: {
    readonly sha256: string;
    readonly size: number;
    readonly parts: readonly StoredPart[] | null;
  };
}

/** A file that cannot be read as HAR; the message says what was found and what to do. */
export class HarError extends Error {
  override readonly name = 'HarError';
}

/** Header fields as a HAR file lists them: as name and value, in their order. */
export function harHeaders(headers: HeaderPairs): HarHeader[] {
  return headers.map(([name, value]) => ({ name, value }));
}
