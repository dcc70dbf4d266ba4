import { createRequire } from 'node:module';
import { type CassetteWriter, createCassette } from '../exchange/cassette/cassette-writer.ts';
import type { TraceReceiver } from '../exchange/cassette/lines.ts';
import { secretsIn } from '../exchange/redaction/given-headers.ts';
import { Redactor } from '../exchange/redaction/redactor.ts';
import { extensionsInHeader, type TraceHeader } from '../exchange/trace.ts';

import type { RunConfiguration } from './configuration/configuration.ts';
import type { Claims } from './preflight/claims.ts';
import { WRONG_KEY } from './target/encode-request.ts';

// as: every package.json has a version
const { version } = createRequire(import.meta.url)('#package') as { version: string };

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
  const { apiKey, secondKey, headers, betaHeader } = configuration;
  // A secret that becomes known later costs a second pass over the recorded traffic.
  const keys = [apiKey, secondKey?.key ?? null].filter((key) => key !== null);
  const secrets = [WRONG_KEY, ...keys, ...secretsIn(headers, betaHeader)];
  const header = headerOf(configuration, claims);
  const writer = createCassette(cassette, header, {
    redactor: new Redactor({ secrets, environment: process.env }),
    mode: resume ? 'append' : 'replace',
    ...(receiver !== null && {
      onLines: (lines) => receiver.exchange(lines),
      onNote: (note) => receiver.note(note),
    }),
  });
  // After the cassette is open: if it cannot be created, the judge must not wait for a trace.
  receiver?.begin(header);
  return writer;
}

/** The context that exchanges lack. An offline check needs only this header and the exchanges. */
function headerOf(configuration: RunConfiguration, claims: Claims): TraceHeader {
  const { target, dialect, only, skip, allow, models, betaHeader, shard } = configuration;
  return {
    format: 1,
    tool: { name: 'assay', version },
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
