import type { TraceHeader } from '../trace.ts';

export function traceHeader(more: Partial<TraceHeader> = {}): TraceHeader {
  return {
    format: 1,
    tool: { name: 'assay', version: '0.0.0' },
    target: { baseUrl: 'http://127.0.0.1:1/v1', name: 'test' },
    claims: { families: [], how: 'default' },
    filters: { only: [], skip: [] },
    allow: [],
    dialect: null,
    betaHeader: 'Vendor-Beta',
    models: {},
    key: true,
    shard: null,
    ...more,
  };
}
