import { Content } from '../answer.ts';
import type { Routes } from '../call.ts';
import { galleryOf } from '../image/gallery.ts';
import { hasTransparency, type Picture, readPicture } from '../image/inspect.ts';
import { encodePng, imagine, retouch, vary } from '../image/paint.ts';
import { type ImageRequest, sizeOf } from '../image/request.ts';
import { modelRoles, modelsOf } from '../model/catalogue.ts';
import { Refusal } from '../refusal.ts';
import { customary, serves } from '../route.ts';
import type { Service } from '../service.ts';
import type { Upload } from '../upload.ts';
import { checkPerModel, fileRules } from '../validation.ts';

const { 'image-v2': earlier, 'image-v3': later } = modelRoles;

export const routes: Routes = (service) => [
  serves<ImageRequest>('createImage', ({ body }) => {
    const { id } = modelsOf(service).need(body.model ?? earlier, 'image');
    checkPerModel('createImage', id === later ? 'image-v3' : 'image-v2', body);
    const size = sizeOf(body);
    const subject = `${body.prompt ?? ''} ${body.style ?? ''} ${body.quality ?? ''}`;
    const revised = id === later ? `A picture of: ${body.prompt}` : undefined;
    return answer(service, body, (n) => encodePng(imagine(`${subject} ${n}`, size), size), revised);
  }),
  serves<ImageRequest>('createImageEdit', async ({ body, uploads }) => {
    needEarlier(service, body);
    const { picture, mask } = await readEdit(uploads);
    const size = sizeOf(body);
    return answer(service, body, (n) => {
      const filling = imagine(`${body.prompt} ${n}`, size);
      return encodePng(retouch(picture, mask, filling, size), size);
    });
  }),
  serves<ImageRequest>('createImageVariation', async ({ body, uploads }) => {
    needEarlier(service, body);
    const picture = await readPart(uploads, 'image', 'createImageVariation');
    const size = sizeOf(body);
    return answer(service, body, (n) => encodePng(vary(picture, n, size), size));
  }),
  customary('GET', '/images/{name}', async ({ path }) => {
    const image = await galleryOf(service).show(path['name'] ?? '');
    if (image === null) throw new Refusal(404, 'There is no such image, or its 60 minutes are over.');
    return new Content('image/png', image);
  }),
];

/** Edits and variations are for the earlier model alone. */
function needEarlier(service: Service, body: ImageRequest): void {
  const { id } = modelsOf(service).need(body.model ?? earlier, 'image');
  if (id !== earlier) throw Refusal.invalid('model', `The model must be '${earlier}' here, but is '${id}'.`);
}

async function readPart(
  uploads: ReadonlyMap<string, Upload>,
  field: string,
  operation: string,
): Promise<Picture> {
  const upload = uploads.get(field);
  if (upload === undefined) throw Refusal.invalid(field, `Missing required parameter: '${field}'.`);
  return readPicture(upload, fileRules(operation, field));
}

/** The image, and the mask that says where it is edited: its own transparency when none is sent. */
async function readEdit(uploads: ReadonlyMap<string, Upload>): Promise<{ picture: Picture; mask: Picture }> {
  const picture = await readPart(uploads, 'image', 'createImageEdit');
  if (!uploads.has('mask')) {
    if (hasTransparency(picture)) return { picture, mask: picture };
    throw Refusal.invalid('image', "'image' must have transparent pixels when no 'mask' is sent.");
  }
  const mask = await readPart(uploads, 'mask', 'createImageEdit');
  if (mask.width === picture.width && mask.height === picture.height) return { picture, mask };
  throw Refusal.invalid(
    'mask',
    `'mask' must have the dimensions of 'image', ${picture.width} by ${picture.height} pixels, but is ${mask.width} by ${mask.height}.`,
  );
}

async function answer(
  service: Service,
  body: ImageRequest,
  paint: (n: number) => Buffer,
  revised?: string | undefined,
) {
  const data: unknown[] = [];
  for (let n = 0; n < (body.n ?? 1); n += 1) {
    const bytes = paint(n);
    const image =
      body.response_format === 'b64_json'
        ? { b64_json: bytes.toString('base64') }
        : { url: await galleryOf(service).hang(bytes) };
    data.push(revised === undefined ? image : { ...image, revised_prompt: revised });
  }
  return { created: service.now(), data };
}
