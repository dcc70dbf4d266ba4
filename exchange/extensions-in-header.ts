import { extensions } from '../schemas/index.ts';
import type { TraceHeader } from './trace.ts';

/** The extensions in effect, as the header of a trace that is being recorded has them; nothing without any. */
export function extensionsInHeader(): Pick<TraceHeader, 'extensions'> {
  const inEffect = extensions().map(({ name, digest }) => ({ name, digest }));
  return inEffect.length === 0 ? {} : { extensions: inEffect };
}
