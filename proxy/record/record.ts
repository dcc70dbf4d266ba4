import { CassetteError } from '../../exchange/cassette/error.ts';
import type { JournalEvent } from '../../exchange/cassette/format/lines.ts';
import { recoverCassette } from '../../exchange/cassette/journal/finish.ts';
import type { Quarantined } from '../../exchange/cassette/quarantine.ts';
import { type Cassette, openCassette } from '../../exchange/cassette/read/cassette.ts';
import { createCassette } from '../../exchange/cassette/write/cassette-writer.ts';
import { failedDir } from '../../exchange/cassette/write/places.ts';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { CREDENTIAL_HEADERS } from '../../exchange/matching/request-key.ts';
import { givenHeaders, secretsIn } from '../../exchange/redaction/given.ts';
import { InvalidRedactionRule } from '../../exchange/redaction/invalid-rule.ts';
import { Redactor, type RedactorOptions } from '../../exchange/redaction/redactor.ts';
import type { TraceHeader, TraceItem } from '../../exchange/trace.ts';
import { Forwarder } from '../forward/forward.ts';
import { Guard } from '../forward/guard.ts';
import { listenOnLoopback } from '../forward/listen.ts';
import { RequestHandler } from '../forward/request-handler.ts';
import { Recordings } from '../replay/match.ts';
import { startReplayer } from '../replay/replay.ts';
import { originOf, parseUpstream } from '../upstream/upstream.ts';
import { OtherHosts } from '../urls/other-hosts.ts';
import { UrlRewriter } from '../urls/url-rewriter.ts';
import { recordingHeader } from './recording-header.ts';
import { addedRules, missingRules, recordedRules, withRules } from './redaction-rules.ts';

export interface RecordOptions {
  /** The service, with or without `/v1`. */
  readonly baseUrl: string;
  /** Folder of the cassette. */
  readonly cassette: string;
  /**
   * `record` (the default) records everything; a cassette that is there stays until the new one is complete, and is then
   * replaced. `new` answers what is known from the cassette, and adds what is not. `auto` records if there is nothing
   * yet, and replays otherwise. In `new` and `auto`, whose recordings the next one takes for known, what the service did
   * not answer is left out.
   */
  readonly mode?: 'record' | 'new' | 'auto';
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Key that is sent to the service in place of the client's. It is kept out of the cassette like any other. */
  readonly key?: string | null;
  /** Fields that are sent to the service with every request, in place of the client's of the same names; their values are secret. */
  readonly headers?: HeaderPairs;
  /** Where credentials are sent in place of the client's: names beside those of loopback under which clients reach the proxy. */
  readonly allowHosts?: readonly string[];
  /** Likewise: origins of web pages, beside those of loopback, that may use it. */
  readonly allowOrigins?: readonly string[];
  readonly redaction?: RedactorOptions;
  /** When the cassette cannot be written: refuse the traffic (default), or let it pass unrecorded. */
  readonly onError?: 'refuse' | 'pass';
  /** Seconds of silence after which the service is given up; 0, the default, for never. */
  readonly timeout?: number;
  /** Turn absolute URLs in JSON answers into the proxy's own, so that what they name is recorded, too. */
  readonly rewriteUrls?: boolean;
  /** Further facts for the header of the cassette. */
  readonly header?: Partial<TraceHeader>;
  /** When so many bytes are kept, what begins after that is given to `onLines` only. Default: no end. */
  readonly most?: number;
  /** Gets the error when writes to the disk begin to fail, and again only when one has succeeded since. */
  readonly onFailure?: (error: CassetteError) => void;
  /** Gets the lines of every exchange that has ended, as they are stored; its end waits for it. Not beside `onItem`. */
  readonly onLines?: (lines: readonly JournalEvent[]) => Promise<unknown> | null;
  /**
   * Called on closing when all lines were given, before the cassette takes its place, which waits for it. `learnedLate`: a
   * secret became known only after lines were given that may hold it; in the cassette it is replaced.
   */
  readonly onSettled?: (learnedLate: boolean) => Promise<unknown>;
  /** Gets every exchange, as it is stored, when it has ended, and every note. */
  readonly onItem?: (item: TraceItem) => void;
}

