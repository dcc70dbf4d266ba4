import {
  type Alternative,
  answersByOther,
  type ChoiceTable,
  dropFields,
  reads,
  refuses,
} from '../deviations/alternatives.ts';
import { modelRoles } from '../model/catalogue.ts';

/** 4 MB. Pictures between this size and 4 MiB may be refused. */
const MILLIONS = 4_000_000;

export const choices: ChoiceTable = {
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
};

function ignoredByEarlier(name: string, isMeant: (value: unknown) => boolean): Alternative {
  return reads(['createImage'], (body) => {
    const isEarlier = (body['model'] ?? modelRoles['image-v2']) === modelRoles['image-v2'];
    return isEarlier && body[name] !== undefined && isMeant(body[name]) ? dropFields(body, [name]) : body;
  });
}
