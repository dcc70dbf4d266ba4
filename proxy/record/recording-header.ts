import { TOOL } from '../../exchange/tool.ts';
import { extensionsInHeader, type TraceHeader } from '../../exchange/trace.ts';

/** The header of traffic that is not a run of assay: no claims, no filters, and no key unless `more` has one. */
export function recordingHeader(baseUrl: string, more: Partial<TraceHeader> = {}): TraceHeader {
  return {
    format: 1,
    tool: TOOL,
    target: { baseUrl, name: new URL(baseUrl).hostname },
    claims: { families: [], how: 'default' },
    filters: { only: [], skip: [] },
    allow: [],
    dialect: null,
    ...extensionsInHeader(),
    betaHeader: 'Vendor-Beta',
    models: {},
    key: false,
    shard: null,
    ...more,
  };
}
