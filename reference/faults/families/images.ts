import { acceptInvalid, ignoreField, replaceBody, setInResponse } from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';

const on = ['createImage', 'createImageEdit', 'createImageVariation'];
const drawn = { created: 1, data: [{ url: 'http://127.0.0.1/images/none.png' }] };

export const faults: readonly Fault[] = [
  {
    id: 'images-size-ignored',
    says: 'every image is 256 pixels wide',
    requirement: 'images.answer.size-as-asked',
    on,
    does: replaceBody((body) => (body['size'] === undefined ? body : { ...body, size: '256x256' })),
  },
  {
    id: 'images-n-ignored',
    says: 'ignores n: there is always one image',
    requirement: 'images.answer.count',
    on,
    does: ignoreField('n'),
  },
  {
    id: 'images-format-ignored',
    says: 'returns a URL when b64_json was requested',
    requirement: 'images.answer.base64-when-asked',
    on,
    does: ignoreField('response_format'),
  },
  {
    id: 'images-base64-no-image',
    says: 'b64_json is truncated after its first characters',
    requirement: 'images.answer.base64-is-an-image',
    on,
    does: setInResponse('/data/*/b64_json', (text) => (typeof text === 'string' ? text.slice(0, 8) : text)),
  },
  {
    id: 'images-url-dead',
    says: 'image URLs are answered 404',
    requirement: 'images.url.leads-somewhere',
    on,
    does: setInResponse('/data/*/url', (url) => (typeof url === 'string' ? `${url}x` : url)),
  },
  {
    id: 'images-format-unchecked',
    says: 'accepts images to edit that are not PNG',
    requirement: 'createImageEdit:file.image#formats.rejected',
    on: ['createImageEdit'],
    does: acceptInvalid('image', () => drawn),
  },
  {
    id: 'images-later-count-unchecked',
    says: 'accepts n above 1 for the newer image model',
    requirement: 'images.later-model-count.rejected',
    on: ['createImage'],
    does: acceptInvalid('n', () => drawn),
  },
  {
    id: 'images-prompt-length-unchecked',
    says: 'accepts prompts that are too long for the older image model',
    requirement: 'images.earlier-model-prompt.rejected',
    on: ['createImage'],
    does: acceptInvalid('prompt', () => drawn),
  },
];
