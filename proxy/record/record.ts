import { type Cassette, openCassette } from '../../exchange/cassette/cassette.ts';
import { type CassetteWriter, createCassette } from '../../exchange/cassette/cassette-writer.ts';
import { recoverCassette, recoverInPlace } from '../../exchange/cassette/finish.ts';
import { CassetteError } from '../../exchange/cassette/folder.ts';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { CREDENTIAL_HEADERS } from '../../exchange/matching/request-key.ts';
import { givenHeaders, secretsIn } from '../../exchange/redaction/given-headers.ts';
import { InvalidRedactionRule } from '../../exchange/redaction/linear-pattern.ts';
import { Redactor, type RedactorOptions } from '../../exchange/redaction/redactor.ts';
import { Forwarder } from '../forward/forward.ts';
import { Guard } from '../forward/guard.ts';
import { Recordings } from '../replay/match.ts';
import { startReplayer } from '../replay/replay.ts';
import { originOf, parseUpstream } from '../upstream/upstream.ts';
import { OtherHosts } from '../urls/other-hosts.ts';
import { UrlRewriter } from '../urls/url-rewriter.ts';
import type { Recorder, RecordOptions } from './record-options.ts';
import { RecorderSession } from './recorder-session.ts';
import { recordingHeader } from './recording-header.ts';
import { addedRules, missingRules, recordedRules, withRules } from './redaction-rules.ts';

export type { Recorder, RecordOptions, RecordReport } from './record-options.ts';

/**
 * Starts a proxy that records what passes. Rejects with CassetteError when the cassette cannot be written or is in use,
 * with TypeError when the base URL is invalid, and with the system's error when the port is in use.
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

/** Opens the cassette and the proxy. `known`: the cassette that is extended; it answers known requests. */
async function recordWith(options: RecordOptions, known: Cassette | null): Promise<Recorder> {
  const given = givenHeaders(options.key ?? null, options.headers ?? []);
  const timeout = (options.timeout ?? 0) * 1000;
  const otherHosts = options.rewriteUrls ? new OtherHosts(timeout) : null;
  const rewriting = otherHosts && rewritingOf(options.baseUrl, otherHosts);
  const session = new RecorderSession({
    cassette: openWriter(options, known, given),
    forwarder: new Forwarder({
      upstream: parseUpstream(options.baseUrl),
      headers: given,
      credentials: 'forwarded',
      timeout,
      rewriter: rewriting?.rewriter ?? null,
    }),
    known,
    otherHosts,
    handling: {
      known: known === null ? null : new Recordings([known]),
      otherHosts,
      answeredOnly: (options.mode ?? 'record') !== 'record',
      onError: options.onError ?? 'refuse',
      onItem: options.onItem ?? null,
      guard: given.length === 0 ? null : guardOf(options),
    },
  });
  const url = await session.listen(options.port ?? 0);
  rewriting?.listensAt(url);
  return {
    url,
    missing: () => session.missing(),
    note: (content) => session.note(content),
    close: (outcome) => session.close(outcome?.failed === true ? 'failed' : 'succeeded', options),
  };
}

/** The writer of the cassette, with all secrets and rules that are known before the first request. */
function openWriter(options: RecordOptions, known: Cassette | null, given: HeaderPairs): CassetteWriter {
  const { key = null, headers = [], onLines, most, onFailure } = options;
  const redaction = known === null ? (options.redaction ?? {}) : rulesAsBefore(known, options);
  const secrets = [
    ...(key === null ? [] : [key]),
    ...secretsIn(headers, options.header?.betaHeader),
    ...(redaction.secrets ?? []),
  ];
  const isInjected = given.some(([name]) => CREDENTIAL_HEADERS.includes(name.toLowerCase()));
  const header = recordingHeader(options.baseUrl, {
    key: isInjected,
    ...(isInjected && { keyInjected: true }),
    ...recordedRules(redaction),
    ...options.header,
  });
  return createCassette(options.cassette, header, {
    redactor: new Redactor({ environment: process.env, ...redaction, secrets }),
    mode: known === null ? 'replace' : 'append',
    collect: options.onItem !== undefined,
    ...(onLines !== undefined && { onLines }),
    ...(most !== undefined && { most }),
    ...(onFailure !== undefined && { onFailure }),
  });
}

/** A rewriter to URLs of a proxy whose own URL is known only once it listens. */
function rewritingOf(baseUrl: string, otherHosts: OtherHosts) {
  let here = '';
  const rewriter = new UrlRewriter({
    here: () => here,
    own: originOf(baseUrl),
    allows: (url) => otherHosts.allow(url),
  });
  const listensAt = (url: string) => {
    here = new URL(url).origin;
  };
  return { rewriter, listensAt };
}

function guardOf({ allowHosts = [], allowOrigins = [] }: RecordOptions): Guard {
  return new Guard({ hosts: allowHosts, origins: allowOrigins });
}

/** The redaction of an existing cassette, for exchanges that are added. Throws InvalidRedactionRule where other rules are given. */
function rulesAsBefore({ header }: Cassette, { cassette, redaction = {} }: RecordOptions): RedactorOptions {
  const all = withRules([header], redaction);
  const missing = missingRules([header], all);
  if (missing !== null)
    throw new InvalidRedactionRule(`${cassette} was ${missing}, or record afresh with --mode record.`);
  const added = addedRules(header, redaction);
  // The header stores one set of rules: a replay would not match exchanges that were stored by others.
  if (added !== null)
    throw new InvalidRedactionRule(
      `${cassette} was ${added}: leave that out, or record afresh with --mode record.`,
    );
  return all;
}

/** Replays the cassette in place of a recording (`auto`). */
async function replayInstead({ cassette, port, redaction, rewriteUrls }: RecordOptions): Promise<Recorder> {
  const replayer = await startReplayer({
    cassettes: [cassette],
    ...(port !== undefined && { port }),
    ...(redaction !== undefined && { redaction }),
    ...(rewriteUrls !== undefined && { rewriteUrls }),
  });
  return {
    url: replayer.url,
    missing: () => ({ beyondLimit: 0, diskFailed: 0, upgraded: 0 }),
    note: () => null,
    close: async () => {
      const { answered, misses, exchanges } = await replayer.close();
      const missed = misses.length;
      return {
        ...{
          recorded: 0,
          exchanges,
          replayed: answered,
          missed,
          unrecorded: 0,
          beyondLimit: 0,
          diskFailed: 0,
        },
        ...{ upgraded: 0, unanswered: 0, unreachable: null, quarantined: null, aside: null },
      };
    },
  };
}

/**
 * The cassette of a folder, recovered where its recorder was killed; null for none. Before `record` it is recovered, too, as it
 * stays until the new one is complete; a damaged one does not prevent a new recording.
 */
async function existing(dir: string, mode: RecordOptions['mode']): Promise<Cassette | null> {
  try {
    // A replay must not change the folder.
    if (mode === 'auto') return await openCassette(dir, { replay: true });
    // What a recorder left that was killed before it could replace the cassette is kept aside when the new one begins.
    if (mode === 'new') recoverCassette(dir);
    else recoverInPlace(dir);
    if (mode === 'new') return await openCassette(dir, { replay: true });
  } catch (error) {
    if (!(error instanceof CassetteError) || !(mode === 'record' || error.kind === 'missing')) throw error;
    if (error.kind === 'in-use') throw error;
  }
  return null;
}
