import { createRequire } from 'node:module';
import { PNG } from 'pngjs';
import { bufferOn } from '../../exchange/http/bytes.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { computeOnce } from '../rows/on-first-use.ts';
import { isPlainPng } from './plain-png.ts';

const require = createRequire(import.meta.url);

/** Loads the package at the first image, because loading it is slow and most traffic has no image. */
function measureImage(bytes: Uint8Array) {
  const { imageSize } = require('image-size') as typeof import('image-size'); // as: the exports of the package
  return imageSize(bytes);
}

export interface PictureInfo {
  /** The format (`png`, `jpg`, `webp`, …); null if the bytes are not an image. */
  readonly format: string | null;
  readonly width: number;
  readonly height: number;
  /** Width and height, `64x48`; undefined if the bytes are not an image. */
  readonly pixels: string | undefined;
  /** Why the bytes cannot be decoded; null if they can, and for images other than PNG, which are not decoded. */
  readonly damage: string | null;
}

export function readPictureInfo(bytes: Uint8Array): PictureInfo {
  try {
    const { width, height, type } = measureImage(bytes);
    // A PNG is decoded to its last pixel on first use, because that is slow.
    const damage = computeOnce(() => (type === 'png' ? damageOf(bytes) : null));
    return {
      format: type ?? 'unknown',
      width,
      height,
      pixels: `${width}x${height}`,
      get damage() {
        return damage();
      },
    };
  } catch (error) {
    return { format: null, width: 0, height: 0, pixels: undefined, damage: messageOf(error) };
  }
}

/** Accepts either alphabet, with or without line breaks and padding; null if the text is empty or not base64. */
export function fromBase64(text: string): Uint8Array | null {
  const unpadded = text.replaceAll(/\s/g, '').replace(/={0,2}$/, '');
  if (unpadded === '' || /[^\w+/-]/.test(unpadded) || unpadded.length % 4 === 1) return null;
  return Buffer.from(unpadded, 'base64');
}

function damageOf(bytes: Uint8Array): string | null {
  const file = withoutTrailingBytes(bufferOn(bytes));
  try {
    if (!isPlainPng(file)) PNG.sync.read(file);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** A PNG up to the end of its last chunk: later bytes are not part of the image, and viewers ignore them. */
function withoutTrailingBytes(file: Buffer): Buffer {
  for (let at = 8; at + 12 <= file.length; at += 12 + file.readUInt32BE(at))
    if (file.toString('latin1', at + 4, at + 8) === 'IEND') return file.subarray(0, at + 12);
  return file;
}
