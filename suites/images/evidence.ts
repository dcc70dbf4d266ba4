import { imageDownloads } from './downloads.ts';
import { allImageResponses, imageResponses } from './image-responses.ts';

export const evidence = {
  'any images': allImageResponses,
  images: imageResponses,
  'image download': imageDownloads,
};
