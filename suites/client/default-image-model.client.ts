// Requests for images that name no model: the specification says which one they then mean, and what it takes.
import type { Json } from '../../exchange/http/body.ts';
import { requests, where } from '../../judge/evidence/calls.ts';
import { section } from '../../judge/requirements/define.ts';
import type { Violation } from '../../judge/requirements/requirement.ts';
import { isObject, valueAtPath } from '../../judge/trace/json.ts';
import { inRequest } from '../../proof/mutations/requests.ts';
import { removeValue, setValue } from '../../proof/mutations/values.ts';

const { stated } = section('2 Images');

/** The operation of which models differ; the others take one model alone. */
const IMAGE = ['createImage'];
/** Characters of a prompt, counted as code points. */
const LONGEST = 1000;
/** Sizes of the earlier model. */
const SIZES: readonly Json[] = ['256x256', '512x512', '1024x1024'];
/** Fields of the later model alone, with the default of each: whether it may be sent in words to the earlier one is left open. */
const OF_LATER: Readonly<Record<string, string>> = { quality: 'standard', style: 'vivid' };

/** Whether a field is given; null leaves it out. */
function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

/** The first field of a request that the default model does not take; null if it takes all. */
function beyondDefault(asked: Json | undefined): Violation | null {
  const [prompt, size] = [valueAtPath(asked, 'prompt'), valueAtPath(asked, 'size')];
  const length = typeof prompt === 'string' ? [...prompt].length : 0;
  if (length > LONGEST)
    return {
      at: 'request /prompt',
      expected: `at most ${LONGEST} characters without a model`,
      actual: length,
    };
  if (isGiven(size) && !SIZES.includes(size ?? null))
    return { at: 'request /size', expected: `${SIZES.join(' or ')} without a model`, actual: size };
  for (const [name, usual] of Object.entries(OF_LATER)) {
    const value = valueAtPath(asked, name);
    if (isGiven(value) && value !== usual)
      return { at: `request /${name}`, expected: 'a model that takes it', actual: value };
  }
  return null;
}

/** A request that names a model is not judged: models are named by placeholders. One image too many is too many for both. */
export const clientImagesDefaultModel = stated('client.images.default-model', {
  says: 'A client that asks for images without a model keeps the limits of the default model.',
  selector: where(requests(IMAGE), ({ asked }) => isObject(asked) && !isGiven(asked['model'])),
  check: ({ asked }) => {
    const found = beyondDefault(asked);
    return found === null ? [] : [found];
  },
  mutations: {
    'a long prompt': inRequest(IMAGE, removeValue('/model'), setValue('/prompt', 'a'.repeat(1001))),
    'a size of the later model': inRequest(IMAGE, removeValue('/model'), setValue('/size', '1792x1024')),
    'the quality of the later model': inRequest(IMAGE, removeValue('/model'), setValue('/quality', 'hd')),
    'the style of the later model': inRequest(IMAGE, removeValue('/model'), setValue('/style', 'natural')),
  },
});
