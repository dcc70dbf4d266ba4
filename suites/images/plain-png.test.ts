import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { isPlainPng } from './plain-png.ts';

const image = new PNG({ width: 5, height: 3 });
image.data.forEach((_, i) => {
  image.data[i] = i * 7;
});
const TRUE_COLOURS = [
  ['without transparency', PNG.sync.write(image, { colorType: 2 })],
  ['with transparency', PNG.sync.write(image, { colorType: 6 })],
] as const;

test.each(TRUE_COLOURS)('an intact picture in true colour %s is accepted', (_, file) => {
  expect(isPlainPng(file)).toBe(true);
});

test('a grey PNG and a GIF are left to a decoder', () => {
  expect(isPlainPng(PNG.sync.write(image, { colorType: 0 }))).toBe(false);
  expect(isPlainPng(Buffer.from('GIF89a'))).toBe(false);
});

test.each(TRUE_COLOURS)('a picture %s that is truncated or changed anywhere is not accepted', (_, file) => {
  for (let at = 0; at < file.length; at += 1) {
    const changed = Buffer.from(file);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect([isPlainPng(changed), isPlainPng(file.subarray(0, at))]).toEqual([false, false]);
  }
});
