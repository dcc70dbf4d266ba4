import { allEdits, changeBytes } from '../vocabulary/changes.ts';
import type { Edit, Json, Mutation } from '../vocabulary/types.ts';

/**
 * Rewrites the lines of every result file: a file whose lines all have a `custom_id` and a `response`.
 */
export function rewriteResultFiles(rewrite: (lines: readonly string[]) => readonly string[]): Mutation {
  return changeBytes('retrieveFileContent', (content) => {
    const lines = new TextDecoder()
      .decode(content)
      .split('\n')
      .filter((line) => line !== '');
    if (!lines.every((line) => line.includes('"custom_id"') && line.includes('"response"'))) return content;
    return new TextEncoder().encode(
      rewrite(lines)
        .map((line) => `${line}\n`)
        .join(''),
    );
  });
}

/** Applies edits in turn to each line of every result file. */
export function editResultLines(...edits: readonly Edit[]): Mutation {
  const edit = allEdits(...edits);
  return rewriteResultFiles((lines) =>
    lines.map((line) => {
      const value: Json = JSON.parse(line);
      return JSON.stringify(edit(value));
    }),
  );
}
