import { expect, test } from 'vitest';
import { ENCODINGS } from '../testing/encodings.ts';
import { TextPattern } from './text-pattern.ts';

test.each(['secret-1%', 'secret-1%2', 'secret-1\\', 'secret-1&', 'sécret-1%'])(
  'a secret that ends like the beginning of an escape is found at the end of a body: %s',
  (secret) => {
    const bytes = Buffer.from(secret);
    const pattern = new TextPattern({ bytes, alias: Buffer.alloc(bytes.length, 'x') }, 'exact', 'any');
    expect(pattern.match(bytes, 0, 'final')).toBe(bytes.length);
    const body = Buffer.from(bytes);
    pattern.replace(body, 0);
    expect(body.toString('latin1')).not.toContain(bytes.toString('latin1').slice(-4));
  },
);

test('a secret that begins with a byte order mark is found, also in JSON escapes, and so is the next secret', () => {
  for (const secret of ['\ufeffzyxw-98765432-q', 'zyxwzyxw-12345678']) {
    const bytes = Buffer.from(secret);
    const pattern = new TextPattern({ bytes, alias: Buffer.alloc(bytes.length, 'x') }, 'exact', 'any');
    const escaped = Buffer.from(ENCODINGS['JSON escapes']?.(secret) ?? 'no such encoding');
    for (const text of [bytes, escaped]) expect(pattern.match(text, 0, 'final')).toBe(text.length);
  }
});
