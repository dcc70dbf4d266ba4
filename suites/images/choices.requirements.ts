import { choiceOf } from '../rows/rows.ts';
import { inEveryResponse, removeValue, setValue } from '../vocabulary/changes.ts';
import { stateOf } from '../vocabulary/choice-values.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { valueAtPath } from '../vocabulary/json.ts';
import { where } from '../vocabulary/selectors.ts';
import type { Exchange } from '../vocabulary/types.ts';
import { imageResponses, responseFormOf } from './image-responses.ts';

const CREATE = 'createImage';

export const imagesRevisedPromptUntold = choiceOf('images.revised-prompt.untold', {
  selector: imageResponses(),
  taken: ({ images }) => stateOf(valueAtPath(images[0]?.element, 'revised_prompt'), null),
});

export const imagesAnswerUnaskedForm = choiceOf('images.answer.unasked-form', {
  selector: imageResponses(),
  taken: ({ asked, images }) =>
    stateOf(valueAtPath(images[0]?.element, responseFormOf(asked) === 'url' ? 'b64_json' : 'url'), 'present'),
  examples: {
    null: inEveryResponse(CREATE, (exchange) => withOtherForm(exchange, null)),
    present: inEveryResponse(CREATE, (exchange) => withOtherForm(exchange, 'https://example.com/1.png')),
  },
});

export const imagesUrlScheme = choiceOf('images.url.scheme', {
  selector: where(imageResponses(), ({ images }) => images.some((image) => image.url !== undefined)),
  taken: ({ images }) => {
    const url = images[0]?.url ?? '';
    return URL.canParse(url) ? new URL(url).protocol.slice(0, -1) : null;
  },
});

function withOtherForm(exchange: Exchange, value: string | null): Exchange {
  const isBase64 = responseFormOf(exchange.request.body.json?.value) === 'b64_json';
  const pointer = isBase64 ? '/data/*/url' : '/data/*/b64_json';
  return withResponseJson(withResponseJson(exchange, removeValue(pointer)), setValue(pointer, value));
}
