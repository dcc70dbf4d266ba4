import { imageDownloads } from './downloads.ts';
import { allImageResponses, imageResponses } from './image-responses.ts';

/** Evidence for rows: responses with images, and downloads from their URLs. */
export const evidence = {
  'any images': allImageResponses,
  images: imageResponses,
  'image download': imageDownloads,
};