export interface RecordReport {
  /** Exchanges of this session in the cassette. */
  readonly recorded: number;
  /** Exchanges in the cassette, with those that were there before. */
  readonly exchanges: number;
  /** Requests answered from the cassette (`new`, `auto`). */
  readonly replayed: number;
  /** Requests that `auto` had no recording of. */
  readonly missed: number;
  /** What passed without being recorded: exchanges (`onError: 'pass'`, and beyond `most`), and `upgraded` connections. */
  readonly unrecorded: number;
  /** Connections that were upgraded (WebSocket), or refused as asked for by CONNECT. */
  readonly upgraded: number;
  /** Requests that the service did not answer, and that are left out for it (`new`, `auto`). */
  readonly unanswered: number;
  /** Why the service answered nothing at all; null where it did, or nothing was asked of it. */
  readonly unreachable: string | null;
  /** Exchanges that hold a known secret that could not be replaced: they are not in the cassette. Null where there are none. */
  readonly quarantined: Quarantined | null;
  /** Where the recording is when it failed, and the cassette that it was to replace stays; null otherwise. */
  readonly aside: string | null;
}

export interface Recorder {
  /** Where clients connect, with `/v1`. */
  readonly url: string;
  /**
   * Stops, and finishes the cassette. What is still under way is kept as far as it came. A recording that `failed`, or in
   * which the service answered nothing, replaces no cassette: it is kept beside it.
   */
  close(outcome?: { readonly failed: boolean }): Promise<RecordReport>;
}

/**
 * Starts a proxy that records what passes. Rejects with CassetteError when the cassette cannot be written or is in use,
 * with TypeError when the base URL is none, and with the system's error when the port is taken.
 */
export async function startRecorder(options: RecordOptions): Promise<Recorder> {
  const { mode = 'record' } = options;
  const known = await existing(options.cassette, mode);
  if (mode === 'auto' && known !== null) {
    known.close();
    if (known.size > 0) return replayInstead(options);
  }
  const answering = mode === 'new' ? known : null;
  return recordWith(options, answering).catch((error: unknown) => {
    answering?.close();
    throw error;
  });
}

async function recordWith(options: RecordOptions, known: Cassette | null): Promise<Recorder> {
  const upstream = parseUpstream(options.baseUrl);
  const { key = null } = options;
  const redaction = known === null ? (options.redaction ?? {}) : rulesAsBefore(known, options);
  const given = givenHeaders(key, options.headers ?? []);
  const secrets = [
    ...(key === null ? [] : [key]),
    ...secretsIn(options.headers ?? [], options.header?.betaHeader),
    ...(redaction.secrets ?? []),
  ];
  const isInjected = given.some(([name]) => CREDENTIAL_HEADERS.includes(name.toLowerCase()));
  const header = recordingHeader(options.baseUrl, isInjected, {
    ...(isInjected && { keyInjected: true }),
    ...recordedRules(redaction),
    ...options.header,
  });
  const cassette = createCassette(options.cassette, header, {
    redactor: new Redactor({ environment: process.env, ...redaction, secrets }),
    mode: known === null ? 'replace' : 'append',
    collect: options.onItem !== undefined,
    ...(options.onLines !== undefined && { onLines: options.onLines }),
    ...(options.most !== undefined && { most: options.most }),
    ...(options.onFailure !== undefined && { onFailure: options.onFailure }),
  });
  const before = cassette.exchanges;
  const timeout = (options.timeout ?? 0) * 1000;
  const otherHosts = options.rewriteUrls ? new OtherHosts(timeout) : null;
  let here = '';
  const rewriter =
    otherHosts &&
    new UrlRewriter({
      here: () => here,
      own: originOf(options.baseUrl),
      allows: (url) => otherHosts.allow(url),
    });
  const forwarder = new Forwarder({ upstream, headers: given, trust: true, timeout, rewriter });
  const handler = new RequestHandler(cassette, forwarder, {
    known: known === null ? null : new Recordings([known]),
    otherHosts,
    answeredOnly: (options.mode ?? 'record') !== 'record',
    onError: options.onError ?? 'refuse',
    onItem: options.onItem ?? null,
    guard: given.length === 0 ? null : guardOf(options),
  });
  try {
    const { url, hangUp } = await listenOnLoopback(options.port ?? 0, handler);
    here = new URL(url).origin;
    return {
      url,
      close: async (outcome) => {
        handler.open = false;
        await cassette.settled();
        const { exchanges } = cassette;
        const { unreachable } = handler;
        const isFailed = exchanges > 0 && (outcome?.failed === true || unreachable !== null);
        const aside = isFailed && cassette.replaces ? failedDir(options.cassette) : null;
        let quarantined: Quarantined | null = null;
        try {
          await options.onSettled?.(cassette.learnedLate);
        } finally {
          try {
            quarantined = cassette.finish(aside ?? undefined);
          } finally {
            known?.close();
            await hangUp();
            forwarder.close();
            otherHosts?.close();
          }
        }
        const { replayed, unanswered, upgraded } = handler;
        const unrecorded = handler.unrecorded + cassette.passed;
        const recorded = exchanges - before;
        const kept = exchanges - (quarantined?.exchanges ?? 0);
        const counts = { recorded, exchanges: kept, replayed, missed: 0, unrecorded, upgraded, unanswered };
        return { ...counts, unreachable, quarantined, aside };
      },
    };
  } catch (error) {
    forwarder.close();
    cassette.finish();
    throw error;
  }
}

