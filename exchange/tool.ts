import { createRequire } from 'node:module';
import type { TraceHeader } from './trace.ts';

// as: every package.json has a version
const { version } = createRequire(import.meta.url)('#package') as { version: string };

/** This program, as traces and reports name it. */
export const TOOL: TraceHeader['tool'] = { name: 'assay', version };
