import type { Tool } from '../runs/objects.ts';

/** The form that the beta header selects (1 Versioning). */
export type Version = 'v1' | 'v2';

/** A tool in a request: file search is `retrieval` under v1 and `file_search` under v2. */
export type WireTool = Tool | { readonly type: 'retrieval' };

/** Tools as they are stored: in the words of v2, for both forms. */
export const storedTools = (tools: readonly WireTool[]): readonly Tool[] =>
  tools.map((tool) => (tool.type === 'retrieval' ? { type: 'file_search' } : tool));

/** Stored tools in the words of a version. */
export const shownTools = (tools: readonly Tool[], version: Version): readonly WireTool[] =>
  version === 'v2'
    ? tools
    : tools.map((tool) => (tool.type === 'file_search' ? { type: 'retrieval' } : tool));
