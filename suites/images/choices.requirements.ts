import type { Exchange } from '../../exchange/exchange.ts';
import { everywhere, inAnswer } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { trials } from '../../judge/selectors/trials.ts';
import { choice } from '../../judge/write.ts';
import { drawn, formOf } from './drawn.ts';

const SPEC = '2 Images';
const OBJECT = '2 Image object';
const CREATE = 'createImage';

export const revised = choice({
  id: 'images.revised-prompt.untold',
  spec: OBJECT,
  says: 'How an image tells that its prompt was not revised.',
  places: ['image:revised_prompt'],
  alternatives: ['absent', 'null'],
  on: drawn(),
  taken: ({ images }) => {
    const value = get(images[0]?.element, 'revised_prompt');
    if (value === undefined) return 'absent';
    return value === null ? 'null' : null;
  },
  examples: { null: inAnswer(CREATE, put('/data/*/revised_prompt', null)) },
});

export const unasked = choice({
  id: 'images.answer.unasked-form',
  spec: OBJECT,
  says: 'How the form of an image reads that was not asked for.',
  places: ['image:url', 'image:b64_json'],
  alternatives: ['absent', 'null', 'told too'],
  on: drawn(),
  taken: ({ asked, images }) => {
    const value = get(images[0]?.element, formOf(asked) === 'url' ? 'b64_json' : 'url');
    if (value === undefined) return 'absent';
    return value === null ? 'null' : 'told too';
  },
  examples: {
    null: everywhere(CREATE, (exchange) => withUnasked(exchange, null)),
    'told too': everywhere(CREATE, (exchange) => withUnasked(exchange, 'https://example.com/1.png')),
  },
});

export const format = choice({
  id: 'images.answer.format',
  spec: OBJECT,
  says: 'Which format the images have that come as base64.',
  alternatives: ['png', 'jpg', 'webp'],
  on: only(drawn(), ({ images }) => images.some((image) => (image.picture()?.format ?? null) !== null)),
  taken: ({ images }) => images[0]?.picture()?.format ?? null,
});

export const host = choice({
  id: 'images.url.scheme',
  spec: OBJECT,
  says: 'Which scheme the URL of an image has.',
  alternatives: ['https', 'http', 'data'],
  on: only(drawn(), ({ images }) => images.some((image) => image.url !== undefined)),
  taken: ({ images }) => {
    const url = images[0]?.url ?? '';
    return URL.canParse(url) ? new URL(url).protocol.slice(0, -1) : null;
  },
  examples: {
    https: inAnswer(CREATE, put('/data/*/url', 'https://example.com/1.png')),
    data: inAnswer(CREATE, put('/data/*/url', 'data:image/png;base64,AAAA')),
  },
});

export const defaults = choice({
  id: 'images.options-at-default.taken',
  spec: SPEC,
  says: 'Whether the earlier model takes options of the later one if they have their default value.',
  alternatives: ['refused', 'taken'],
  on: trials(CREATE, 'options-at-default'),
  taken: ({ call, side }) => {
    if (side === 'valid') return null;
    return call.outcome === 'accepted' ? 'taken' : 'refused';
  },
});

/** That an option is for the later model alone does not say whether the earlier one refuses it or passes it over. */
export const laterOptions = ['quality', 'style'].map((option) =>
  choice({
    id: `images.earlier-model-${option}.taken`,
    spec: SPEC,
    says: `What becomes of a ${option} that is asked of the earlier model.`,
    alternatives: ['refused', 'taken'],
    on: trials(CREATE, `earlier-model-${option}`),
    taken: ({ call, side }) => {
      if (side === 'valid') return null;
      return call.outcome === 'accepted' ? 'taken' : 'refused';
    },
  }),
);

export const megabyte = choice({
  id: 'images.upload.megabyte',
  spec: '2 Limits',
  says: 'What becomes of a picture between 4 million bytes and 4 times 1024 times 1024 bytes.',
  alternatives: ['accepted', 'refused'],
  on: trials('createImageVariation', 'megabyte'),
  taken: ({ call }) => (call.outcome === 'accepted' ? 'accepted' : 'refused'),
});

function withUnasked(exchange: Exchange, value: string | null): Exchange {
  const isBase64 = formOf(exchange.request.body.json?.value) === 'b64_json';
  const pointer = isBase64 ? '/data/*/url' : '/data/*/b64_json';
  return withAnswer(withAnswer(exchange, remove(pointer)), put(pointer, value));
}
