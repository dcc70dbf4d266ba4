import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ApiError } from '../http/api-error.ts';
import type { Upload } from '../http/form.ts';
import { BinaryResponse } from '../http/response.ts';
import { type Routes, serves, servesCustomary } from '../http/route.ts';
import { checkPerModel, fileRules } from '../http/validation.ts';
import { modelRoles, modelsOf } from '../model/catalogue.ts';
import { perService, type Service } from '../state/service.ts';
import {
  createEditPainter,
  createPainter,
  createVariationPainter,
  type DecodedPicture,
  decodePicture,
  encodePng,
  hasTransparency,
  type PictureSize,
} from './pictures.ts';

const { 'image-v2': EARLIER_MODEL, 'image-v3': LATER_MODEL } = modelRoles;

/** Time for which an image URL is valid (2 Limits). */
const URL_LIFETIME_MS = 60 * 60 * 1000;

export const routes: Routes = (service) => [
  // Limits that differ by model are in the schema (`x-per-model`).
  serves<ImageRequest>('createImage', ({ body }) => {
    const { id } = modelsOf(service).need(body.model ?? EARLIER_MODEL, 'image');
    checkPerModel('createImage', id === LATER_MODEL ? 'image-v3' : 'image-v2', body);
    const size = requestedSize(body);
    const subject = `${body.prompt ?? ''} ${body.style ?? ''} ${body.quality ?? ''}`;
    const revisedPrompt = id === LATER_MODEL ? `A picture of: ${body.prompt}` : undefined;
    const paint = (n: number) => encodePng(createPainter(`${subject} ${n}`, size), size);
    return paintImages(service, body, paint, revisedPrompt);
  }),
  // Fully transparent pixels of the mask, or of the image if there is no mask, are repainted from the prompt.
  serves<ImageRequest>('createImageEdit', async ({ body, uploads }) => {
    needEarlierModel(service, body);
    const { picture, mask } = await readEdit(uploads);
    const size = requestedSize(body);
    return paintImages(service, body, (n) => {
      const filling = createPainter(`${body.prompt} ${n}`, size);
      return encodePng(createEditPainter(picture, mask, filling, size), size);
    });
  }),
  serves<ImageRequest>('createImageVariation', async ({ body, uploads }) => {
    needEarlierModel(service, body);
    const picture = await readPart(uploads, 'image', 'createImageVariation');
    const size = requestedSize(body);
    return paintImages(service, body, (n) => encodePng(createVariationPainter(picture, n, size), size));
  }),
  // Image URLs are outside `/v1`, because they are not part of the API.
  servesCustomary('GET', '/images/{name}', async ({ path }) => {
    const image = await galleryOf(service).read(path['name'] ?? '');
    if (image === null) throw new ApiError(404, 'The image does not exist, or expired after 60 minutes.');
    return new BinaryResponse('image/png', image);
  }),
];

function needEarlierModel(service: Service, body: ImageRequest): void {
  const { id } = modelsOf(service).need(body.model ?? EARLIER_MODEL, 'image');
  if (id !== EARLIER_MODEL)
    throw ApiError.invalid('model', `The model must be '${EARLIER_MODEL}' here, but is '${id}'.`);
}

async function readPart(
  uploads: ReadonlyMap<string, Upload>,
  field: string,
  operation: string,
): Promise<DecodedPicture> {
  const upload = uploads.get(field);
  if (upload === undefined) throw ApiError.invalid(field, `Missing required parameter: '${field}'.`);
  return decodePicture(upload, fileRules(operation, field));
}

async function readEdit(
  uploads: ReadonlyMap<string, Upload>,
): Promise<{ picture: DecodedPicture; mask: DecodedPicture }> {
  const picture = await readPart(uploads, 'image', 'createImageEdit');
  if (!uploads.has('mask')) {
    if (hasTransparency(picture)) return { picture, mask: picture };
    throw ApiError.invalid('image', "'image' must have transparent pixels when no 'mask' is sent.");
  }
  const mask = await readPart(uploads, 'mask', 'createImageEdit');
  if (mask.width === picture.width && mask.height === picture.height) return { picture, mask };
  throw ApiError.invalid(
    'mask',
    `'mask' must have the dimensions of 'image', ${picture.width} by ${picture.height} pixels, but is ${mask.width} by ${mask.height}.`,
  );
}

async function paintImages(
  service: Service,
  body: ImageRequest,
  paint: (n: number) => Buffer,
  revisedPrompt?: string,
) {
  const data: unknown[] = [];
  for (let n = 0; n < (body.n ?? 1); n += 1) {
    const bytes = paint(n);
    const isBase64 = body.response_format === 'b64_json';
    const showsBoth = service.takes('images.answer.unasked-form') === 'present';
    const image: Record<string, string> = {};
    if (isBase64 || showsBoth) image['b64_json'] = bytes.toString('base64');
    if (!isBase64 || showsBoth) image['url'] = await urlOf(service, bytes);
    if (revisedPrompt !== undefined) image['revised_prompt'] = revisedPrompt;
    data.push(image);
  }
  return { created: service.now(), data };
}

async function urlOf(service: Service, bytes: Buffer): Promise<string> {
  if (service.takes('images.url.scheme') === 'http') return galleryOf(service).add(bytes);
  return `data:image/png;base64,${bytes.toString('base64')}`;
}

interface ImageRequest {
  readonly prompt?: string;
  readonly model?: string | null;
  readonly n?: number | null;
  /** Only varies the picture of a prompt, as `style` does. */
  readonly quality?: string | null;
  /** Default: `url`. */
  readonly response_format?: 'url' | 'b64_json' | null;
  readonly size?: string | null;
  readonly style?: string | null;
}

function requestedSize({ size }: ImageRequest): PictureSize {
  const [width = 1024, height = 1024] = (size ?? '1024x1024').split('x').map(Number);
  return { width, height };
}

interface StoredImage {
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

class Gallery {
  readonly #service: Service;
  readonly #images = new Map<string, StoredImage>();

  constructor(service: Service) {
    this.#service = service;
  }

  async add(bytes: Uint8Array): Promise<string> {
    await this.#deleteExpired();
    const name = `${this.#service.id('img-')}.png`;
    const path = join(this.#service.directory, name);
    await writeFile(path, bytes);
    this.#images.set(name, { path, expiresAt: this.#service.clock() + URL_LIFETIME_MS });
    return `${this.#service.origin()}/images/${name}`;
  }

  async read(name: string): Promise<Readable | null> {
    const image = this.#images.get(name);
    if (image === undefined || image.expiresAt <= this.#service.clock()) return null;
    const handle = await open(image.path).catch(() => null);
    return handle?.createReadStream() ?? null;
  }

  /** Stops at the first unexpired image, because the map is ordered by creation and thus by expiry. */
  async #deleteExpired(): Promise<void> {
    for (const [name, { path, expiresAt }] of this.#images) {
      if (expiresAt > this.#service.clock()) return;
      this.#images.delete(name);
      await rm(path, { force: true });
    }
  }
}

const ownGallery = perService((service) => new Gallery(service));
/** One gallery for all organizations, because a download has no key that tells them apart. */
const galleryOf = (service: Service): Gallery => ownGallery(service.first ?? service);
