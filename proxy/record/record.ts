import { type Cassette, openCassette } from '../../exchange/cassette/cassette.ts';
import { CassetteError } from '../../exchange/cassette/cassette-error.ts';
import { type CassetteWriter, createCassette } from '../../exchange/cassette/cassette-writer.ts';
import { recoverCassette, recoverInPlace } from '../../exchange/cassette/finish.ts';
import { failedDir, removeCassette } from '../../exchange/cassette/folder.ts';
import type { JournalEvent } from '../../exchange/cassette/lines.ts';
import type { Quarantined } from '../../exchange/cassette/quarantine.ts';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { isKeyRefusal } from '../../exchange/key-refusal.ts';
import { CREDENTIAL_HEADERS } from '../../exchange/matching/request-key.ts';
import { addedHeaders, secretsInHeaders } from '../../exchange/redaction/added-headers.ts';
import { InvalidRedactionRule } from '../../exchange/redaction/linear-pattern.ts';
import { Redactor, type RedactorOptions } from '../../exchange/redaction/redactor.ts';
import type { Note, NoteContent, TraceHeader, TraceItem } from '../../exchange/trace.ts';
import { Forwarder } from '../forward/forwarder.ts';
import { OtherHosts } from '../forward/other-hosts.ts';
import { listenOnLoopback } from '../http/server.ts';
import { originOf, parseUpstream } from '../http/upstream.ts';
import { UrlRewriter } from '../http/url-rewriter.ts';
import { type MatchOptions, Recordings } from '../replay/recordings.ts';
import { describeAddedRules, describeMissingRules, recordedRules, withRules } from '../replay/redaction.ts';
import { startReplayer } from '../replay/replay.ts';
import { Guard } from './guard.ts';
import { recordingHeader } from './recording-header.ts';
import { RequestHandler } from './request-handler.ts';

export interface RecordOptions {
  /** The service, with or without `/v1`. */
  readonly baseUrl: string;
  /** Folder of the cassette. */
  readonly cassette: string;
  /**
   * `record` (the default) records everything; an existing cassette stays until the new one is complete and replaces
   * it. `new` answers known requests from an existing cassette, adds others, and rejects request bodies above 16 MiB.
   * `auto` replays an existing cassette. Without one, both record. They leave out exchanges without a response, so that
   * the next run sends their requests again, unless the request body exceeds 16 MiB.
   */
  readonly mode?: 'record' | 'new' | 'auto';
  /** 0, the default, selects any free port. */
  readonly port?: number;
  /** Key that is sent to the service in place of the client's. In the cassette it is replaced like any secret. */
  readonly key?: string | null;
  /** Fields sent to the service in place of the client's. Their values are secrets, except in safe fields. */
  readonly headers?: HeaderPairs;
  /** With `key` or `headers`: host names under which clients may reach the proxy, in addition to loopback names. */
  readonly allowHosts?: readonly string[];
  /** With `key` or `headers`: origins of web pages that may use the proxy, in addition to loopback origins. */
  readonly allowOrigins?: readonly string[];
  /** Secrets and rules for redacting values before they are written to disk. */
  readonly redaction?: RedactorOptions;
  /** With `new` and `auto`: how requests are compared with the recordings of the cassette. */
  readonly matching?: Pick<MatchOptions, 'volatile' | 'normalise'>;
  /** Whether requests are refused (the default) or passed on unrecorded while the cassette cannot be written. */
  readonly onError?: 'refuse' | 'pass';
  /** Seconds of silence after which the service has timed out; 0, the default, for never. */
  readonly timeout?: number;
  /** Whether absolute URLs in JSON responses become the proxy's, so that clients request their targets from it. */
  readonly rewriteUrls?: boolean;
  /** Further facts for the header of the cassette. */
  readonly header?: Partial<TraceHeader>;
  /** Number of bytes after which no further exchange is stored; `onLines` and `onItem` get all. Default: no limit. */
  readonly maxBytes?: number;
  /** Maximum size in bytes of a response that `onLines` or `onItem` gets whole. Default: 64 MiB. */
  readonly maxResponseBytes?: number;
  /** Receives the first error of each series of failed writes. */
  readonly onFailure?: (error: CassetteError) => void;
  /** Receives the redacted lines of each ended exchange, whose end waits for the promise. */
  readonly onLines?: (lines: readonly JournalEvent[]) => Promise<unknown> | null;
  /**
   * Called on closing, unless `auto` replays; the cassette is finished once the promise has settled. `learnedLate`:
   * lines passed on may hold a secret that was learned later; in the cassette it is replaced.
   */
  readonly onSettled?: (learned: { readonly learnedLate: boolean }) => Promise<unknown>;
  /** Receives every note and, once it has ended, every exchange; both redacted. */
  readonly onItem?: (item: TraceItem) => void;
}

