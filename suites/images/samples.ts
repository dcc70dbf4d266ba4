import type { FileValue } from '../generate/requests.ts';
import { pngFile } from '../generate/sample-files.ts';

export const prompt = 'A red square on a white table.';

/** Width and height in pixels. */
const side = 64;

/** A mask: its transparent area is redrawn. */
export function transparentImage(): FileValue {
  return pngFile('transparent.png', { width: side, height: side, transparent: true });
}

/** An image without transparency: without a mask there is nothing to redraw. */
export function opaqueImage(): FileValue {
  return pngFile('opaque.png', { width: side, height: side });
}

/** A mask for `opaqueImage`: a transparent area of the same size. */
export function maskImage(): FileValue {
  return pngFile('mask.png', { width: side, height: side, transparent: true });
}
