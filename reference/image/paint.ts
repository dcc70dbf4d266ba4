import { PNG } from 'pngjs';
import { hashText } from '../ids.ts';
import type { Picture } from './inspect.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

type Painter = (x: number, y: number) => readonly [red: number, green: number, blue: number];

/** Bands and a disc whose colours and place depend on the subject alone. */
export function imagine(subject: string, { width, height }: Size): Painter {
  const hash = hashText(subject);
  const [red, green, blue] = [hash & 255, (hash >>> 8) & 255, (hash >>> 16) & 255];
  const [midX, midY] = [
    width * (0.3 + ((hash >>> 4) % 40) / 100),
    height * (0.3 + ((hash >>> 12) % 40) / 100),
  ];
  const radius = (Math.min(width, height) / 5) ** 2;
  return (x, y) => {
    if ((x - midX) ** 2 + (y - midY) ** 2 < radius) return [255 - red, 255 - green, 255 - blue];
    const shade = 0.5 + (Math.floor((y * 8) / height) / 8) * 0.5;
    return [Math.floor(red * shade), Math.floor(green * shade), Math.floor(blue * shade)];
  };
}

/** The picture stretched to a size; where `mask` is fully transparent the other painter takes over. */
export function retouch(picture: Picture, mask: Picture, other: Painter, size: Size): Painter {
  return (x, y) => {
    const at = pixel(picture, x, y, size);
    if (mask.rgba[pixel(mask, x, y, size) + 3] === 0) return other(x, y);
    return [picture.rgba[at] ?? 0, picture.rgba[at + 1] ?? 0, picture.rgba[at + 2] ?? 0];
  };
}

/** The picture stretched to a size, its colours exchanged `turn` times. */
export function vary(picture: Picture, turn: number, size: Size): Painter {
  return (x, y) => {
    const at = pixel(picture, x, y, size);
    const colours = [0, 1, 2].map((n) => picture.rgba[at + ((n + turn) % 3)] ?? 0);
    return [255 - (colours[0] ?? 0), colours[1] ?? 0, colours[2] ?? 0];
  };
}

function pixel({ width, height }: Picture, x: number, y: number, size: Size): number {
  return 4 * (Math.floor((y * height) / size.height) * width + Math.floor((x * width) / size.width));
}

/** Pixels that are painted alike, in both directions: a large picture takes no longer than a small one to think up. */
const BLOCK = 8;

/** The painted picture as a PNG file. */
export function encodePng(painter: Painter, { width, height }: Size): Buffer {
  const png = new PNG({ width, height });
  const rgb = Buffer.alloc(width * height * 3);
  const stride = width * 3;
  for (let y = 0; y < height; y += BLOCK) {
    const row = rgb.subarray(y * stride, (y + 1) * stride);
    for (let x = 0; x < width; x += BLOCK)
      row.fill(Uint8Array.from(painter(x, y)), x * 3, Math.min((x + BLOCK) * 3, stride));
    for (let below = y + 1; below < Math.min(y + BLOCK, height); below += 1) row.copy(rgb, below * stride);
  }
  png.data = rgb;
  return PNG.sync.write(png, {
    colorType: 2,
    inputColorType: 2,
    inputHasAlpha: false,
    deflateLevel: 1,
    filterType: 0,
  });
}
