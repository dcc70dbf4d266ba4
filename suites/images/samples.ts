import type { Role, Stage } from '../../drive/scenario.ts';
import type { Json } from '../../exchange/body.ts';
import type { FileValue } from '../generate/base.ts';
import { png } from '../generate/files.ts';

export const prompt = 'A red square on a white table.';

const side = 64;

/** Redrawn where it is transparent. */
export function transparent(): FileValue {
  return png('transparent.png', { width: side, height: side, transparent: true });
}

/** Without a mask there is nothing to redraw. */
export function opaque(): FileValue {
  return png('opaque.png', { width: side, height: side });
}

export function mask(): FileValue {
  return png('mask.png', { width: side, height: side, transparent: true });
}

/** A request for the smallest images, by the model of a role. */
export function small(stage: Stage, role: Role, fields: Readonly<Record<string, Json>> = {}) {
  return { model: stage.model(role), prompt, size: '256x256', ...fields };
}
