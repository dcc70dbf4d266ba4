import type { PictureSize } from './paint.ts';

/** The fields of an image request that the handlers read, validated (2 Images). */
export interface ImageRequest {
  readonly prompt?: string;
  readonly model?: string | null;
  readonly n?: number | null;
  /** Checked, but without an effect on the picture, like `style`. */
  readonly quality?: string | null;
  /** `url` unless given; a URL is valid for an hour. */
  readonly response_format?: 'url' | 'b64_json' | null;
  readonly size?: string | null;
  readonly style?: string | null;
}

/** The requested size; default 1024 by 1024. */
export function requestedSize({ size }: ImageRequest): PictureSize {
  const [width = 1024, height = 1024] = (size ?? '1024x1024').split('x').map(Number);
  return { width, height };
}
