import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { fromBase64, readPictureInfo } from './picture.ts';

const png = PNG.sync.write(new PNG({ width: 7, height: 5 }));

test('a PNG is read to its last pixel', () => {
  expect(readPictureInfo(png)).toEqual({ format: 'png', width: 7, height: 5, pixels: '7x5', damage: null });
  expect(readPictureInfo(png.subarray(0, png.length - 20))).toMatchObject({ format: 'png', width: 7 });
  expect(readPictureInfo(png.subarray(0, png.length - 20)).damage).not.toBeNull();
});

test('the size of a GIF is read', () => {
  const gif = Buffer.from('R0lGODlhAgADAIAAAAAAAP///yH5BAAAAAAALAAAAAACAAMAAAIChF8AOw==', 'base64');
  expect(readPictureInfo(gif)).toEqual({ format: 'gif', width: 2, height: 3, pixels: '2x3', damage: null });
});

test('invalid pictures are reported with a reason, and reading never throws', () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('a red square'), Buffer.from([0x89, 0x50, 0x4e, 0x47])]) {
    expect(readPictureInfo(bytes)).toMatchObject({ format: null });
    expect(readPictureInfo(bytes).damage).not.toBeNull();
  }
});

test('base64 is read in both alphabets, with and without padding and line breaks, and other text is not', () => {
  const bytes = Buffer.from([0xfb, 0xff, 0xbf, 1]);
  for (const text of ['+/+/AQ==', '-_-_AQ', '+/+/\r\nAQ==\n']) {
    expect(Buffer.from(fromBase64(text) ?? [])).toEqual(bytes);
  }
  for (const text of ['', 'no base64!', 'data:image/png;base64,AAAA', 'AAAAA']) {
    expect(fromBase64(text)).toBeNull();
  }
});

test('bytes after the last chunk of a PNG are ignored, but a missing end is damage', () => {
  const file = PNG.sync.write(new PNG({ width: 3, height: 2 }));
  expect(readPictureInfo(Buffer.concat([file, Buffer.alloc(4)]))).toMatchObject({ width: 3, damage: null });
  expect(readPictureInfo(file.subarray(0, -14)).damage).not.toBeNull();
});
