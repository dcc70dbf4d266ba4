import { rowOf } from '../rows/rows.ts';
import { violation } from '../vocabulary/statements.ts';
import { imageDownloads } from './downloads.ts';
import { allImageResponses } from './image-responses.ts';

export const imagesAnswerCount = rowOf('images.answer.count', {
  evidence: allImageResponses,
  check: ({ count, images }) =>
    images.length === count() ? [] : [violation('/data', `${count()} images`, `${images.length} images`)],
});

export const imagesUrlLeadsSomewhere = rowOf('images.url.leads-somewhere', {
  evidence: imageDownloads,
  check: ({ responseClass, status, url }) => {
    if (responseClass === 'accepted') return [];
    const failure = violation('status', `2xx for ${url}`, status);
    if (responseClass === 'capacity') return [{ ...failure, inconclusive: 'capacity' }];
    return responseClass === 'failed' ? [{ ...failure, inconclusive: 'target-error' }] : [failure];
  },
});