function guardOf({ allowHosts = [], allowOrigins = [] }: RecordOptions): Guard {
  return new Guard({ hosts: allowHosts, origins: allowOrigins });
}

/** What is added is kept as what is there. Throws BadRule where that takes rules that are not known, or others are given. */
function rulesAsBefore({ header }: Cassette, { cassette, redaction = {} }: RecordOptions): RedactorOptions {
  const all = withRules([header], redaction);
  const missing = missingRules([header], all);
  if (missing !== null)
    throw new InvalidRedactionRule(`${cassette} was ${missing}, or record afresh with --mode record.`);
  const added = addedRules(header, redaction);
  // A cassette tells its rules once: a replay would not find what was kept by others.
  if (added !== null)
    throw new InvalidRedactionRule(
      `${cassette} was ${added}: leave that out, or record afresh with --mode record.`,
    );
  return all;
}

async function replayInstead({ cassette, port, redaction, rewriteUrls }: RecordOptions): Promise<Recorder> {
  const replayer = await startReplayer({
    cassettes: [cassette],
    ...(port !== undefined && { port }),
    ...(redaction !== undefined && { redaction }),
    ...(rewriteUrls !== undefined && { rewriteUrls }),
  });
  return {
    url: replayer.url,
    close: async () => {
      const { answered, misses, exchanges } = await replayer.close();
      const missed = misses.length;
      return {
        ...{ recorded: 0, exchanges, replayed: answered, missed, unrecorded: 0 },
        ...{ upgraded: 0, unanswered: 0, unreachable: null, quarantined: null, aside: null },
      };
    },
  };
}

/**
 * The cassette of a folder, recovered where its recorder was killed; null where there is none yet. One that is to be
 * replaced is recovered, too: it stays until the new one is complete. That it is damaged is no reason against a new one.
 */
async function existing(dir: string, mode: RecordOptions['mode']): Promise<Cassette | null> {
  try {
    // What is only replayed is only read.
    if (mode === 'auto') return await openCassette(dir, { replay: true });
    recoverCassette(dir);
    if (mode === 'new') return await openCassette(dir, { replay: true });
  } catch (error) {
    if (!(error instanceof CassetteError) || !(mode === 'record' || error.kind === 'missing')) throw error;
    if (error.kind === 'in-use') throw error;
  }
  return null;
}
