import { rejectValid, requireField, setInResponse } from '../deviations/changes.ts';
import type { Fault } from '../deviations/hooks.ts';

const drawing = ['createImage', 'createImageEdit', 'createImageVariation'];

export const faults: readonly Fault[] = [
  {
    id: 'images-url-refused',
    says: 'rejects the response_format url and its default',
    filed: 'sgl-project/sglang#19349',
    requirement: 'createImage:body.response_format#enum.accepted',
    on: ['createImage'],
    does: {
      handle: (request, proceed, ask) =>
        request.body['response_format'] === undefined
          ? requireField('response_format').handle?.(request, proceed, ask)
          : rejectValid('response_format', (format) => format !== 'b64_json').handle?.(request, proceed, ask),
    },
  },
  {
    id: 'images-url-relative',
    says: 'image URLs are paths without a host',
    filed: 'MODSetter/SurfSense#1496',
    requirement: 'images.answer.url-is-absolute',
    on: drawing,
    does: setInResponse('/data/*/url', (url) => (typeof url === 'string' ? new URL(url).pathname : url)),
  },
  {
    id: 'files-pending',
    says: 'the status of an uploaded file is pending',
    filed: 'BerriAI/litellm#24687',
    requirement: 'file:status#enum',
    on: ['createFile'],
    does: setInResponse('/status', 'pending'),
  },
  {
    id: 'files-size-huge',
    says: 'the size of an uploaded file is ten thousand times too high',
    filed: 'llm-edge/hal-9100#102',
    requirement: 'files.upload.bytes-are-size',
    on: ['createFile', 'retrieveFile'],
    does: setInResponse('/bytes', (bytes) => Number(bytes) * 10_000),
  },
];