export interface RecordReport {
  /** Exchanges that this session stored, including any that were then quarantined. */
  readonly recorded: number;
  /** Exchanges in the recording of this session or, with `new` and `auto`, of all sessions. */
  readonly exchanges: number;
  /** Requests answered from the cassette (`new`, `auto`). */
  readonly replayed: number;
  /** Distinct requests for which `auto` had no recording. */
  readonly missed: number;
  /** Number of unrecorded exchanges and connections: the sum of `beyondLimit`, `diskFailed` and `upgraded`. */
  readonly unrecorded: number;
  /** Exchanges that began after `maxBytes` had been stored. */
  readonly beyondLimit: number;
  /** Exchanges forwarded but not recorded, because the cassette could not be written. */
  readonly diskFailed: number;
  /** Requests to upgrade a connection (WebSocket), unless rejected with 400 or 403, or to open a tunnel (CONNECT). */
  readonly upgraded: number;
  /** Requests that could not be forwarded because no file descriptors were left. */
  readonly starved: number;
  /** Requests left out because the service did not answer them (`new`, `auto`). */
  readonly unanswered: number;
  /** Why no request got a response from the service; null if one did, none was forwarded, or clients aborted all. */
  readonly unreachable: string | null;
  /** Whether the service returned only 401 and 403, while the cassette to be replaced holds other responses. */
  readonly isDenied: boolean;
  /** Content left out of the cassette because a known secret in it could not be replaced; null if there is none. */
  readonly quarantined: Quarantined | null;
  /** Folder of a failed recording, which did not replace the cassette; null otherwise. */
  readonly aside: string | null;
}

export interface Recorder {
  /** The base URL for clients, with `/v1`. */
  readonly url: string;
  /** How many exchanges and connections are missing from the recording so far. */
  missing(): Pick<RecordReport, 'beyondLimit' | 'diskFailed' | 'upgraded'>;
  /** Stores a note with the exchanges and returns it as stored; null if `auto` replays, which stores nothing. */
  note(content: NoteContent): Note | null;
  /**
   * Stops and finishes the cassette, with unfinished exchanges as far as they got. A replacement that `failed`, is
   * `unreachable` or `isDenied` is stored next to the existing cassette.
   */
  close(outcome?: { readonly failed: boolean }): Promise<RecordReport>;
}

const NOTHING_MISSING = { beyondLimit: 0, diskFailed: 0, upgraded: 0 };

/**
 * Rejects with CassetteError if the cassette cannot be read or written or is in use; with TypeError, InvalidHeader,
 * InvalidNormalising or InvalidRedactionRule if an option is invalid; with the system's error if the port is in use.
 */
export async function startRecorder(options: RecordOptions): Promise<Recorder> {
  const { mode = 'record' } = options;
  const existing = await openExisting(options.cassette, mode);
  if (mode === 'auto' && existing !== null) {
    existing.close();
    if (existing.size > 0) return replayInstead(options);
  }
  const known = mode === 'new' ? existing : null;
  return openRecorder(options, known).catch((error: unknown) => {
    known?.close();
    throw error;
  });
}

