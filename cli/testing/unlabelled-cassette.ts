import { copyWithLines } from './edited-cassette.ts';

/** Copies the cassette of a run, leaving out scenarios and probes, as if another client had sent the requests. */
export function copyUnlabelled(cassette: string, to: string): void {
  copyWithLines(cassette, to, (lines) =>
    lines.map((line) => {
      if (!line.startsWith('{"e":"request"')) return line;
      const { scenario: _, probe: __, ...rest } = JSON.parse(line);
      return JSON.stringify(rest);
    }),
  );
}
