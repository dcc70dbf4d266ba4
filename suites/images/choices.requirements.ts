import { inEveryResponse, removeValue, setIn, setValue } from '../vocabulary/changes.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { valueAtPath } from '../vocabulary/json.ts';
import { probeResults, where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import type { Exchange } from '../vocabulary/types.ts';
import { imageResponses, responseFormOf } from './image-responses.ts';

const { choice } = section('2 Image object');
const SPEC = '2 Images';
const CREATE = 'createImage';

export const imagesRevisedPromptUntold = choice('images.revised-prompt.untold', {
  says: 'The form of revised_prompt where the prompt was not revised.',
  places: ['image:revised_prompt'],
  alternatives: ['absent', 'null'],
  selector: imageResponses(),
  taken: ({ images }) => {
    const value = valueAtPath(images[0]?.element, 'revised_prompt');
    if (value === undefined) return 'absent';
    return value === null ? 'null' : null;
  },
  examples: { null: setIn(CREATE, '/data/*/revised_prompt', null) },
  takesAway: { absent: ['image:revised_prompt#type'] },
});

export const imagesAnswerUnaskedForm = choice('images.answer.unasked-form', {
  says: 'The value of the field of an image (url or b64_json) that was not requested.',
  places: ['image:url', 'image:b64_json'],
  alternatives: ['absent', 'null', 'present'],
  selector: imageResponses(),
  taken: ({ asked, images }) => {
    const value = valueAtPath(images[0]?.element, responseFormOf(asked) === 'url' ? 'b64_json' : 'url');
    if (value === undefined) return 'absent';
    return value === null ? 'null' : 'present';
  },
  examples: {
    null: inEveryResponse(CREATE, (exchange) => withOtherForm(exchange, null)),
    present: inEveryResponse(CREATE, (exchange) => withOtherForm(exchange, 'https://example.com/1.png')),
  },
});

export const imagesAnswerFormat = choice('images.answer.format', {
  says: 'The format of images that come as base64.',
  alternatives: ['png', 'jpg', 'webp'],
  selector: where(imageResponses(), ({ images }) =>
    images.some((image) => (image.picture()?.format ?? null) !== null),
  ),
  taken: ({ images }) => images[0]?.picture()?.format ?? null,
});

export const imagesUrlScheme = choice('images.url.scheme', {
  says: 'The scheme of the URL of an image.',
  alternatives: ['https', 'http', 'data'],
  selector: where(imageResponses(), ({ images }) => images.some((image) => image.url !== undefined)),
  taken: ({ images }) => {
    const url = images[0]?.url ?? '';
    return URL.canParse(url) ? new URL(url).protocol.slice(0, -1) : null;
  },
  examples: {
    https: setIn(CREATE, '/data/*/url', 'https://example.com/1.png'),
    data: setIn(CREATE, '/data/*/url', 'data:image/png;base64,AAAA'),
  },
});

export const imagesOptionsAtDefaultTaken = choice('images.options-at-default.taken', {
  spec: SPEC,
  says: 'Whether the earlier model accepts options of the later one with their default values.',
  alternatives: ['refused', 'taken'],
  selector: probeResults(CREATE, 'options-at-default'),
  taken: ({ call, side }) => {
    if (side === 'valid') return null;
    return call.responseClass === 'accepted' ? 'taken' : 'refused';
  },
});

/**
 * The specification assigns an option to the later model alone; it does not say whether the earlier one
 * rejects or ignores it.
 */
export const laterOptions = ['quality', 'style'].map((option) =>
  choice(`images.earlier-model-${option}.taken`, {
    spec: SPEC,
    says: `The response of the earlier model to a request with ${option}.`,
    alternatives: ['refused', 'taken'],
    selector: probeResults(CREATE, `earlier-model-${option}`),
    taken: ({ call, side }) => {
      if (side === 'valid') return null;
      return call.responseClass === 'accepted' ? 'taken' : 'refused';
    },
  }),
);

export const imagesUploadMegabyte = choice('images.upload.megabyte', {
  spec: '2 Limits',
  says: 'The response to a picture between 4 million bytes and 4 times 1024 times 1024 bytes.',
  alternatives: ['accepted', 'refused'],
  selector: probeResults('createImageVariation', 'megabyte'),
  taken: outcome('accepted'),
});

function withOtherForm(exchange: Exchange, value: string | null): Exchange {
  const isBase64 = responseFormOf(exchange.request.body.json?.value) === 'b64_json';
  const pointer = isBase64 ? '/data/*/url' : '/data/*/b64_json';
  return withResponseJson(withResponseJson(exchange, removeValue(pointer)), setValue(pointer, value));
}