async function openRecorder(options: RecordOptions, known: Cassette | null): Promise<Recorder> {
  const headers = addedHeaders(options.key ?? null, options.headers ?? []);
  const timeout = (options.timeout ?? 0) * 1000;
  const otherHosts = options.rewriteUrls ? new OtherHosts(timeout) : null;
  // Set once the proxy listens; the rewriter does not read it earlier.
  let origin = '';
  const rewriter = otherHosts && createRewriter(options.baseUrl, otherHosts, () => origin);
  const upstream = parseUpstream(options.baseUrl);
  const recordings = known && new Recordings([known], options.matching);
  const cassette = openWriter(options, known, headers);
  const earlierExchanges = cassette.exchanges;
  const forwarder = new Forwarder({ upstream, headers, credentials: 'forwarded', timeout, rewriter });
  const { allowHosts: hosts = [], allowOrigins: origins = [] } = options;
  const handler = new RequestHandler(cassette, forwarder, {
    recordings,
    rewriter,
    otherHosts,
    answeredOnly: (options.mode ?? 'record') !== 'record',
    onError: options.onError ?? 'refuse',
    onItem: options.onItem ?? null,
    guard: headers.length === 0 ? null : new Guard({ hosts, origins }),
  });
  const server = await listenOnLoopback(options.port ?? 0, handler).catch((error: unknown) => {
    const isNew = earlierExchanges === 0 && !cassette.replacesCassette;
    forwarder.close();
    cassette.finish();
    // An empty cassette would look like the recording of a client that sent nothing.
    if (isNew) removeCassette(cassette.dir);
    throw error;
  });
  origin = new URL(server.url).origin;
  const missing = () => {
    const { unrecorded, upgraded } = handler;
    return { beyondLimit: cassette.unkeptCount, diskFailed: unrecorded - upgraded, upgraded };
  };
  return {
    url: server.url,
    missing,
    note: (content) => cassette.note(content),
    // The cassette is finished before the connections are closed, so that a waiting client still gets its response.
    close: async (outcome) => {
      handler.isOpen = false;
      await cassette.waitUntilWritten();
      const { exchanges } = cassette;
      const { unreachable, replayed, unanswered } = handler;
      const isDenied =
        handler.isDenied && cassette.replacesCassette && (await holdsUndenied(options.cassette));
      const isFailed = exchanges > 0 && (outcome?.failed === true || unreachable !== null || isDenied);
      const aside = isFailed && cassette.replacesCassette ? failedDir(options.cassette) : null;
      let quarantined: Quarantined | null = null;
      try {
        await options.onSettled?.({ learnedLate: cassette.hasLearnedLate });
      } finally {
        try {
          quarantined = cassette.finish(aside ?? undefined);
        } finally {
          known?.close();
          await server.hangUp();
          forwarder.close();
          otherHosts?.close();
        }
      }
      return {
        recorded: exchanges - earlierExchanges,
        exchanges: exchanges - (quarantined?.exchanges ?? 0),
        replayed,
        missed: 0,
        unrecorded: handler.unrecorded + cassette.unkeptCount,
        ...missing(),
        starved: handler.starved,
        unanswered,
        unreachable,
        isDenied,
        quarantined,
        aside,
      };
    },
  };
}

function createRewriter(baseUrl: string, otherHosts: OtherHosts, proxyOrigin: () => string): UrlRewriter {
  const allows = (url: URL) => {
    otherHosts.allow(url);
    return true;
  };
  return new UrlRewriter({ proxyOrigin, serviceOrigin: originOf(baseUrl), allows });
}

