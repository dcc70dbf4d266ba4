import type { Tool } from '../runs/objects.ts';

/** What the beta header selects: the legacy form or the beta form (1 Versioning). */
export type Version = 'v1' | 'v2';

/** A tool as callers write it: searching is `retrieval` under v1 and `file_search` under v2. */
export type WireTool = Tool | { readonly type: 'retrieval' };

/** Tools are kept in the words of v2, so that both forms see one assistant. */
export const storedTools = (tools: readonly WireTool[]): readonly Tool[] =>
  tools.map((tool) => (tool.type === 'retrieval' ? { type: 'file_search' } : tool));

export const shownTools = (tools: readonly Tool[], version: Version): readonly WireTool[] =>
  version === 'v2'
    ? tools
    : tools.map((tool) => (tool.type === 'file_search' ? { type: 'retrieval' } : tool));
