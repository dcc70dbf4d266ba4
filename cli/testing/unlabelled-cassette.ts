import { createHash } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Copies the cassette of a run, leaving out scenarios and probes, as if another client had sent the requests. */
export function copyUnlabelled(cassette: string, to: string): void {
  cpSync(cassette, to, { recursive: true });
  const lines = readFileSync(join(cassette, 'cassette.jsonl'), 'utf8').trimEnd().split('\n');
  const last = lines.pop() ?? '';
  const unlabelled = lines.map((line) => {
    if (!line.startsWith('{"e":"request"')) return line;
    const { scenario: _, probe: __, ...rest } = JSON.parse(line);
    return JSON.stringify(rest);
  });
  const text = `${unlabelled.join('\n')}\n`;
  const sha256 = createHash('sha256').update(text).digest('hex');
  writeFileSync(join(to, 'cassette.jsonl'), `${text}${JSON.stringify({ ...JSON.parse(last), sha256 })}\n`);
}
