import picocolors from 'picocolors';

/** Colours, or none; nothing that is printed needs them to be understood. */
export type Paint = ReturnType<typeof picocolors.createColors>;

export function paint(colours: 'on' | 'off'): Paint {
  return picocolors.createColors(colours === 'on');
}
