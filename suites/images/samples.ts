import type { FileValue } from '../generate/requests.ts';
import { pngFile } from '../generate/sample-files.ts';

export const prompt = 'A red square on a white table.';

export function opaqueImage(): FileValue {
  return pngFile('opaque.png', { width: 64, height: 64 });
}
