import type { Json } from '../../exchange/body.ts';
import { bytes } from '../../judge/edit/breaks.ts';
import type { Edit } from '../../judge/edit/values.ts';
import type { Break } from '../../judge/requirement.ts';

/** Rewrites the lines of every file of results. */
export function rewritten(rewrite: (lines: readonly string[]) => readonly string[]): Break {
  return bytes('retrieveFileContent', (content) => {
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

/** Edits each line of every file of results. */
export function inLines(edit: Edit): Break {
  return rewritten((lines) =>
    lines.map((line) => {
      const value: Json = JSON.parse(line);
      return JSON.stringify(edit(value));
    }),
  );
}
