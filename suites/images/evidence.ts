import { allImageResponses, imageResponses } from './image-responses.ts';

/** The evidence of rows: responses with images. */
export const evidence = { 'any images': allImageResponses, images: imageResponses() };
