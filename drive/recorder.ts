import { createRequire } from 'node:module';
import { type CassetteWriter, createCassette } from '../exchange/cassette/cassette-writer.ts';
import type { TraceReceiver } from '../exchange/cassette/lines.ts';
import type { RequestHead, ResponseHead } from '../exchange/cassette/recording.ts';
import type { Exchange, Piece } from '../exchange/exchange.ts';
import { Body } from '../exchange/http/body.ts';
import { secretsIn } from '../exchange/redaction/given-headers.ts';
import { Redactor } from '../exchange/redaction/redactor.ts';
import { extensionsInHeader, type TraceHeader } from '../exchange/trace.ts';

import type { RunConfiguration } from './configuration/configuration.ts';
import type { Claims } from './preflight/claims.ts';
import type { ExchangeRecorder } from './run-session.ts';
import { WRONG_KEY } from './target/encode-request.ts';

const require = createRequire(import.meta.url);

/** The part of a run that its recorder needs. */
export interface RecordingPlan {
  readonly configuration: RunConfiguration;
  /** Folder of the cassette. */
  readonly cassette: string;
  /** Whether the exchanges are added to the cassette of the run that is resumed. */
  readonly resume: boolean;
  /** Receives the traffic while it is recorded; null for a run that is resumed. */
  readonly receiver: TraceReceiver | null;
}

/**
 * Opens the cassette of a run: that of the run that it resumes, or a new one. An earlier cassette at the same place stays until
 * the new one is finished.
 */
export function openRecorder(
  { configuration, cassette, resume, receiver }: RecordingPlan,
  claims: Claims,
): CassetteWriter {
  const redactor = new Redactor({ secrets: secretsOf(configuration), environment: process.env });
  const header = headerOf(configuration, claims);
  const writer = createCassette(cassette, header, {
    redactor,
    mode: resume ? 'append' : 'replace',
    // The cassette is written while the run goes on, so that closing it takes no second pass over the
    // traffic.
    ahead: true,
    ...(receiver !== null && {
      onLines: (lines) => receiver.exchange(lines),
      onNote: (note) => receiver.note(note),
    }),
  });
  // After the cassette is open: where it cannot be created, the judge must not wait for a trace.
  receiver?.begin(header);
  return writer;
}

/** Secrets that are known before the first request: later ones cost a second pass over the recorded traffic. */
function secretsOf({ apiKey, headers, betaHeader }: RunConfiguration): readonly string[] {
  return [WRONG_KEY, ...(apiKey === null ? [] : [apiKey]), ...secretsIn(headers, betaHeader)];
}

/**
 * Context that no exchange contains. An offline check needs only this header and the exchanges to give the
 * verdicts of the run.
 */
function headerOf(configuration: RunConfiguration, claims: Claims): TraceHeader {
  const { target, dialect, only, skip, allow, models, betaHeader, shard } = configuration;
  return {
    format: 1,
    tool: { name: 'assay', version: version() },
    target: { baseUrl: target.baseUrl, name: target.name },
    claims,
    filters: { only, skip },
    allow,
    dialect: dialect === null ? null : { name: dialect.name, digest: dialect.digest },
    ...extensionsInHeader(),
    betaHeader,
    models: Object.fromEntries(Object.entries(models)),
    key: configuration.apiKey !== null,
    shard,
  };
}

function version(): string {
  const { version } = require('#package') as { version: string }; // as: every package.json has one
  return version;
}

/** A recorder for calls that are not evidence: it keeps each exchange until it ends, and nothing afterwards. */
export function discardingRecorder(): ExchangeRecorder {
  let begun = 0;
  let ended = 0;
  return {
    note: () => {},
    begin: (head) => {
      begun += 1;
      return recording(`e${begun}`, ended, head, () => {
        ended += 1;
        return ended;
      });
    },
  };
}

/**
 * Collects the parts of one exchange. `end` returns its ordinal among the ends, which the order of exchanges
 * rests on.
 */
function recording(
  id: string,
  after: number,
  head: RequestHead,
  end: () => number,
): ReturnType<ExchangeRecorder['begin']> {
  const sent: Uint8Array[] = [];
  const received: Uint8Array[] = [];
  const pieces: Piece[] = [];
  let offset = 0;
  let answer: ResponseHead | null = null;
  return {
    id,
    requestBody: (bytes) => void sent.push(bytes),
    response: (given) => {
      answer = given;
    },
    piece: (bytes, at = 0) => {
      pieces.push({ offset, at });
      received.push(bytes);
      offset += bytes.byteLength;
    },
    end: async ({ how, detail = null, trailers = [], at = 0 }): Promise<Exchange> => {
      const { method, target, headers } = head;
      const body = Body.of(Buffer.concat(received));
      const response = answer && { ...answer, body, trailers, pieces };
      const request = { method, target, headers, body: Body.of(Buffer.concat(sent)) };
      return {
        id,
        after,
        ended: end(),
        scenario: head.scenario ?? null,
        probe: head.probe ?? null,
        request,
        response,
        end: { how, detail, at },
      };
    },
  };
}
