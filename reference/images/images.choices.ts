import {
  type Alternative,
  answers,
  answersByOther,
  type ChoiceTable,
  dropFields,
  elementsOf,
  inPlace,
  objectOf,
  reads,
  refuses,
} from '../deviations/alternatives.ts';
import type { JsonObject } from '../http/json.ts';
import type { HandlerRequest } from '../http/route.ts';
import { modelRoles } from '../model/catalogue.ts';

const IMAGES = ['createImage', 'createImageEdit', 'createImageVariation'];
/** More than 4 million bytes, but less than 4 MiB. */
const MILLIONS = 4_000_000;

export const choices: ChoiceTable = {
  'images.answer.unasked-form': { usual: 'absent', others: { null: unaskedForm(), present: inPlace } },
  'images.earlier-model-quality.taken': {
    usual: 'refused',
    others: { taken: ignoredByEarlier('quality', (value) => value !== 'standard') },
  },
  'images.earlier-model-style.taken': {
    usual: 'refused',
    others: { taken: ignoredByEarlier('style', (value) => value !== 'vivid') },
  },
  'images.model.unknown': {
    usual: 'refused',
    others: { answered: answersByOther('createImage', modelRoles['image-v2']) },
  },
  'images.options-at-default.taken': {
    usual: 'refused',
    others: { taken: ignoredByEarlier('quality', (value) => value === 'standard') },
  },
  'images.revised-prompt.untold': {
    usual: 'absent',
    others: { null: eachImage((image) => ({ revised_prompt: null, ...image })) },
  },
  'images.upload.megabyte': {
    usual: 'accepted',
    others: {
      refused: {
        ...refuses(['createImageVariation'], ({ uploads }) =>
          [...uploads.values()].some(({ content }) => content.size > MILLIONS),
        ),
        unseen: 'asked with --allow large only',
      },
    },
  },
  'images.url.scheme': { usual: 'http', others: { data: inPlace } },
};

function eachImage(change: (image: JsonObject, request: HandlerRequest) => JsonObject): Alternative {
  return answers(IMAGES, (answer, request) => ({
    ...answer,
    data: elementsOf(answer['data']).map((image) => change(objectOf(image), request)),
  }));
}

function unaskedForm(): Alternative {
  return eachImage((image) => ({ url: null, b64_json: null, ...image }));
}

function ignoredByEarlier(name: string, isMeant: (value: unknown) => boolean): Alternative {
  return reads(['createImage'], (body) => {
    const isEarlier = (body['model'] ?? modelRoles['image-v2']) === modelRoles['image-v2'];
    return isEarlier && body[name] !== undefined && isMeant(body[name]) ? dropFields(body, [name]) : body;
  });
}
