// Paths in an instance. They are part of requirement ids, so their form never changes.
import { pointerToken } from '../../../schemas/pointer.ts';

/** One step from a value into a part of it; `branch` stays at the value and names the member of a union that was chosen. */
export type InstanceStep =
  | { readonly step: 'property'; readonly name: string }
  | { readonly step: 'items' }
  /** A property that the schema does not name. */
  | { readonly step: 'values' }
  /** The name of a property. */
  | { readonly step: 'keys' }
  | { readonly step: 'branch'; readonly name: string };

/** `tools[function].function.name`, `metadata.*`, `metadata{key}`, `tool_choice(object).type`; empty for the root. */
export function pathText(steps: readonly InstanceStep[]): string {
  let text = '';
  steps.forEach((step, i) => {
    switch (step.step) {
      case 'property':
        text += text === '' ? step.name : `.${step.name}`;
        break;
      case 'items':
        if (steps[i + 1]?.step !== 'branch') text += '[]';
        break;
      case 'values':
        text += text === '' ? '*' : '.*';
        break;
      case 'keys':
        text += '{key}';
        break;
      case 'branch':
        text += steps[i - 1]?.step === 'items' ? `[${step.name}]` : `(${step.name})`;
        break;
    }
  });
  return text;
}

/** A JSON pointer with one more token. */
export function extendPointer(base: string, token: string | number): string {
  return `${base}/${pointerToken(token)}`;
}
