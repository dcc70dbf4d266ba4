import { createHash } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ERROR = { error: { message: 'No.' } };
const ERROR_SIZE = JSON.stringify(ERROR).length;

/** The status of an error for a request; null keeps the response. `bodyLine`: the line of the request body. */
type ChooseStatus = (bodyLine: string) => number | null;

/**
 * Copies the cassette of a finished run, with errors as responses to some requests that have a body. Judging such a
 * copy takes a fraction of the time of a run against a faulty target.
 */
export function copyWithErrors(cassette: string, to: string, chooseStatus: ChooseStatus): void {
  const timing = readFileSync(join(cassette, 'timing.jsonl'), 'utf8').trimEnd().split('\n');
  const changedExchanges = new Set<number>();
  let exchange = 0;
  let status: number | null = null;
  const editLine = (line: string): readonly string[] => {
    const { e, of, i } = JSON.parse(line);
    if (e === 'request') {
      exchange = i;
      status = null;
    }
    if (e === 'body' && of === 'request') status = chooseStatus(line);
    if (status === null || !(e === 'response' || (e === 'body' && of === 'response'))) return [line];
    changedExchanges.add(exchange);
    return e === 'response' ? [errorHead(line, status), errorBody()] : [];
  };
  copyWithLines(cassette, to, (lines) => lines.flatMap(editLine));
  const times = timing.map((line) => {
    const row = JSON.parse(line);
    return changedExchanges.has(row.i) ? JSON.stringify({ ...row, pieces: [[0, row.end]] }) : line;
  });
  writeFileSync(join(to, 'timing.jsonl'), `${times.join('\n')}\n`);
}

/** Copies a finished cassette with other lines before the last one, and a checksum that fits them. */
export function copyWithLines(
  cassette: string,
  to: string,
  edit: (lines: readonly string[]) => readonly string[],
): void {
  cpSync(cassette, to, { recursive: true });
  const file = join(to, 'cassette.jsonl');
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const close = JSON.parse(lines.pop() ?? '{}');
  const text = `${edit(lines).join('\n')}\n`;
  const sha256 = createHash('sha256').update(text).digest('hex');
  writeFileSync(file, `${text}${JSON.stringify({ ...close, sha256 })}\n`);
}

function errorHead(line: string, status: number): string {
  const head = JSON.parse(line) as { readonly headers: readonly (readonly [string, string | null])[] }; // as: a line of a response
  const others = head.headers.filter(([name]) => !/^content-|^transfer-/i.test(name));
  const headers = [...others, ['content-type', 'application/json'], ['content-length', String(ERROR_SIZE)]];
  return JSON.stringify({ ...head, status, reason: '', headers });
}

function errorBody(): string {
  const sha256 = createHash('sha256').update(JSON.stringify(ERROR)).digest('hex');
  return JSON.stringify({ e: 'body', of: 'response', size: ERROR_SIZE, sha256, json: ERROR });
}
