import { imageDownloads } from './downloads.ts';
import { allImageResponses, imageResponses } from './image-responses.ts';

/** Selectors, by the names that rows of requirements and choices give as `evidence`. */
export const evidence = {
  'any images': allImageResponses,
  images: imageResponses,
  'image download': imageDownloads,
};
