import { nearestNames } from '../../schemas/nearest-names.ts';
import type { Fault } from '../deviations/hooks.ts';
import { faults as assistants } from './assistants.ts';
import { faults as audio } from './audio.ts';
import { faults as chat } from './chat.ts';
import { faults as completions } from './completions.ts';
import { faults as imagesAndFiles } from './images-and-files.ts';
import { faults as jobsAndBatches } from './jobs-and-batches.ts';
import { faults as modelsAndKeys } from './models-and-keys.ts';
import { faults as moderations } from './moderations.ts';
import { faults as unfiled } from './unfiled.ts';
import { faults as vectorStores } from './vector-stores.ts';

/** The faults that the service injects itself, by subject. All but the unfiled ones are described by public reports. */
export const faultsBySubject: Readonly<Record<string, readonly Fault[]>> = {
  unfiled,
  assistants,
  audio,
  chat,
  completions,
  'images and files': imagesAndFiles,
  'jobs and batches': jobsAndBatches,
  'models and keys': modelsAndKeys,
  moderations,
  'vector stores': vectorStores,
};

export const knownFaults: readonly Fault[] = Object.values(faultsBySubject).flat();

/** A fault does not exist, or cannot be injected; the message says why. */
export class UnknownFault extends Error {
  override name = 'UnknownFault';
}

/** The faults of these ids, separated by commas. @throws UnknownFault when one does not exist. */
export function needFaults(ids: string): readonly Fault[] {
  return ids.split(',').map((id) => {
    const found = knownFaults.find((fault) => fault.id === id.trim());
    if (found !== undefined) return found;
    const names = nearestNames(
      id,
      knownFaults.map((fault) => fault.id),
    );
    throw new UnknownFault(`Unknown fault '${id}'${names}. assay serve --fault list prints all of them.`);
  });
}
