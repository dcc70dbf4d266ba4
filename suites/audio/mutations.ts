import { inResponseWhere, responseShows } from '../vocabulary/changes.ts';
import type { Edit, Mutation } from '../vocabulary/types.ts';
import { TRANSCRIPTION } from './selectors/transcription-results.ts';

/** Edits responses that are detailed transcriptions (`verbose_json`). */
export const inDetail = (...edits: readonly Edit[]): Mutation =>
  inResponseWhere(TRANSCRIPTION, responseShows('task'), ...edits);
