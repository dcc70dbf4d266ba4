// Image generation, edits and variations (2 Images). Pictures are painted from a hash of the prompt.
import { galleryOf } from '../image/gallery.ts';
import { type DecodedPicture, decodePicture, hasTransparency } from '../image/inspect.ts';
import { editPicture, encodePng, paintPicture, varyPicture } from '../image/paint.ts';
import { type ImageRequest, requestedSize } from '../image/request.ts';
import { modelRoles, modelsOf } from '../model/catalogue.ts';
import { ApiError } from '../server/api-error.ts';
import type { Routes } from '../server/handler-request.ts';
import { BinaryResponse } from '../server/response.ts';
import { customary, serves } from '../server/route.ts';
import type { Upload } from '../server/upload.ts';
import { checkPerModel, fileRules } from '../server/validation.ts';
import type { Service } from '../state/service.ts';

/** The two models differ in sizes, number of images and operations. */
const { 'image-v2': earlier, 'image-v3': later } = modelRoles;

/** Routes of images, with the customary endpoint that serves them by URL. */
export const routes: Routes = (service) => [
  // Limits that differ by model are in the schema (`x-per-model`).
  serves<ImageRequest>('createImage', ({ body }) => {
    const { id } = modelsOf(service).need(body.model ?? earlier, 'image');
    checkPerModel('createImage', id === later ? 'image-v3' : 'image-v2', body);
    const size = requestedSize(body);
    const subject = `${body.prompt ?? ''} ${body.style ?? ''} ${body.quality ?? ''}`;
    const revised = id === later ? `A picture of: ${body.prompt}` : undefined;
    return answer(service, body, (n) => encodePng(paintPicture(`${subject} ${n}`, size), size), revised);
  }),
  // Transparent pixels of the mask are painted anew from the prompt.
  serves<ImageRequest>('createImageEdit', async ({ body, uploads }) => {
    needEarlier(service, body);
    const { picture, mask } = await readEdit(uploads);
    const size = requestedSize(body);
    return answer(service, body, (n) => {
      const filling = paintPicture(`${body.prompt} ${n}`, size);
      return encodePng(editPicture(picture, mask, filling, size), size);
    });
  }),
  // Each variation rotates the colours once more.
  serves<ImageRequest>('createImageVariation', async ({ body, uploads }) => {
    needEarlier(service, body);
    const picture = await readPart(uploads, 'image', 'createImageVariation');
    const size = requestedSize(body);
    return answer(service, body, (n) => encodePng(varyPicture(picture, n, size), size));
  }),
  // Outside `/v1`, as URLs of images are not part of the API.
  customary('GET', '/images/{name}', async ({ path }) => {
    const image = await galleryOf(service).read(path['name'] ?? '');
    if (image === null) throw new ApiError(404, 'The image does not exist, or its 60 minutes are over.');
    return new BinaryResponse('image/png', image);
  }),
];

/** @throws ApiError 400 for the newer model, which has no edits and variations. */
function needEarlier(service: Service, body: ImageRequest): void {
  const { id } = modelsOf(service).need(body.model ?? earlier, 'image');
  if (id !== earlier) throw ApiError.invalid('model', `The model must be '${earlier}' here, but is '${id}'.`);
}

/** The decoded image of a form field. @throws ApiError 400 when it is missing or breaks the rules of the schema. */
async function readPart(
  uploads: ReadonlyMap<string, Upload>,
  field: string,
  operation: string,
): Promise<DecodedPicture> {
  const upload = uploads.get(field);
  if (upload === undefined) throw ApiError.invalid(field, `Missing required parameter: '${field}'.`);
  return decodePicture(upload, fileRules(operation, field));
}

/** The image, and the mask that says where it is edited: its own transparency when none is sent. */
async function readEdit(
  uploads: ReadonlyMap<string, Upload>,
): Promise<{ picture: DecodedPicture; mask: DecodedPicture }> {
  const picture = await readPart(uploads, 'image', 'createImageEdit');
  if (!uploads.has('mask')) {
    // Without a mask the image itself has to show where it is edited.
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

/** Paints `n` images, as URLs or as base64; `revised` is the revised prompt of the newer model. */
async function answer(
  service: Service,
  body: ImageRequest,
  paint: (n: number) => Buffer,
  revised?: string | undefined,
) {
  const data: unknown[] = [];
  for (let n = 0; n < (body.n ?? 1); n += 1) {
    // One after the other: pictures are large, and painting them is synchronous anyway.
    const bytes = paint(n);
    const isBase64 = body.response_format === 'b64_json';
    // Usually only the form that was requested is shown.
    const showsBoth = service.takes('images.answer.unasked-form') === 'present';
    const image = {
      ...(isBase64 || showsBoth ? { b64_json: bytes.toString('base64') } : {}),
      ...(isBase64 && !showsBoth ? {} : { url: await urlOf(service, bytes) }),
    };
    data.push(revised === undefined ? image : { ...image, revised_prompt: revised });
  }
  return { created: service.now(), data };
}

/** The URL of a picture: one of this service, or one that contains the picture. */
async function urlOf(service: Service, bytes: Buffer): Promise<string> {
  if (service.takes('images.url.scheme') === 'http') return galleryOf(service).add(bytes);
  return `data:image/png;base64,${bytes.toString('base64')}`;
}
