import type { FileValue } from '../generate/requests.ts';
import { pngFile } from '../generate/sample-files.ts';

export const prompt = 'A red square on a white table.';

/** Width and height of the samples in pixels. */
const SIDE = 64;

/** An image whose transparent area serves as its mask. */
export function transparentImage(): FileValue {
  return pngFile('transparent.png', { width: SIDE, height: SIDE, transparent: true });
}

/** An image without transparency, which can be edited only with a mask. */
export function opaqueImage(): FileValue {
  return pngFile('opaque.png', { width: SIDE, height: SIDE });
}

/** A mask for `opaqueImage`: an image of the same size, half of it transparent. */
export function maskImage(): FileValue {
  return pngFile('mask.png', { width: SIDE, height: SIDE, transparent: true });
}
