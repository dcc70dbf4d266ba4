import type { CassetteError } from '../../exchange/cassette/folder.ts';
import type { JournalEvent } from '../../exchange/cassette/lines.ts';
import type { Quarantined } from '../../exchange/cassette/quarantine.ts';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import type { RedactorOptions } from '../../exchange/redaction/redactor.ts';
import type { Note, NoteContent, TraceHeader, TraceItem } from '../../exchange/trace.ts';

/** Options of a recorder: the service, the cassette, redaction and reactions to failures. */
export interface RecordOptions {
  /** The service, with or without `/v1`. */
  readonly baseUrl: string;
  /** Folder of the cassette. */
  readonly cassette: string;
  /**
   * `record` (the default) records everything; an existing cassette stays until the new one is complete, and is then
   * replaced. `new` answers known requests from the cassette, and adds others. `auto` replays an existing cassette, and
   * records otherwise. `new` and `auto` leave out exchanges without a response, because they could not be replayed.
   */
  readonly mode?: 'record' | 'new' | 'auto';
  /** 0, the default, selects any free port. */
  readonly port?: number;
  /** Key that is sent to the service in place of the client's. It is replaced in the cassette like any secret. */
  readonly key?: string | null;
  /** Fields sent with every request; they replace the client's of the same names. Their values are secrets. */
  readonly headers?: HeaderPairs;
  /** Where the proxy adds credentials: host names under which clients may reach it beside those of loopback. */
  readonly allowHosts?: readonly string[];
  /** Where the proxy adds credentials: origins of web pages that may use it beside those of loopback. */
  readonly allowOrigins?: readonly string[];
  /** Secrets and rules by which values are replaced before they reach the disk. */
  readonly redaction?: RedactorOptions;
  /** When the cassette cannot be written: reject requests (default), or pass them unrecorded. */
  readonly onError?: 'refuse' | 'pass';
  /** Seconds of silence after which the service has timed out; 0, the default, for never. */
  readonly timeout?: number;
  /** Whether absolute URLs in JSON responses are replaced by the proxy's, so that what they name is recorded, too. */
  readonly rewriteUrls?: boolean;
  /** Further facts for the header of the cassette. */
  readonly header?: Partial<TraceHeader>;
  /** Bytes to store; exchanges that begin beyond it are passed to `onLines` only. Default: unbounded. */
  readonly most?: number;
  /** Receives the error when writes to the disk begin to fail, and again only when one has succeeded since. */
  readonly onFailure?: (error: CassetteError) => void;
  /** Receives the stored lines of every ended exchange; the end of the exchange waits for the promise. Excludes `onItem`. */
  readonly onLines?: (lines: readonly JournalEvent[]) => Promise<unknown> | null;
  /**
   * Called on closing after the last `onLines`, before the cassette is moved to its place, which waits for the promise. With
   * `learnedLate`, a secret became known after lines that may hold it were passed on; in the cassette it is replaced.
   */
  readonly onSettled?: (learned: { readonly learnedLate: boolean }) => Promise<unknown>;
  /** Receives every exchange, as it is stored, when it has ended, and every note. */
  readonly onItem?: (item: TraceItem) => void;
}

/** The result of a recording. */
export interface RecordReport {
  /** Exchanges of this session in the cassette. */
  readonly recorded: number;
  /** Exchanges in the cassette, including those of earlier sessions. */
  readonly exchanges: number;
  /** Requests answered from the cassette (`new`, `auto`). */
  readonly replayed: number;
  /** Requests that `auto` had no recording of. */
  readonly missed: number;
  /** All that was not recorded: the sum of `beyondLimit`, `diskFailed` and `upgraded`. */
  readonly unrecorded: number;
  /** Exchanges that began when `most` bytes were stored. */
  readonly beyondLimit: number;
  /** Exchanges that passed although the cassette could not be written. */
  readonly diskFailed: number;
  /** Connections that were upgraded (WebSocket), or requested by CONNECT and rejected. */
  readonly upgraded: number;
  /** Requests left out because the service did not answer them (`new`, `auto`). */
  readonly unanswered: number;
  /** Why the service answered no request at all; null where it answered one, or got none. */
  readonly unreachable: string | null;
  /** Exchanges left out of the cassette because a known secret in them could not be replaced; null for none. */
  readonly quarantined: Quarantined | null;
  /** Folder of a failed recording, which replaced no cassette; null otherwise. */
  readonly aside: string | null;
}

/** A running recorder. */
export interface Recorder {
  /** Where clients connect, with `/v1`. */
  readonly url: string;
  /** The exchanges and connections that are missing from the recording so far. */
  missing(): Pick<RecordReport, 'beyondLimit' | 'diskFailed' | 'upgraded'>;
  /** Stores a fact beside the exchanges, and returns it as it is stored; null where `auto` replays, and nothing is. */
  note(content: NoteContent): Note | null;
  /**
   * Stops, and finishes the cassette; unfinished exchanges are stored as far as they got. A recording that `failed`, or in
   * which the service answered nothing, replaces no cassette: it is stored beside it.
   */
  close(outcome?: { readonly failed: boolean }): Promise<RecordReport>;
}
