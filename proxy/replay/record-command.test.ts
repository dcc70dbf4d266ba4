import { expect, test } from 'vitest';
import type { Cassette } from '../../exchange/cassette/cassette.ts';
import { recordCommand } from './record-command.ts';

test.each([
  ['https://api.example/v1', 'sessions/one', '--base-url https://api.example/v1 --cassette sessions/one'],
  ['https://api.example/$(id)', "it's here; id", "--base-url URL --cassette 'it'\\''s here; id'"],
])('a cassette of %s in %s gives a command that is safe to paste', (baseUrl, dir, expected) => {
  const cassette = { dir, header: { target: { baseUrl } } } as Cassette; // as: the command needs only these parts
  expect(recordCommand(cassette, 'record')).toBe(`npx assay record ${expected}`);
});