function openWriter(options: RecordOptions, known: Cassette | null, sent: HeaderPairs): CassetteWriter {
  const { key = null, headers = [], onLines, maxBytes, maxResponseBytes, onFailure, onItem } = options;
  const redaction = known === null ? (options.redaction ?? {}) : mergeRedaction(known, options);
  const secrets = [
    ...(key === null ? [] : [key]),
    ...secretsInHeaders(headers, options.header?.betaHeader),
    ...(redaction.secrets ?? []),
  ];
  const isInjected = sent.some(([name]) => CREDENTIAL_HEADERS.includes(name.toLowerCase()));
  const header = recordingHeader(options.baseUrl, {
    key: isInjected,
    ...(isInjected && { keyInjected: true }),
    ...recordedRules(redaction),
    ...options.header,
  });
  return createCassette(options.cassette, header, {
    redactor: new Redactor({ environment: process.env, ...redaction, secrets }),
    mode: known === null ? 'replace' : 'append',
    collect: onItem !== undefined,
    ...(onLines !== undefined && { onLines }),
    ...(maxBytes !== undefined && { maxBytes }),
    ...(maxResponseBytes !== undefined && { maxResponseBytes }),
    ...(onFailure !== undefined && { onFailure }),
    ...(onItem !== undefined && { onNote: onItem }),
  });
}

/** The redaction of exchanges added to a cassette. Throws InvalidRedactionRule if a rule is missing or new. */
function mergeRedaction({ header }: Cassette, { cassette, redaction = {} }: RecordOptions): RedactorOptions {
  const combined = withRules([header], redaction);
  const missing = describeMissingRules([header], combined);
  if (missing !== null)
    throw new InvalidRedactionRule(`${cassette} was ${missing}, or record afresh with --mode record.`);
  const added = describeAddedRules(header, redaction);
  // The header stores one set of rules, so a replay would not match exchanges that were stored under different ones.
  if (added !== null)
    throw new InvalidRedactionRule(
      `${cassette} was ${added}: leave that out, or record afresh with --mode record.`,
    );
  return combined;
}

async function replayInstead(options: RecordOptions): Promise<Recorder> {
  const { cassette, port, redaction, rewriteUrls, matching } = options;
  const replayer = await startReplayer({
    ...matching,
    cassettes: [cassette],
    ...(port !== undefined && { port }),
    ...(redaction !== undefined && { redaction }),
    ...(rewriteUrls !== undefined && { rewriteUrls }),
  });
  return {
    url: replayer.url,
    missing: () => NOTHING_MISSING,
    note: () => null,
    close: async () => {
      const { answered, misses, exchanges } = await replayer.close();
      return {
        recorded: 0,
        exchanges,
        replayed: answered,
        missed: misses.length,
        unrecorded: 0,
        ...NOTHING_MISSING,
        starved: 0,
        unanswered: 0,
        unreachable: null,
        isDenied: false,
        quarantined: null,
        aside: null,
      };
    },
  };
}

/**
 * For `new` and `auto`, opens the cassette in a folder; null if there is none. `new` first recovers what a killed
 * recorder left. For `record`, recovers additions that were interrupted and returns null; a damaged cassette is no
 * error, because the new one replaces it.
 */
async function openExisting(dir: string, mode: NonNullable<RecordOptions['mode']>): Promise<Cassette | null> {
  try {
    // A replay must not change the folder.
    if (mode === 'auto') return await openCassette(dir, { replay: true });
    // `record` leaves a recording that never replaced the cassette; the new recorder sets it aside.
    if (mode === 'new') recoverCassette(dir);
    else recoverInPlace(dir);
    if (mode === 'new') return await openCassette(dir, { replay: true });
  } catch (error) {
    if (!(error instanceof CassetteError) || !(mode === 'record' || error.kind === 'missing')) throw error;
    if (error.kind === 'in-use') throw error;
  }
  return null;
}

async function holdsUndenied(dir: string): Promise<boolean> {
  try {
    const cassette = await openCassette(dir);
    try {
      for (let k = 0; k < cassette.size; k += 1) {
        const { response } = cassette.exchange(k);
        if (response !== null && !isKeyRefusal(response.status)) return true;
      }
      return false;
    } finally {
      cassette.close();
    }
  } catch (error) {
    if (error instanceof CassetteError) return false;
    throw error;
  }
}
