import { createRequire } from 'node:module';
import { type CassetteWriter, createCassette } from '../exchange/cassette/write.ts';
import { Redactor } from '../exchange/redact.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import type { Claims } from './claims.ts';
import type { Errand } from './wire.ts';

const require = createRequire(import.meta.url);

/** Opens the cassette of a run. One of an earlier run in its place stays until the new one is finished. */
export function openRecorder({ configuration, cassette }: Errand, claims: Claims): CassetteWriter {
  const { apiKey } = configuration;
  const redactor = new Redactor({ secrets: apiKey === null ? [] : [apiKey] });
  return createCassette(cassette, header(configuration, claims), { redactor, mode: 'replace' });
}

function header(configuration: Errand['configuration'], claims: Claims): TraceHeader {
  const { target, dialect, only, skip, allow, models, betaHeader, shard } = configuration;
  return {
    format: 1,
    tool: { name: 'assay', version: version() },
    target: { baseUrl: target.baseUrl, name: target.name },
    claims,
    filters: { only, skip },
    allow,
    dialect: dialect === null ? null : { name: dialect.name, digest: dialect.digest },
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
