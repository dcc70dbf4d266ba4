import type { Exchange } from '../../exchange/exchange.ts';
import { valueAtPath } from '../../judge/evidence/json.ts';
import { where } from '../../judge/evidence/selectors/answers.ts';
import { probeResults } from '../../judge/evidence/selectors/trials.ts';
import { withResponseJson } from '../../judge/mutations/exchanges.ts';
import { inEveryResponse, inResponse } from '../../judge/mutations/mutations.ts';
import { removeValue, setValue } from '../../judge/mutations/values.ts';
import { choice } from '../../judge/requirements/define.ts';
import { imageResponses, responseFormOf } from './image-responses.ts';

const SPEC = '2 Images';
const OBJECT = '2 Image object';
const CREATE = 'createImage';

export const imagesRevisedPromptUntold = choice({
  id: 'images.revised-prompt.untold',
  spec: OBJECT,
  says: 'How an image tells that its prompt was not revised.',
  places: ['image:revised_prompt'],
  alternatives: ['absent', 'null'],
  selector: imageResponses(),
  taken: ({ images }) => {
    const value = valueAtPath(images[0]?.element, 'revised_prompt');
    if (value === undefined) return 'absent';
    return value === null ? 'null' : null;
  },
  examples: { null: inResponse(CREATE, setValue('/data/*/revised_prompt', null)) },
});

export const imagesAnswerUnaskedForm = choice({
  id: 'images.answer.unasked-form',
  spec: OBJECT,
  says: 'How the form of an image reads that was not asked for.',
  places: ['image:url', 'image:b64_json'],
  alternatives: ['absent', 'null', 'told too'],
  selector: imageResponses(),
  taken: ({ asked, images }) => {
    const value = valueAtPath(images[0]?.element, responseFormOf(asked) === 'url' ? 'b64_json' : 'url');
    if (value === undefined) return 'absent';
    return value === null ? 'null' : 'told too';
  },
  examples: {
    null: inEveryResponse(CREATE, (exchange) => withUnasked(exchange, null)),
    'told too': inEveryResponse(CREATE, (exchange) => withUnasked(exchange, 'https://example.com/1.png')),
  },
});

export const imagesAnswerFormat = choice({
  id: 'images.answer.format',
  spec: OBJECT,
  says: 'Which format the images have that come as base64.',
  alternatives: ['png', 'jpg', 'webp'],
  selector: where(imageResponses(), ({ images }) =>
    images.some((image) => (image.picture()?.format ?? null) !== null),
  ),
  taken: ({ images }) => images[0]?.picture()?.format ?? null,
});

export const imagesUrlScheme = choice({
  id: 'images.url.scheme',
  spec: OBJECT,
  says: 'Which scheme the URL of an image has.',
  alternatives: ['https', 'http', 'data'],
  selector: where(imageResponses(), ({ images }) => images.some((image) => image.url !== undefined)),
  taken: ({ images }) => {
    const url = images[0]?.url ?? '';
    return URL.canParse(url) ? new URL(url).protocol.slice(0, -1) : null;
  },
  examples: {
    https: inResponse(CREATE, setValue('/data/*/url', 'https://example.com/1.png')),
    data: inResponse(CREATE, setValue('/data/*/url', 'data:image/png;base64,AAAA')),
  },
});

export const imagesOptionsAtDefaultTaken = choice({
  id: 'images.options-at-default.taken',
  spec: SPEC,
  says: 'Whether the earlier model takes options of the later one if they have their default value.',
  alternatives: ['refused', 'taken'],
  selector: probeResults(CREATE, 'options-at-default'),
  taken: ({ call, side }) => {
    if (side === 'valid') return null;
    return call.responseClass === 'accepted' ? 'taken' : 'refused';
  },
});

/** That an option is for the later model alone does not say whether the earlier one refuses it or passes it over. */
export const laterOptions = ['quality', 'style'].map((option) =>
  choice({
    id: `images.earlier-model-${option}.taken`,
    spec: SPEC,
    says: `What becomes of a ${option} that is asked of the earlier model.`,
    alternatives: ['refused', 'taken'],
    selector: probeResults(CREATE, `earlier-model-${option}`),
    taken: ({ call, side }) => {
      if (side === 'valid') return null;
      return call.responseClass === 'accepted' ? 'taken' : 'refused';
    },
  }),
);

export const imagesUploadMegabyte = choice({
  id: 'images.upload.megabyte',
  spec: '2 Limits',
  says: 'What becomes of a picture between 4 million bytes and 4 times 1024 times 1024 bytes.',
  alternatives: ['accepted', 'refused'],
  selector: probeResults('createImageVariation', 'megabyte'),
  taken: ({ call }) => (call.responseClass === 'accepted' ? 'accepted' : 'refused'),
});

function withUnasked(exchange: Exchange, value: string | null): Exchange {
  const isBase64 = responseFormOf(exchange.request.body.json?.value) === 'b64_json';
  const pointer = isBase64 ? '/data/*/url' : '/data/*/b64_json';
  return withResponseJson(withResponseJson(exchange, removeValue(pointer)), setValue(pointer, value));
}
